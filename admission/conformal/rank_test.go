package conformal

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

func TestRankOfFewScores(t *testing.T) {
	for _, c := range []struct {
		n     int
		alpha float64
		k     int
		ok    bool
	}{
		{0, 0.05, 1, false},
		{1, 0.5, 1, true},
		{18, 0.05, 19, false}, // one too few
		{19, 0.05, 19, true},  // the largest
		{20, 0.05, 20, true},
		{39, 0.05, 38, true},
		{98, 0.01, 99, false},
		{99, 0.01, 99, true}, // (99+1)·0.99 is 99 in spite of rounding
		{4, 0.2, 4, true},
		{3, 0.2, 4, false},
		{9, 0.1, 9, true},
		{999, 0.1, 900, true},
		{10, 1, 1, true},
	} {
		k, ok := Rank(c.n, c.alpha)
		require.Equal(t, c.k, k, "n %d alpha %g", c.n, c.alpha)
		require.Equal(t, c.ok, ok, "n %d alpha %g", c.n, c.alpha)
	}
}

func TestQuantileOfTooFewScoresPromisesNothing(t *testing.T) {
	q, ok := Quantile(make([]float64, 10), 0.05)
	require.False(t, ok)
	require.True(t, math.IsInf(q, 1))
}

// Given its n scores, the coverage of a split conformal bound is a Beta(k, n+1−k)
// variate (Vovk, Conditional validity of inductive conformal predictors, 2012). With
// uniform scores the coverage is the quantile itself.
func TestCoverageHasItsLaw(t *testing.T) {
	const n, alpha, rounds = 60, 0.1, 4000
	r := rand.New(rand.NewPCG(1, 2))
	k, _ := Rank(n, alpha)
	law := distuv.Beta{Alpha: float64(k), Beta: float64(n + 1 - k)}
	covered := make([]float64, rounds)
	for i := range covered {
		scores := make([]float64, n)
		for j := range scores {
			scores[j] = r.Float64()
		}
		covered[i], _ = Quantile(scores, alpha)
	}
	slices.Sort(covered)
	far := 0.0 // Kolmogorov–Smirnov
	for i, x := range covered {
		far = max(far, math.Abs(law.CDF(x)-(float64(i)+0.5)/rounds))
	}
	require.Less(t, far, 1.63/math.Sqrt(rounds)) // 1% level
	require.GreaterOrEqual(t, law.Mean(), 1-alpha)
}

func TestScoresAndBoundsAreInverse(t *testing.T) {
	for _, s := range []Score{LogRatio, Absolute, Scaled} {
		back, err := ParseScore(s.String())
		require.NoError(t, err)
		require.Equal(t, s, back)
		q := s.Of(3, 2, 0.7)
		require.InDelta(t, 3, s.Bound(q, 2, 0.7), 1e-12)
		require.Less(t, s.Of(2.9, 2, 0.7), q)
	}
	_, err := ParseScore("ratio")
	require.ErrorContains(t, err, `"ratio"; choose from log-ratio, absolute, scaled`)
}
