package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// autoregressive is a stationary series of standard deviation 1.
func autoregressive(r *rand.Rand, n int, rho float64) []float64 {
	x := make([]float64, n)
	x[0] = r.NormFloat64()
	for i := 1; i < n; i++ {
		x[i] = rho*x[i-1] + math.Sqrt(1-rho*rho)*r.NormFloat64()
	}
	return x
}

// TestBlockLengthOfAKnownSeries: for an autoregressive series the optimum is
// (1.5·(2ρ/(1−ρ²))²·n)^(1/3).
func TestBlockLengthOfAKnownSeries(t *testing.T) {
	const n, series = 600, 60
	for _, rho := range []float64{0.5, 0.8} {
		sum := 0.0
		for seed := range uint64(series) {
			sum += float64(BlockLength(autoregressive(rand.New(rand.NewPCG(8, seed)), n, rho)))
		}
		g := 2 * rho / (1 - rho*rho)
		require.InEpsilon(t, math.Cbrt(1.5*g*g*n), sum/series, 0.25, "ρ = %g", rho)
	}
	require.Equal(t, 5, BlockLength(make([]float64, 100)), "constant: the cube root")
	require.Equal(t, 1, BlockLength([]float64{1}))
}
