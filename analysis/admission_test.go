package analysis_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/promise"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestAdmissionIsCounted: what was refused is beside what was promised, and whatever was
// promised and not answered in time is a violation.
func TestAdmissionIsCounted(t *testing.T) {
	cell := results.Cell{DurationS: 10, TimeoutS: 5, SLOS: 1}
	s := time.Second
	row := func(outcome results.Outcome, reason string, took time.Duration, a results.Admission) results.Record {
		r := results.Record{Outcome: outcome, Intended: s, Sent: results.Some(s), Ended: results.Some(s + took), MaxTokens: 1, Admission: results.Some(a)}
		if reason != "" {
			r.Reason = results.Some(reason)
		}
		if outcome == results.Completed {
			r.Started, r.Tokens = r.Sent, []time.Duration{s + took}
		}
		return r
	}
	taken := results.Admission{Admitted: true, Reason: "fits"}
	forced := results.Admission{Admitted: true, Forced: true, Reason: "explore"}
	rows := []results.Record{
		row(results.Completed, "", s/2, taken),
		row(results.Completed, "", s, taken), // at the SLO, in time
		row(results.Completed, "", 2*s, taken),
		row(results.Completed, "", 2*s, forced),
		row(results.Shed, "too-late", 0, results.Admission{Reason: "too-late"}),
		row(results.Shed, "dropped before its start: expired", s, taken),
		row(results.Failed, results.AbortedReason, s, taken),
		row(results.Failed, "device lost", s, taken),
		row(results.TimedOut, "client timeout", 5*s, taken),
	}
	for i := range rows {
		rows[i].Request = int32(i)
	}
	m := analysis.Measure(cell, rows, analysis.Options{})
	require.Equal(t, promise.Admission{Asked: 9, Refused: 1, Dropped: 1, Aborted: 1, Forced: 1, Promised: 7, Violated: 5}, m.Admission)
	require.Equal(t, []int{9, 4, 2, 1, 2}, []int{m.Arrivals, m.Completed, m.Shed, m.TimedOut, m.Failed})
	require.Equal(t, results.Some(2.0/9), m.Attainment)
	require.Equal(t, results.Some(2.0/8), m.AttainmentAdmitted)
	require.True(t, m.E2E.P99.Censored, "what was dropped or aborted was not answered")
	require.GreaterOrEqual(t, m.E2E.P99.Value, 5.0)
	sum := m.Summary()
	require.Equal(t, results.Some(5.0/7), sum.ViolationRate)
	require.Equal(t, results.Some(2.0/9), sum.ShedShare)
	require.Equal(t, results.Some(1), sum.Dropped)

	for i := range rows { // a server that refuses
		rows[i].Admission = results.Opt[results.Admission]{}
	}
	m = analysis.Measure(cell, rows, analysis.Options{})
	require.Equal(t, promise.Admission{Refused: 2}, m.Admission)
	require.False(t, m.Summary().ViolationRate.OK || m.Summary().Dropped.OK)
	require.Equal(t, results.Some(2.0/7), m.AttainmentAdmitted)
}
