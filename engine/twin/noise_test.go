package twin

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestResidual: over many steps the factors have mean 1, and their logarithms the
// deviation and correlation asked for.
func TestResidual(t *testing.T) {
	const n = 200_000
	want := Noise{Sigma: 0.4, Rho: 0.3}
	r := newResidual(want, 1)
	var sum, logs, squares, along, last float64
	for i := range n {
		f := r.next()
		sum += f
		l := math.Log(f) + want.Sigma*want.Sigma/2
		logs += l
		squares += l * l
		if i > 0 {
			along += l * last
		}
		last = l
	}
	require.InDelta(t, 1, sum/n, 0.005)
	require.InDelta(t, 0, logs/n, 0.005)
	require.InDelta(t, want.Sigma, math.Sqrt(squares/n), 0.005)
	require.InDelta(t, want.Rho, along/squares, 0.01)
}
