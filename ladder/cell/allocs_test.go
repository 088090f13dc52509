package cell_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/kv/faulty"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// defaultRungs are those of the built-in default ladder.
func defaultRungs(t *testing.T) []spec.Rung {
	t.Helper()
	l, err := spec.Open(spec.Default)
	require.NoError(t, err)
	return l.Rungs
}

// TestAllocsPerStep: it is the same number every time, and one object more in each step
// is one more.
func TestAllocsPerStep(t *testing.T) {
	rungs := defaultRungs(t)
	m := &celltest.Machine{Context: 1 << 20}
	count := func(r spec.Rung) int {
		n, err := cell.AllocsPerStep(t.Context(), m, r)
		require.NoError(t, err)
		return n
	}
	for _, r := range rungs {
		n := count(r)
		require.Positive(t, n, r.Name)
		for range 3 {
			require.Equal(t, n, count(r), r.Name)
		}
		for garbage := 1; garbage <= 2; garbage++ {
			r.Cache.Wrap = faulty.Garbage(garbage)
			require.Equal(t, n+garbage, count(r), r.Name)
		}
	}
	_, err := cell.AllocsPerStep(t.Context(), &celltest.Machine{Context: 1 << 20, Wall: true}, rungs[0])
	require.ErrorContains(t, err, "virtual time")
}
