// Package gate decides whether a change made serving worse: it compares the figures of a
// simulated run with those of a committed baseline, metric by metric, each within its
// budget. A simulation is the same to the byte on a busy machine and on an idle one, so
// what differs was decided otherwise.
//
// There are three verdicts. What is worse than its budget allows is a regression. What
// cannot be compared (a figure is missing on either side, too few requests stand behind
// it, the baseline is of another ladder or another calibration) is not measurable, which
// is no pass. All else passes: an improvement always does.
//
// The package does no input and output.
package gate
