package analysis

import (
	"fmt"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/results"
)

// Warning is one thing that a reader must know about a cell.
type Warning struct {
	Code string `json:"code"` // stable, for scripts: see the Code constants
	Text string `json:"text"` // one sentence without its full stop
}

// Reasons that make a cell invalid.
const (
	CodeEmptyWindow = "empty-window" // the window has no length
	CodeNoArrivals  = "no-arrivals"  // nothing arrived in the window
	CodeDispatchLag = "dispatch-lag" // the driver was late
	CodeNotSent     = "not-sent"     // an arrival was never handed over
	CodeNoOutcome   = "no-outcome"   // an arrival of the tape has no row
	CodeRecord      = "record"       // a row contradicts itself or another, or the cell says so
)

// Warnings that leave a cell valid.
const (
	CodeProbeDrift = "probe-drift" // the machine changed speed during the cell
	CodeThinP99    = "thin-p99"    // the p99 is the maximum
	CodeRate       = "rate"        // the tape's realised rate is far from nominal
	CodeStall      = "stall"       // a cut stream had stalled for longer than any ITL
	// CodeExtrapolated: the cost model was asked about steps beyond those that it was
	// fitted on.
	CodeExtrapolated = "extrapolated"
)

func check(m *CellMetrics, recs []results.Record, t *tally, o Options) {
	invalid := func(code, format string, args ...any) {
		m.Invalid = append(m.Invalid, Warning{code, fmt.Sprintf(format, args...)})
	}
	warn := func(code, format string, args ...any) {
		m.Warnings = append(m.Warnings, Warning{code, fmt.Sprintf(format, args...)})
	}
	switch {
	case m.Window.Length() == 0:
		invalid(CodeEmptyWindow, "the steady window is empty: warm-up ends at %g s, arrivals at %g s", m.Window.WarmupS, m.Window.EndS)
	case m.Arrivals == 0:
		invalid(CodeNoArrivals, "none of %d requests arrived in the steady window", m.Rows)
	}
	// Below 100 arrivals the p99 is the maximum, and one hiccup says nothing about
	// a hundredth of the load: it takes two.
	if late := t.late(o.maxDispatchLag()); late > max(1, m.Arrivals/100) {
		invalid(CodeDispatchLag, "%d of %d requests were sent more than %.0f ms late (p99 %.0f ms): the driver did not offer the load on time",
			late, m.Arrivals, o.maxDispatchLag()*1e3, m.DispatchLag.P99.Value*1e3)
	}
	if unsent := m.Arrivals - m.DispatchLag.P99.N; unsent > 0 {
		invalid(CodeNotSent, "%d of %d arrivals were never sent", unsent, m.Arrivals)
	}
	if id, found := missing(recs); found {
		invalid(CodeNoOutcome, "request %d of the tape has no row, so no outcome", id)
	}
	violations := slices.Concat(m.Cell.Violations, results.Violations(recs))
	slices.Sort(violations)
	for _, v := range slices.Compact(violations) {
		invalid(CodeRecord, "%s", v)
	}
	if drift, ok := ProbeDrift(m.Cell); ok && math.Abs(drift) > o.maxProbeDrift() {
		warn(CodeProbeDrift, "the probe's decode rate changed by %+.0f%% during the cell", drift*100)
	}
	if q := m.E2E.P99; q.N > 0 && !q.Supported {
		warn(CodeThinP99, "p99 over %d requests is the maximum; it needs %d", q.N, q.Need)
	}
	// A Poisson count has its mean as its variance.
	if want := m.Cell.OfferedRPS * m.Window.Length(); want > 0 && math.Abs(float64(m.Arrivals)-want) > 3*math.Sqrt(want) {
		warn(CodeRate, "%d arrivals in the window where %.0f were nominal, more than 3 standard deviations apart", m.Arrivals, want)
	}
	if share := m.Cell.Extrapolated; share.V > 0 {
		warn(CodeExtrapolated, "%.2g%% of the simulated steps were larger than those which the cost model was fitted on", 100*share.V)
	}
	if t.longestStall > t.longestGap {
		warn(CodeStall, "a stream was cut after %.3g s without a token, longer than any ITL", t.longestStall.Seconds())
	}
}

// missing returns the first request of the tape, up to the last one that has a
// row, that has none.
func missing(recs []results.Record) (id int32, found bool) {
	ids := make([]int32, len(recs))
	for i := range recs {
		ids[i] = recs[i].Request
	}
	slices.Sort(ids)
	next := int32(0)
	for _, id := range ids {
		if id > next {
			return next, true
		}
		next = id + 1
	}
	return 0, false
}

// ProbeDrift is the relative change of the probe's decode rate during a cell; ok is
// false without two probes.
func ProbeDrift(c results.Cell) (float64, bool) {
	if !c.ProbeBefore.OK || !c.ProbeAfter.OK || c.ProbeBefore.V.DecodeTokensPerS <= 0 {
		return 0, false
	}
	return c.ProbeAfter.V.DecodeTokensPerS/c.ProbeBefore.V.DecodeTokensPerS - 1, true
}
