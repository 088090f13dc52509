package llamacpp_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/stretchr/testify/require"
)

// chunk is the canonical tests' engine.Policy.ChunkAlign.
const chunk = 64

// canonical are four very different ways to serve: one request at a time without a
// cache; many, arriving one by one, with the prefix cache; prompts first, all at once,
// with too few cells, so that requests are preempted and prefixes evicted; and by
// deadline, held back for one another's prefixes, in larger blocks, with cancellations.
func canonical() []schedule {
	context := func(seqs, rows int) llamacpp.Params {
		return llamacpp.Params{Seqs: seqs, SeqCells: 512, Rows: rows, UBatch: min(rows, 256), Threads: 1, Canonical: true}
	}
	cached := engine.CacheConfig{Paged: true, BlockTokens: chunk, Prefix: true, Streams: true}
	tight, large := cached, cached
	tight.Cells, tight.Optimism = 20*chunk, 1
	large.BlockTokens = 2 * chunk
	all := []schedule{
		{name: "one a time", context: context(1, 65), config: engine.Config{
			Policy: engine.Policy{MaxBatch: 1, StepTokens: 65}, Cache: contiguous}},
		{name: "late arrivals, prefix", context: context(24, 128), every: 3, config: engine.Config{
			Policy: engine.Policy{MaxBatch: 8, Refill: true, DecodeFirst: true, StepTokens: 128}, Cache: cached}},
		{name: "prompts first, tight", context: context(30, 512), config: engine.Config{
			Policy: engine.Policy{MaxBatch: 12, Refill: true, StepTokens: 512, PrefillTokens: 160}, Cache: tight}},
		{name: "deadlines, held, cancelled", context: context(16, 256), every: 1, cancel: 41, config: engine.Config{
			Policy: engine.Policy{MaxBatch: 5, Refill: true, StepTokens: 70, Order: engine.EDF, ShareWait: 20 * time.Millisecond}, Cache: large}},
	}
	for i := range all {
		all[i].config.Policy.ChunkAlign = chunk
	}
	return all
}

// sampled makes every other request draw its tokens, and gives each a deadline.
func sampled(reqs []engine.Request) []engine.Request {
	for i := range reqs {
		reqs[i].Deadline = time.Duration(1+(i*7)%len(reqs)) * time.Second
		if i%2 == 1 {
			reqs[i].Sampling = engine.Sampling{Temperature: 0.8, Seed: uint64(i)}
		}
	}
	return reqs
}

// differ counts the requests whose answers, and of those that ended in both, whose
// keys and values differ.
func differ(want, got served) (answers, cells int) {
	for i, a := range got.answers {
		n := len(a)
		if !got.cancelled[i] {
			n = len(want.answers[i])
		}
		if !slices.Equal(want.answers[i][:n], a) {
			answers++
		}
		if got.cells[i] != 0 && want.cells[i] != got.cells[i] {
			cells++
		}
	}
	return answers, cells
}

// TestCanonicalIsEqualToTheBit compares tokens, drawn and greedy, and every key and
// value of four very different schedules.
func TestCanonicalIsEqualToTheBit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	reqs := sampled(requests(t, 24, 125, 24))
	all := canonical()
	want := all[0].serve(t, reqs)
	require.NotContains(t, want.cells, uint64(0))
	for _, s := range all[1:] {
		got := s.serve(t, reqs)
		answers, cells := differ(want, got)
		require.Zero(t, answers, s.name)
		require.Zero(t, cells, s.name)
		require.NotZero(t, got.kv.Hit, s.name)
		require.Equal(t, s.config.Cache.Optimism > 0, got.kv.Recomputed > 0, s.name)
		compared := len(reqs)
		for _, h := range got.cells {
			if h == 0 {
				compared--
			}
		}
		t.Logf("%-26s %d requests equal to the bit; %d steps, %d of %d prompt tokens cached, %d computed again",
			s.name, compared, got.steps, got.kv.Hit, got.kv.Lookup, got.kv.Recomputed-got.kv.Recovered)
		require.Greater(t, compared, len(reqs)/2)
	}

	// The comparison sees what the mode prevents.
	unaligned, aligned := all[2], all[2]
	unaligned.config.Policy.ChunkAlign = 0
	aligned.context.Canonical = false
	_, a := differ(want, unaligned.serve(t, reqs))
	_, b := differ(want, aligned.serve(t, reqs))
	t.Logf("of %d requests, without ChunkAlign %d differ, without Canonical %d", len(reqs), a, b)
	require.NotZero(t, a+b)
}

// TestCanonicalWithoutFlash is the same for the other attention kernel.
func TestCanonicalWithoutFlash(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	reqs := sampled(requests(t, 12, 110, 16))
	all := canonical()
	for i := range all {
		all[i].context.FlashAttn = llamacpp.FlashOff
	}
	want := all[0].serve(t, reqs)
	for _, s := range all[1:] {
		answers, cells := differ(want, s.serve(t, reqs))
		require.Zero(t, answers+cells, s.name)
	}
}

// TestCanonicalStepIsAllOrNothing: when the second of two sequences has no room, the
// first has not moved either.
func TestCanonicalStepIsAllOrNothing(t *testing.T) {
	p := split(2, 256)
	p.Canonical = true
	r := newRun(t, p)
	r.add(0, tokens(20, 1)...)
	r.add(1, tokens(256, 2)...)
	first := slices.Clone(r.step())
	require.Len(t, first, 2)
	r.add(0, first[0])
	r.add(1, first[1])
	_, err := r.try()
	require.ErrorIs(t, err, engine.ErrNoSlot)
	require.Equal(t, []int32{20, 256}, []int32{r.CacheNext(0), r.CacheNext(1)})
	require.Equal(t, int32(20), r.Next(0))
	r.add(0, first[0])
	got := r.step()[0]
	r.remove(0, 0, -1)
	want, _ := r.generate(0, tokens(20, 1), 2)
	require.Equal(t, want, []engine.Token{first[0], got})
}

func TestCanonicalIsNotUnified(t *testing.T) {
	p := unified(2, 256)
	p.Canonical = true
	_, err := llamacpp.NewContext(llamatest.Open(t), p)
	require.ErrorContains(t, err, "not unified")
}
