package analysis_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/promise"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestThetaIsCounted(t *testing.T) {
	gated := func(admitted bool, at string, theta float64, by string) results.Admission {
		return results.Admission{Admitted: admitted, Threshold: results.Some(results.AdmissionThreshold{Theta: theta, Threshold: theta, At: at, RefusedBy: by})}
	}
	forced := gated(true, "interior", 2, "theta")
	forced.Forced = true
	m := admitted([]results.Record{
		decided(0, 0, 0.4, gated(true, "interior", 1, "")),
		decided(1, 10, 1.4, gated(true, "interior", 1, "")), // late
		decided(2, 20, 1.4, gated(true, "least", 0.5, "")),  // late, and no interior
		decided(3, 30, 1.4, forced),                         // late, and no promise
		decided(4, 40, 0, gated(false, "interior", 2, "theta")),
		decided(5, 50, 0, gated(false, "least", 0.5, "price")),
		decided(6, 60, 0, gated(false, "most", 3, "harm")),
		decided(7, 70, 0.4, results.Admission{Admitted: true}),                 // before there was a threshold
		decided(8, 80, 0, results.Admission{Reason: "over-limit"}),             // likewise
		decided(9, 150, 1.4, gated(true, "interior", 1, "")),                   // after the window
		{Request: 10, Intended: ns(90), MaxTokens: 1, Outcome: results.Failed}, // never asked
	}, map[string]string{"admission": "conformal", "admission_alpha": "0.05"})
	require.Equal(t, promise.Theta{
		Decided: 7, Least: 2, Interior: 4, Most: 1, Sum: 10, Promised: 2, Violations: 1, RefusedBy: [6]int{0, 1, 1, 0, 1, 0},
	}, m.Promise.V.Theta)
	require.Equal(t, 3, m.Promise.V.Theta.Refused())
	both := m.Promise.V.Theta
	both.Join(&m.Promise.V.Theta)
	require.Equal(t, promise.Theta{
		Decided: 14, Least: 4, Interior: 8, Most: 2, Sum: 20, Promised: 4, Violations: 2, RefusedBy: [6]int{0, 2, 2, 0, 2, 0},
	}, both)
}
