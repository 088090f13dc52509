package analysis

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/results"
)

// Warning is one thing that a reader must know about a cell.
type Warning struct {
	Code string `json:"code"` // stable, for scripts: see the Code constants
	Text string `json:"text"` // one sentence without its full stop
}

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

// judge runs every check on the cell, and turns what they find into reasons.
func (m *CellMetrics) judge(recs []results.Record, t *tally, o Options) {
	e := checks.Evidence{Cell: m.Cell, Records: recs, Window: m.Window, Arrivals: m.Arrivals, Lags: t.lag, DispatchLag: m.DispatchLag.P99,
		MaxDispatchLagS: o.maxDispatchLag(), MaxProbeDrift: o.maxProbeDrift()}
	m.Checks = e.Check()
	for _, c := range m.Checks {
		switch c.Verdict {
		case checks.Voided:
			m.Invalid = append(m.Invalid, Warning{c.Name, c.Detail})
		case checks.Noted:
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
	return checks.OfTape(w.Code)
}

// Check returns the cell's check of a name.
func (m *CellMetrics) Check(name string) (checks.Check, bool) {
	for _, c := range m.Checks {
		if c.Name == name {
			return c, true
		}
	}
	return checks.Check{}, false
}
