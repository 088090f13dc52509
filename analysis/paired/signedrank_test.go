package paired

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// P(W < c) by counting the 2ⁿ signs one by one.
func naiveBelow(n, c int) float64 {
	count := 0
	for signs := range 1 << n {
		sum := 0
		for s := uint(signs); s != 0; s &= s - 1 {
			sum += bits.TrailingZeros(s) + 1
		}
		if sum < c {
			count++
		}
	}
	return float64(count) / float64(int(1)<<n)
}

func TestCriticalRankAgainstAllSigns(t *testing.T) {
	for n := 1; n <= 14; n++ {
		for _, alpha := range []float64{0.2, 0.05, 0.025, 0.01} {
			c := criticalRank(n, alpha)
			require.LessOrEqual(t, naiveBelow(n, c), alpha, "%d at %g", n, alpha)
			require.Greater(t, naiveBelow(n, c+1), alpha, "%d at %g: it is the largest", n, alpha)
		}
	}
}

// The critical values of Wilcoxon's table (Lehmann, Nonparametrics, table H): the largest
// w with P(W ≤ w) ≤ 5%, one-sided. Ours counts one more, P(W < c).
func TestCriticalRankOfTheTable(t *testing.T) {
	for n, w := range map[int]int{5: 0, 6: 2, 7: 3, 8: 5, 9: 8, 10: 10, 12: 17, 15: 30, 20: 60} {
		require.Equal(t, w+1, criticalRank(n, 0.05), n)
	}
	require.Zero(t, criticalRank(4, 0.05))
}

// The bounds are where the test begins to reject, shift by shift.
func TestIntervalInvertsTheTest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		d := make([]float64, 5+r.IntN(8))
		for i := range d {
			d[i] = r.NormFloat64()
		}
		in := Estimate(d, 0.95)
		c := criticalRank(len(d), 0.05)
		for _, it := range []struct {
			shift    float64
			rejected bool
		}{{in.Lower - 1e-9, true}, {in.Lower + 1e-9, false}} {
			require.Equal(t, it.rejected, negativeRanks(d, it.shift) < c, "%v at %v", d, it.shift)
		}
		back := Estimate(negated(d), 0.95)
		require.InDelta(t, in.Upper, -back.Lower, 1e-12, "A and B may change places")
		require.InDelta(t, in.Estimate, -back.Estimate, 1e-12)
		require.True(t, in.Lower <= in.Estimate && in.Estimate <= in.Upper)
	}
}

// negativeRanks is the sum of the ranks of those that are below shift.
func negativeRanks(d []float64, shift float64) (sum int) {
	moved := make([]float64, len(d))
	for i := range d {
		moved[i] = d[i] - shift
	}
	slices.SortFunc(moved, func(a, b float64) int {
		if math.Abs(a) < math.Abs(b) {
			return -1
		}
		return 1
	})
	for i, v := range moved {
		if v < 0 {
			sum += i + 1
		}
	}
	return sum
}

func negated(d []float64) []float64 {
	out := make([]float64, len(d))
	for i := range d {
		out[i] = -d[i]
	}
	return out
}

func TestEstimateOfFew(t *testing.T) {
	require.True(t, math.IsNaN(Estimate(nil, 0.95).Estimate))
	in := Estimate([]float64{1, 2, 3, 4}, 0.95)
	require.Equal(t, Interval{2.5, math.Inf(-1), math.Inf(1)}, in)
	in = Estimate([]float64{1, 2, 3, 4, 5}, 0.95)
	require.Equal(t, Interval{3, 1, 5}, in)
	in = Estimate([]float64{0, 0, 0, 0, 0, 100}, 0.95)
	require.Zero(t, in.Estimate, "one stall moves nothing")
}

// TestBrought: the pairs scatter as before around the slowdown that was asked for, and those
// that were given stay as they are.
func TestBrought(t *testing.T) {
	rule := DefaultRule()
	var pairs []Pair
	for i := range 20 {
		a := Segment{Requests: 1, Completed: 1, Seconds: 1}
		b := a
		b.Seconds = 1.13 + 0.01*float64(i%5)
		pairs = append(pairs, Pair{a, b})
	}
	got := rule.Brought(pairs, 0.10)
	require.InDelta(t, 0.10, rule.JudgePairs(got).Slowdown.Estimate, 1e-9)
	require.Equal(t, 1.13, pairs[0].B.Seconds)
	for i := range pairs {
		require.InEpsilon(t, pairs[i].B.Seconds/pairs[0].B.Seconds, got[i].B.Seconds/got[0].B.Seconds, 1e-12)
	}
}
