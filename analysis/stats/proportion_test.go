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

func TestWilsonAgainstPublishedValues(t *testing.T) {
	// Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
	for _, tc := range []struct{ k, n, lo, hi float64 }{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
	} {
		lo, hi := Wilson(tc.k, tc.n)
		require.InDelta(t, tc.lo, lo, 5e-5)
		require.InDelta(t, tc.hi, hi, 5e-5)
	}
}

// TestProportionOfNone: where no cluster has any, the interval is the exact one and not a
// point.
func TestProportionOfNone(t *testing.T) {
	p := ProportionOf([]Trials{{0, 20}, {0, 20}, {0, 21}})
	require.True(t, p.BySeeds)
	require.Zero(t, p.Lo)
	require.InDelta(t, 0.0587, p.Hi, 1e-4, "0 of 61")
	p = ProportionOf([]Trials{{1, 10}, {1, 10}, {1, 10}})
	require.InDelta(t, 0.0211, p.Lo, 1e-4)
	require.InDelta(t, 0.2653, p.Hi, 1e-4)
}
