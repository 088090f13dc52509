package promise

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// Worst finds the worst stretch wherever it is.
func TestWorstRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		kept := make([]bool, WorstRun+rng.IntN(300))
		for i := range kept {
			kept[i] = rng.Float64() < 0.9
		}
		low := 1.0
		for from := 0; from+WorstRun <= len(kept); from++ {
			n := 0
			for _, ok := range kept[from : from+WorstRun] {
				if ok {
					n++
				}
			}
			low = min(low, float64(n)/WorstRun)
		}
		require.Equal(t, results.Some(low), worst(kept))
	}
}
