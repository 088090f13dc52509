package claims

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/promise"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
)

// The interval over seeds covers the truth about as often as it says, where requests
// of one cell are late together and an interval of independent requests does not.
func TestProportionOverSeeds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	covered, naive := 0, 0
	const trials, rate = 1000, 0.1
	for range trials {
		var cells []*promise.Outcome
		for range 6 {
			own := rate * 2 * rng.Float64() // the cell's own rate, by luck
			p := &promise.Outcome{Promised: 150 + rng.IntN(100)}
			for range p.Promised {
				if rng.Float64() < own {
					p.Violations++
				}
			}
			cells = append(cells, p)
		}
		s := shareOf(cells, func(c *promise.Outcome) (of, n int) { return c.Violations, c.Promised })
		require.True(t, s.BySeeds)
		if s.Lo <= rate && rate <= s.Hi {
			covered++
		}
		if lo, hi := stats.ClopperPearson(s.Of, s.N, 0.025); lo <= rate && rate <= hi {
			naive++
		}
	}
	require.Greater(t, float64(covered)/trials, 0.91)
	require.Less(t, float64(naive)/trials, 0.75)
}

func TestNear(t *testing.T) {
	of := func(lo, hi float64) stats.Proportion {
		p := (lo + hi) / 2
		return stats.Proportion{Of: int(1e6 * p), N: 1e6, P: p, Lo: lo, Hi: hi, BySeeds: true}
	}
	for _, c := range []struct {
		p    stats.Proportion
		want Verdict
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
