// Package paired says, from a paired A/B experiment, whether B is slower than A. It is
// pure: durations in, verdicts out.
//
// A pair is the same work done once by A and once by B, one right after the other, in
// an order drawn by a fair coin. What a pair says is one number, the logarithm of B's
// time over A's. A machine that drifts over minutes moves both sides of a pair alike,
// and what it does within a pair falls on A or on B by the coin alone: if A and B are
// the same program, the sign of each pair's number is a fair coin too, independent of
// the others, whatever the noise is: drifting, heavy-tailed, or correlated from pair to
// pair. So Wilcoxon's signed-rank test on the numbers keeps its error rate exactly, by
// the design of the experiment and not by an assumption about noise (Fisher, The Design
// of Experiments, section 21; Lehmann, Nonparametrics, section 3.2). The interval is the
// set of slowdowns that the test does not reject, and the estimate is Hodges and
// Lehmann's: the median of all averages of two pairs, which a few stalls cannot move far.
package paired
