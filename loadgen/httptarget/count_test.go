package httptarget

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

func seconds(s ...float64) []time.Duration {
	var all []time.Duration
	for _, x := range s {
		all = append(all, time.Duration(x*float64(time.Second)))
	}
	return all
}

func TestSpread(t *testing.T) {
	at := func(text ...int) (chunks []arrived) {
		for i, n := range text {
			chunks = append(chunks, arrived{time.Duration(i+1) * time.Second, 1, n})
		}
		return chunks
	}
	require.Equal(t, seconds(1, 2, 3), spread(at(9, 1, 1), 3), "each chunk has a token")
	require.Equal(t, seconds(1, 1, 2, 3, 3, 3), spread(at(4, 1, 8), 6), "the rest go by the length of the text")
	require.Equal(t, seconds(1, 1, 2, 2), spread(at(4, 4), 4))
	require.Equal(t, seconds(1, 1, 2), spread(at(4, 4), 3), "the earlier chunk first")
	require.Equal(t, seconds(1, 1, 2), spread(at(0, 0), 3), "chunks without text")
	require.Equal(t, seconds(1, 3), spread(at(1, 1, 1), 2), "a token took several chunks")
	require.Equal(t, seconds(1), spread(at(1, 1, 1), 1))
}

func TestSpreadKeepsWhatItMust(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 500 {
		var chunks []arrived
		at := time.Duration(0)
		for range 1 + rng.IntN(12) {
			at += time.Duration(rng.IntN(3)) * time.Millisecond
			chunks = append(chunks, arrived{at, 1, rng.IntN(9)})
		}
		n := 1 + rng.IntN(40)
		times := spread(chunks, n)
		require.Len(t, times, n)
		require.True(t, slices.IsSorted(times))
		require.Equal(t, chunks[0].at, times[0], "the first token is in the first chunk")
		if n >= len(chunks) {
			for _, c := range chunks {
				require.Contains(t, times, c.at)
			}
		}
		if n > 1 {
			require.Equal(t, at, times[n-1], "the last token is in the last chunk")
		}
	}
}

func TestSettle(t *testing.T) {
	told := func(n int) usage { return usage{completion: results.Some(n)} }
	var ids, guessed, many, pieces tally
	for i := range 9 {
		many.add(time.Duration(i), chunk{text: 5, tokens: 2})
		pieces.add(time.Duration(i), chunk{text: 1})
	}
	for i := range 3 {
		require.Equal(t, 2, ids.add(time.Duration(i), chunk{text: 5, tokens: 2}))
		require.Equal(t, 1, guessed.add(time.Duration(i), chunk{text: 5}))
	}
	for name, tt := range map[string]struct {
		tally *tally
		usage usage
		n     int // -1: what was told stands
		how   Counting
	}{
		"ids":            {&ids, told(6), -1, ByIDs},
		"ids over usage": {&ids, told(5), -1, ByIDs},
		"usage agrees":   {&guessed, told(3), -1, ByUsage},
		"usage has more": {&guessed, told(7), 7, ByUsage},
		"usage has less": {&guessed, told(2), 2, ByUsage},
		"no usage":       {&guessed, usage{}, -1, ByChunk},
		"usage of zero":  {&guessed, told(0), -1, ByChunk},
		"absurd usage":   {&guessed, told(1 << 40), -1, ByChunk},
		"too many ids":   {&many, told(18), 8, ByIDs},
		"too many":       {&pieces, usage{}, 8, ByChunk},
		"nothing":        {&tally{}, told(3), -1, ByIDs},
	} {
		t.Run(name, func(t *testing.T) {
			times, how := tt.tally.settle(tt.usage, 8)
			require.Equal(t, tt.how, how)
			if tt.n < 0 {
				require.Nil(t, times)
			} else {
				require.Len(t, times, tt.n)
			}
		})
	}
}
