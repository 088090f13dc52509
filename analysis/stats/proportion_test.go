package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClopperPearson(t *testing.T) {
	for _, it := range []struct {
		k, n   int
		lo, hi float64
	}{{0, 10, 0, 0.3085}, {10, 10, 0.6915, 1}, {1, 20, 0.00127, 0.2487}, {5, 100, 0.0164, 0.1128}} {
		lo, hi := ClopperPearson(it.k, it.n, 0.025)
		require.InDelta(t, it.lo, lo, 1e-4)
		require.InDelta(t, it.hi, hi, 1e-4)
	}
}
