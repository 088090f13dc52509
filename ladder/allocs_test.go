package ladder

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// TestAllocsPerStep: it is the same number every time, and one object more in each step
// is one more.
func TestAllocsPerStep(t *testing.T) {
	m := &fakeMachine{context: 1 << 20}
	count := func(r spec.Rung) int {
		n, err := AllocsPerStep(t.Context(), m, r)
		require.NoError(t, err)
		return n
	}
	for _, r := range Rungs() {
		n := count(r)
		require.Positive(t, n, r.Name)
		for range 3 {
			require.Equal(t, n, count(r), r.Name)
		}
		for garbage := 1; garbage <= 2; garbage++ {
			r.Cache.Faults.GarbagePerStep = garbage
			require.Equal(t, n+garbage, count(r), r.Name)
		}
	}
	_, err := AllocsPerStep(t.Context(), &fakeMachine{context: 1 << 20, wall: true}, Rungs()[0])
	require.ErrorContains(t, err, "virtual time")
}
