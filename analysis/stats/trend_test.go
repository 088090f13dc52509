package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// parts is how many values a cell's backlog has.
const parts = 40

func index(n int) []float64 {
	at := make([]float64, n)
	for i := range at {
		at[i] = float64(i)
	}
	return at
}

// TestKendallByHand: of the 120 orders of five values one rises throughout, and four
// have one inversion.
func TestKendallByHand(t *testing.T) {
	upper := upperTail(5)
	require.InDelta(t, 1.0/120, upper(10), 1e-12)
	require.InDelta(t, 5.0/120, upper(8), 1e-12)
	require.InDelta(t, 5.0/120, upper(7), 1e-12, "S has the parity of the pairs")
	require.InDelta(t, 1, upper(-10), 1e-12)

	trend, ok := TrendOf(index(5), []float64{0, 1, 2, 3, 10})
	require.True(t, ok)
	require.InDelta(t, 2.0/120, trend.P, 1e-12)
	require.Equal(t, 1.0, trend.Slope)
	require.Equal(t, []float64{1, 7}, []float64{trend.Lo, trend.Hi}, "the least and the greatest slope")

	_, ok = TrendOf(index(4), []float64{0, 1, 2, 3})
	require.False(t, ok)
}

// TestKendallNormal: the approximation takes over where it is good.
func TestKendallNormal(t *testing.T) {
	exact := upperTail(exactBlocks)
	size := float64(exactBlocks)
	sd := math.Sqrt(size * (size - 1) * (2*size + 5) / 18)
	for _, s := range []int{51, 151, 251, 351} {
		normal := 0.5 * math.Erfc((float64(s)-1)/sd/math.Sqrt2)
		require.InDelta(t, exact(s), normal, 0.002, "S = %d", s)
	}
	require.InDelta(t, 0.5, upperTail(200)(0), 0.01)
}

// TestTrendOfCorrelatedNoise: without a trend one is found about as often as the level
// says, however long the memory is, where a test that takes the values as independent
// finds one in most.
func TestTrendOfCorrelatedNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	const trials = 400
	for _, c := range []struct {
		phi        float64
		most, bare float64 // share of trials with p < 5%: of ours at most, of independent at least
	}{{0, 0.08, 0.03}, {0.5, 0.12, 0.2}, {0.8, 0.16, 0.4}, {0.9, 0.2, 0.5}} {
		found, naive := 0, 0
		for range trials {
			values := autoregressive(rng, parts, c.phi)
			trend, ok := TrendOf(index(len(values)), values)
			require.True(t, ok)
			if trend.P < 0.05 {
				found++
			}
			require.Equal(t, trend.P < 0.05 && trend.Slope > 0, trend.Lo > 0, "interval and test agree")
			if p, _, _ := kendall(slopesOf(index(len(values)), values), len(values)); p < 0.05 {
				naive++
			}
		}
		t.Logf("phi %.1f: %.3f, as independent %.3f", c.phi, float64(found)/trials, float64(naive)/trials)
		require.LessOrEqual(t, float64(found)/trials, c.most, "phi %v", c.phi)
		require.GreaterOrEqual(t, float64(naive)/trials, c.bare, "phi %v", c.phi)
	}
}

// TestTrendIsFound: a line over its noise is found, and its interval holds it.
func TestTrendIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	const trials = 300
	found, covered := 0, 0
	for range trials {
		values := autoregressive(rng, parts, 0.5)
		for i := range values {
			values[i] += 0.3 * float64(i)
		}
		trend, _ := TrendOf(index(len(values)), values)
		if trend.Lo > 0 {
			found++
		}
		if trend.Lo <= 0.3 && 0.3 <= trend.Hi {
			covered++
		}
	}
	require.Greater(t, found, trials*95/100)
	require.Greater(t, covered, trials*88/100)
}

func TestTrendOfConstants(t *testing.T) {
	trend, ok := TrendOf(index(20), make([]float64, 20))
	require.True(t, ok)
	require.Equal(t, Trend{N: 20, Blocks: 20, P: 1}, trend)
}
