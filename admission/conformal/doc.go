// Package conformal turns the scores of past predictions into promises about the next
// one: ranks and quantiles of split conformal prediction, its adaptive form, and a
// controller that holds a rate of violations on-line. It knows nothing of requests.
//
// Sources: Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World (2005),
// for the rank; Gibbs and Candès, Adaptive Conformal Inference under Distribution
// Shift (NeurIPS 2021); Angelopoulos, Bates, Fisch, Lei and Schuster, Conformal Risk
// Control (ICLR 2024), and Feldman, Ringel, Bates and Romano, Achieving Risk Control in
// Online Learning Settings (TMLR 2023), for a threshold that follows a loss.
package conformal
