package analysis

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
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
		decided(7, 70, 0.4, results.Admission{Admitted: true}),                    // before there was a threshold
		decided(8, 80, 0, results.Admission{Reason: "over-limit"}),                // likewise
		decided(9, 150, 1.4, gated(true, "interior", 1, "")),                      // after the window
		{Request: 10, Intended: nanos(90), MaxTokens: 1, Outcome: results.Failed}, // never asked
	}, map[string]string{"admission": "conformal", "admission_alpha": "0.05"})
	require.Equal(t, Theta{
		Decided: 7, Least: 2, Interior: 4, Most: 1, Sum: 10, Promised: 2, Violations: 1, RefusedBy: [limits]int{0, 1, 1, 0, 1, 0},
	}, m.Promise.V.Theta)
	require.Equal(t, 3, m.Promise.V.Theta.Refused())
	both := m.Promise.V.Theta
	both.join(&m.Promise.V.Theta)
	require.Equal(t, Theta{
		Decided: 14, Least: 4, Interior: 8, Most: 2, Sum: 20, Promised: 4, Violations: 2, RefusedBy: [limits]int{0, 2, 2, 0, 2, 0},
	}, both)
}

func TestNear(t *testing.T) {
	of := func(lo, hi float64) stats.Proportion {
		p := (lo + hi) / 2
		return stats.Proportion{Of: int(1e6 * p), N: 1e6, P: p, Lo: lo, Hi: hi, BySeeds: true}
	}
	for _, c := range []struct {
		p    stats.Proportion
		want ClaimVerdict
	}{
		{of(0.04, 0.06), Holds},
		{of(0.03125, 0.0625), Holds},
		{of(0.02, 0.06), Open},
		{of(0.04, 0.08), Open},
		{of(0, 0.2), Open},
		{of(0, 0.02), DoesNotHold},
		{of(0.08, 0.1), DoesNotHold},
		{stats.Proportion{}, Open},
		{stats.Proportion{N: 100, BySeeds: true}, Open}, // 0 of 100 in every seed: 3.6% may be
		{stats.Proportion{N: 1000, BySeeds: true}, DoesNotHold},
		{stats.Proportion{N: 100, P: 0.05, Lo: 0.049, Hi: 0.051}, Open}, // as if requests were independent
	} {
		require.Equal(t, c.want, Near(c.p, 0.05, 0.02), "%+v", c.p)
	}
	require.Equal(t, Holds, Near(of(0, 0.02), 0.01, 0.02), "below 0 there is nothing")
}
