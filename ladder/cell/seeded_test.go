package cell_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// seedRecorder is a simulator of which only the seeds are asked.
type seedRecorder struct {
	cell.Simulator
	seeds []uint64
}

func (s *seedRecorder) OpenSeeded(_ cell.Shape, seed uint64) (cell.SimulatedBackend, error) {
	s.seeds = append(s.seeds, seed)
	return nil, nil
}

// What a simulation draws follows from its cell: a replicate has its own luck, and the
// first measurement that which it had before there were replicates.
func TestSeedOfASimulatedCell(t *testing.T) {
	var rec seedRecorder
	key := results.Key{Rung: "prefix", OfferedRPS: 2.5, Seed: 7}
	for _, change := range []func(*results.Key){
		func(*results.Key) {}, func(*results.Key) {}, func(k *results.Key) { k.Replicate = 1 },
		func(k *results.Key) { k.Replicate = 2 }, func(k *results.Key) { k.Anchor = true },
	} {
		k := key
		change(&k)
		_, err := (&cell.Setup{Machine: &rec, Key: k}).Open()
		require.NoError(t, err)
	}
	require.Equal(t, uint64(0xe4a8a92c865df563), rec.seeds[0], "FNV-1a of prefix-2.5rps-s7")
	require.Equal(t, rec.seeds[0], rec.seeds[1])
	for i, seed := range rec.seeds[1:] {
		for _, other := range rec.seeds[i+2:] {
			require.NotEqual(t, seed, other)
		}
	}
}
