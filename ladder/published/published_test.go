package published_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/ladder/published"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
)

// worst is how far the cost model may be from a published pass. The laptop's decode steps
// double from 4 to 8 sequences, which no line through a kind of pass follows.
var worst = map[string]float64{"a100-llama-2-7b": 0.17, "cadence-m-series": 0.45}

// TestCostsFollowThePublishedPasses: every published pass is near what the twin charges for
// it, and between them the time is theirs in a straight line.
func TestCostsFollowThePublishedPasses(t *testing.T) {
	require.Len(t, published.Names(), len(worst))
	for _, name := range published.Names() {
		m, hash, err := published.Open(name)
		require.NoError(t, err)
		require.Len(t, hash, 64)
		require.Contains(t, m.Source, "github.com/", "who measured is named")
		c, err := m.Calibration()
		require.NoError(t, err)
		cost, err := sim.CostOf(c.Costs[0])
		require.NoError(t, err)
		for i, p := range m.Passes {
			require.InDelta(t, p.MS, m.MS(float64(p.Rows)), 1e-9)
			if i > 0 {
				q := m.Passes[i-1]
				require.InDelta(t, (p.MS+q.MS)/2, m.MS(float64(p.Rows+q.Rows)/2), 1e-9)
			}
			var w twin.Work
			pass, row := twin.Pass1, twin.Term(0)
			switch {
			case p.Rows >= 32:
				pass, row = twin.Pass32, twin.Row32
			case p.Rows >= 4:
				pass, row = twin.Pass4, twin.Row4
			case p.Rows >= 2:
				pass, row = twin.Pass2, twin.Row2
			}
			if w[pass] = 1; row > 0 {
				w[row] = float64(p.Rows)
			}
			off := cost.Duration(&w).Seconds()*1e3/p.MS - 1
			require.LessOrEqual(t, math.Abs(off), worst[name], "%s, %d rows: %+.0f%%", name, p.Rows, 100*off)
		}
		_, err = sim.New(sim.Config{Calibration: c, ID: hash, Setting: c.Chosen.Setting})
		require.NoError(t, err)
	}
	_, _, err := published.Open("abacus")
	require.ErrorContains(t, err, "choose a100-llama-2-7b, cadence-m-series")
}
