// Package predict expects how long a request will take. The work model runs the engine's
// future in the mean, from what it has learnt of the cost of steps and of the lengths of
// answers; the others are what it is compared with: trees (Boosted), tokens over a rate
// (Arithmetic), a median (Constant). All learn on-line but the trees, and each can start
// from what was fitted before (admission.Fitted).
//
// The oracle is here, too: a policy that runs the work model's future with the true
// lengths of answers. No server could have it.
package predict
