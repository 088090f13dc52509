package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/results"
)

// Warning is one thing that a reader must know about a cell.
type Warning struct {
	Code string `json:"code"` // stable, for scripts: see the Code constants
	Text string `json:"text"` // one sentence without its full stop
}

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
)

// Warnings that come from no check.
const (
	CodeThinP99 = "thin-p99" // too few requests for an upper end of the p99's interval
	CodeStall   = "stall"    // a cut stream had stalled for longer than any ITL
	// CodeMixed: the cell was measured after its run was gone on with although something
	// had changed.
	CodeMixed = "mixed"
	// CodeExtrapolated: the cost model was asked about steps beyond those that it was
	// fitted on.
	CodeExtrapolated = "extrapolated"
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
	Unit  Unit
	What  string // the figure
	Note  string // when the cell carries a note; "" never
	Void  string // when the cell is invalid; "" never
	Why   string // why there
	// OfTape says that the figure is the tape's, the same for every rung.
	OfTape bool
}

// evidence is what the checks judge.
type evidence struct {
	m    *CellMetrics
	recs []results.Record
	t    *tally
	o    Options
}

// judge runs every check on the cell, and turns what they find into reasons.
func (m *CellMetrics) judge(recs []results.Record, t *tally, o Options) {
	e := evidence{m, recs, t, o}
	for _, test := range tests {
		c := Check{CheckDoc: test.CheckDoc}
		test.run(e, &c)
		m.Checks = append(m.Checks, c)
		switch c.Verdict {
		case Voided:
			m.Invalid = append(m.Invalid, Warning{c.Name, c.Detail})
		case Noted:
			m.Warnings = append(m.Warnings, Warning{c.Name, c.Detail})
		}
	}
	if q := m.E2E.P99; q.N > 0 && !q.Supported {
		m.Warnings = append(m.Warnings, Warning{CodeThinP99, fmt.Sprintf("the p99 of %d requests has no upper end at 95%% confidence; that takes %d", q.N, q.Need)})
	}
	if len(m.Cell.Mixed) > 0 {
		var changes []string
		for _, c := range m.Cell.Mixed {
			changes = append(changes, c.String())
		}
		m.Warnings = append(m.Warnings, Warning{CodeMixed, "measured after the run was gone on with although " + strings.Join(changes, "; ")})
	}
	if share := m.Cell.Extrapolated; share.V > 0 {
		m.Warnings = append(m.Warnings, Warning{CodeExtrapolated, fmt.Sprintf("%.2g%% of the simulated steps were larger than those which the cost model was fitted on", 100*share.V)})
	}
	if t.LongestStall > t.LongestGap {
		m.Warnings = append(m.Warnings, Warning{CodeStall, fmt.Sprintf("a stream was cut after %.3g s without a token, longer than any ITL", t.LongestStall.Seconds())})
	}
}

// IsOfTape reports whether a warning's check is about the tape, so that every cell
// that replays it has the same.
func (w Warning) IsOfTape() bool {
	return slices.ContainsFunc(tests, func(t test) bool { return t.Name == w.Code && t.OfTape })
}

// Check returns the cell's check of a name.
func (m *CellMetrics) Check(name string) (Check, bool) {
	for _, c := range m.Checks {
		if c.Name == name {
			return c, true
		}
	}
	return Check{}, false
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
