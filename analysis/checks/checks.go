package checks

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
)

// The bounds of the checks. Those that an analysis may set are in Options.
const (
	// voidP is the chance below which arrivals are not taken for a draw of their
	// process: one right seed in a thousand is voided, while the faults that public
	// generators had (arrivals on whole seconds, half the rate, constant gaps) give
	// below 1e-9. It is not 0.05: that would void one right seed in twenty, and
	// choosing another until one passes is the selection that makes a p mean nothing.
	voidP = 0.001
	// noteP is the usual level, at which a reader is told.
	noteP = 0.05
	// lateS is from when a loop counts as late: an arrival found it busy for
	// longer than any callback of it takes.
	lateS = 0.001
	// noteLate is the share of arrivals above which that is noted, and noteLateOf
	// how many it takes: a short cell says little of a share.
	noteLate, noteLateOf = 0.5, 20
	// maxClientCPU is the share of all cores from which a process that is nothing
	// but the load generator counts as saturated.
	maxClientCPU = 0.9
	// The driver's count changes when its loop hears of an end, the records say
	// when the end was. littleRel and littleS, a share of the mean time in the
	// system and a delay of the loop, are what that may explain.
	littleRel, littleS = 0.01, 0.002
	// noteTaken is the share of the machine's CPU time that others may take without a note,
	// and noteThrottled that of the wall time in which a limit may keep the process from
	// running.
	noteTaken, noteThrottled = 0.05, 0.01
	// noteSD is how many standard deviations the number of arrivals may be from
	// nominal without a note.
	noteSD = 3
)

// test is a check with its documentation.
type test struct {
	CheckDoc
	run func(Evidence, *Check)
}

// tests are the checks in their order: the worst fault comes first.
var tests = []test{
	{CheckDoc{Name: CodeWindow, Label: "arrivals", Unit: unit.Count,
		What: "arrivals in the steady window",
		Void: "none, or the window is empty",
		Why:  "There is nothing to measure"}, checkWindow},
	{CheckDoc{Name: CodeRecord, Label: "broken rules", Unit: unit.Count,
		What: "rules that a row of the cell breaks (docs/schema.md lists them), and calls of the target that came after a request's end",
		Void: "any",
		Why:  "A row that contradicts itself was not measured"}, checkRecord},
	{CheckDoc{Name: CodeConservation, Label: "without one outcome", Unit: unit.Count,
		What: "requests of the tape that do not have exactly one row",
		Void: "any",
		Why:  "Every arrival ends in exactly one outcome; what is dropped flatters the rest"}, checkConservation},
	{CheckDoc{Name: CodeNotSent, Label: "not sent", Unit: unit.Count,
		What: "arrivals of the steady window that were never handed over",
		Void: "any",
		Why:  "The offered rate was not offered"}, checkSent},
	{CheckDoc{Name: CodeDispatchLag, Label: "dispatch lag p99", Unit: unit.Seconds,
		What: "p99 of sent − intended over the steady window",
		Void: fmt.Sprintf("more than 1%% of the arrivals, and at least two, over %.0f ms late", DefaultMaxDispatchLagS*1e3),
		Why:  "It was no longer open loop"}, checkLag},
	{CheckDoc{Name: CodeLoopLate, Label: "loop late", Unit: unit.Fraction,
		What: fmt.Sprintf("share of the steady window's arrivals that were sent more than %.0f ms late; as Poisson arrivals see time averages, that is the share of the time in which the driver's loop was late", lateS*1e3),
		Note: fmt.Sprintf("above %.0f%% of at least %d", noteLate*100, noteLateOf),
		Why:  "The client is short of CPU, which the latencies then contain"}, checkLoop},
	{CheckDoc{Name: CodeClientCPU, Label: "process CPU", Unit: unit.Fraction,
		What: "CPU time of the process over wall time and cores, while the cell was offered",
		Void: fmt.Sprintf("above %.0f%%, when the engine is in another process", maxClientCPU*100),
		Why:  "The load generator was the bottleneck. An embedded engine is meant to use every core, so beside it the figure is only told"}, checkCPU},
	{CheckDoc{Name: CodeLittle, Label: "Little", Unit: unit.Fraction,
		What: "L/λW − 1: the time average of how many were outstanding, as the driver counted while it ran, against rate times mean time in the system, from the records, from the first arrival until the system was empty",
		Void: fmt.Sprintf("beyond ±(%.0f%% + %.0f ms/W)", littleRel*100, littleS*1e3),
		Why:  "Between two empty moments both are the same area; what the bound allows is the loop hearing late of an end. Rows were lost or their times are wrong"}, checkLittle},
	{CheckDoc{Name: CodeGaps, Label: "gaps, KS p", Unit: unit.Plain, OfTape: true,
		What: "p of the Kolmogorov–Smirnov test of all intended gaps against the intended process",
		Note: fmt.Sprintf("below %g", noteP),
		Void: fmt.Sprintf("below %g", voidP),
		Why:  "A right process is noted for one seed in 20 and voided for one in 1,000; the faults that public generators had give p < 1e-9. Arrivals of one seed are one realisation at all rates, so its cells share one verdict"}, checkGaps},
	{CheckDoc{Name: CodeDispersion, Label: "dispersion", Unit: unit.Plain, OfTape: true,
		What: fmt.Sprintf("variance over mean of the arrivals in windows of %d expected ones, on the time scale on which the process is Poisson", arrival.DispersionWindow),
		Note: fmt.Sprintf("its two-sided chi-squared p is below %g", noteP),
		Void: fmt.Sprintf("that p is below %g", voidP),
		Why:  "Bursts and lulls with the right gaps"}, checkDispersion},
	{CheckDoc{Name: CodeRate, Label: "count, SDs off", Unit: unit.Plain, OfTape: true,
		What: "arrivals in the steady window minus the nominal number, in standard deviations of such a count",
		Note: fmt.Sprintf("beyond ±%d", noteSD),
		Why:  "The realised rate of this seed is far from the nominal one"}, checkRate},
	{CheckDoc{Name: CodeProbeDrift, Label: "probe drift", Unit: unit.Fraction,
		What: "decode rate of the fixed probe after the cell against before it",
		Note: fmt.Sprintf("beyond ±%.0f%%", DefaultMaxProbeDrift*100),
		Why:  "The machine changed its speed. Two probes of a fraction of a second cannot void minutes between them"}, checkProbe},
	{CheckDoc{Name: CodeDisturbed, Label: "taken by others", Unit: unit.Fraction,
		What: "CPU time that other processes and, on a virtual machine, other guests (steal) took while the cell was offered, over that of all cores",
		Note: fmt.Sprintf("above %.0f%%; or another cadence-bench was at work, a limit of CPU time held the process for more than %.0f%% of the time, or a core was slowed for its heat", noteTaken*100, noteThrottled*100),
		Why:  "A disturbance that lasts is the same in both probes of a cell. The figures are then of a slower machine, and runs on it agree with each other"}, checkDisturbed},
}

// CheckDocs documents every check, in the order in which cells carry them.
func CheckDocs() []CheckDoc {
	docs := make([]CheckDoc, len(tests))
	for i, t := range tests {
		docs[i] = t.CheckDoc
	}
	return docs
}
