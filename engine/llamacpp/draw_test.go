package llamacpp_test

import (
	"testing"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/stretchr/testify/require"
)

// TestTemperatureIsRepeatable: the same prompt, seed and batches give the same
// text; another seed gives another.
func TestTemperatureIsRepeatable(t *testing.T) {
	r := newRun(t, unified(3, 1024))
	write := func(seq engine.SeqID, seed uint64) (out []engine.Token) {
		how := engine.Sampling{Temperature: 1.5, Seed: seed}
		r.add(seq, tokens(30, 1)...)
		for range 20 {
			r.batch.Rows[len(r.batch.Rows)-1].Sampling = how
			out = append(out, r.step()[0])
			r.add(seq, out[len(out)-1])
		}
		r.batch.Rows = r.batch.Rows[:0]
		r.remove(seq, 0, -1)
		r.step()
		return out
	}
	first := write(0, 11)
	require.Equal(t, first, write(1, 11), "the sequence's number is no part of the draw")
	require.NotEqual(t, first, write(0, 12))
}
