// Package checks says whether a cell measured what it claims: whether every request of the
// tape has one outcome, whether the driver offered the load on time, whether the arrivals
// are those of their process. Each check has a figure, bounds and a reason; what it finds
// voids the cell or is noted.
package checks

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/results"
)

// The checks of a cell, by name. A check that a cell fails gives a Warning whose
// code is its name.
const (
	CodeWindow       = "window"       // whether anything arrived in the steady window
	CodeRecord       = "record"       // rows that contradict themselves or each other
	CodeConservation = "conservation" // one outcome for every request of the tape
	CodeNotSent      = "not-sent"     // arrivals that were never handed over
	CodeDispatchLag  = "dispatch-lag" // how late the driver was
	CodeLoopLate     = "loop-late"    // how often its loop was
	CodeClientCPU    = "client-cpu"   // whether the load generator ran out of CPU
	CodeLittle       = "little"       // the records against the driver's own count
	CodeGaps         = "gaps"         // the gaps against the intended process
	CodeDispersion   = "dispersion"   // bursts and lulls
	CodeRate         = "rate"         // the tape's realised rate against nominal
	CodeProbeDrift   = "probe-drift"  // the machine's speed before against after
	CodeDisturbed    = "disturbed"    // what else the machine did
)

// Verdict is what a check says of a cell.
type Verdict uint8

const (
	Unmeasured Verdict = iota // there is nothing to judge; the cell stands
	Passed
	Noted  // a reader should know
	Voided // the cell did not measure what it claims
)

// String names the verdict.
func (v Verdict) String() string { return [...]string{"unmeasured", "passed", "noted", "voided"}[v] }

// Check is one thing that must hold for a cell to be believed, with its figure.
type Check struct {
	CheckDoc
	Figure  results.Opt[float64]
	Verdict Verdict
	Detail  string // one sentence without its full stop; "" when there is nothing to add
	// Alarm orders the same check of several cells: the larger, the nearer to its
	// bound or the further beyond it.
	Alarm float64
}

// CheckDoc documents a check.
type CheckDoc struct {
	Name  string
	Label string // heads its column
	Unit  unit.Unit
	What  string // the figure
	Note  string // when the cell carries a note; "" never
	Void  string // when the cell is invalid; "" never
	Why   string // why there
	// OfTape says that the figure is the tape's, the same for every rung.
	OfTape bool
}

const (
	// DefaultMaxDispatchLagS is 50 ms: a driver later than that did not offer the
	// load that the cell claims.
	DefaultMaxDispatchLagS = 0.050
	// DefaultMaxProbeDrift is 10%: a machine that changed its speed by more
	// during one cell may have changed the cell's result.
	DefaultMaxProbeDrift = 0.10
)

// Evidence is what the checks judge.
type Evidence struct {
	Cell        results.Cell
	Records     []results.Record
	Window      latency.Window
	Arrivals    int                 // in the window
	Lags        []stats.Observation // sent − intended of those that were sent, in seconds
	DispatchLag stats.Quantile      // their p99
	// MaxDispatchLagS and MaxProbeDrift are the bounds that an analysis may set; see
	// DefaultMaxDispatchLagS and DefaultMaxProbeDrift.
	MaxDispatchLagS, MaxProbeDrift float64
}

// Check runs every check, in the order of CheckDocs.
func (e Evidence) Check() []Check {
	all := make([]Check, len(tests))
	for i, test := range tests {
		all[i].CheckDoc = test.CheckDoc
		test.run(e, &all[i])
	}
	return all
}

// OfTape reports whether a check of this name is about the tape, so that every cell that
// replays it has the same.
func OfTape(name string) bool {
	return slices.ContainsFunc(tests, func(t test) bool { return t.Name == name && t.OfTape })
}

// late counts the requests that were sent later than a bound in seconds.
func (e Evidence) late(bound float64) (n int) {
	for _, lag := range e.Lags {
		if lag.Value > bound {
			n++
		}
	}
	return n
}

// measured sets a figure and how alarming it is.
func (c *Check) measured(figure, alarm float64) {
	c.Figure, c.Alarm, c.Verdict = results.Some(figure), alarm, Passed
}

// set sets the verdict, if it is worse than the one there, and why.
func (c *Check) set(v Verdict, format string, args ...any) {
	if v >= c.Verdict {
		c.Verdict, c.Detail = v, fmt.Sprintf(format, args...)
	}
}

// ProbeDrift is the relative change of the probe's decode rate during a cell; ok is
// false without two probes.
func ProbeDrift(c results.Cell) (float64, bool) {
	if !c.ProbeBefore.OK || !c.ProbeAfter.OK || c.ProbeBefore.V.DecodeTokensPerS <= 0 {
		return 0, false
	}
	return c.ProbeAfter.V.DecodeTokensPerS/c.ProbeBefore.V.DecodeTokensPerS - 1, true
}
