package engine

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// apartBackend answers with a hash of a sequence's tokens and of how they were cut
// into steps, but of nothing else, like a backend that runs each sequence's rows of a
// step for themselves.
type apartBackend struct {
	limits Limits
	cells  map[SeqID][]uint64
}

func (b *apartBackend) Limits() Limits { return b.limits }
func (b *apartBackend) Abort()         {}
func (b *apartBackend) Close() error   { return nil }

func (b *apartBackend) Step(batch *Batch, r *StepResult) error {
	for _, op := range batch.Ops {
		if op.Kind == OpCopy {
			b.cells[op.Seq] = append([]uint64{}, b.cells[op.Src]...)
		} else if int(op.From) < len(b.cells[op.Seq]) {
			b.cells[op.Seq] = b.cells[op.Seq][:op.From]
		}
	}
	rows := map[SeqID]uint64{}
	for _, row := range batch.Rows {
		rows[row.Seq]++
	}
	*r = StepResult{Tokens: r.Tokens[:0], Modelled: time.Millisecond}
	for _, row := range batch.Rows {
		h := uint64(14695981039346656037)
		cells := b.cells[row.Seq]
		if len(cells) > 0 {
			h = cells[len(cells)-1]
		}
		for _, v := range []uint64{uint64(row.Token), uint64(row.Pos), rows[row.Seq]} {
			h = (h ^ v) * 1099511628211
		}
		b.cells[row.Seq] = append(cells, h)
		if row.Output {
			r.Tokens = append(r.Tokens, Token(h>>40))
		}
	}
	return nil
}

// TestChunkAlign: with ChunkAlign what is computed together of a request, prefixes
// from the cache and output lost by preemptions included, does not depend on the
// schedule; without it, it does.
func TestChunkAlign(t *testing.T) {
	prefix := CacheConfig{Paged: true, BlockTokens: 4, Prefix: true, Optimism: 1, Streams: true}
	large := prefix
	large.BlockTokens = 8
	configs := []Config{
		{Policy: Policy{MaxBatch: 1, StepTokens: 32}},
		{Policy: Policy{MaxBatch: 6, StepTokens: 10, Refill: true, DecodeFirst: true}, Cache: prefix},
		{Policy: Policy{MaxBatch: 6, StepTokens: 32, PrefillTokens: 9, Refill: true, ShareWait: 9 * time.Millisecond}, Cache: large},
		{Policy: Policy{MaxBatch: 4, StepTokens: 32, Refill: true, LatePublish: true}, Cache: prefix},
		{Policy: Policy{MaxBatch: 4, StepTokens: 32, FillWait: time.Millisecond}, Cache: prefix},
	}
	var hits, recomputed uint64
	serve := func(cfg Config, align int, seed uint64) [][]Token {
		cfg.Policy.ChunkAlign = align
		if cfg.Cache.Paged {
			cfg.Cache.Cells = 120
		}
		cfg.OnStep = func(i *StepInfo) {
			for _, a := range i.Joined {
				hits += uint64(a.Hit)
				if a.Resumed {
					recomputed += uint64(a.Tokens - a.Hit)
				}
			}
		}
		clk := clock.NewVirtual()
		e, err := New(clk, &apartBackend{Limits{Seqs: 12, SeqCells: 100, Cells: 1200, Rows: 32}, map[SeqID][]uint64{}}, cfg)
		require.NoError(t, err)
		l := offer(clk, e, seed)
		for id, lf := range l.lives[:len(l.lives):len(l.lives)] {
			// Two more ask for the same, whole chunks, with some of its output: one while
			// it goes on, which may be preempted later, and one after its end.
			early, late := &life{}, &life{}
			l.lives = append(l.lives, early, late)
			lf.onToken = func(n int) {
				if n < 6 {
					return
				}
				prompt := slices.Concat(l.reqs[id].Prompt, lf.tokens[:6])
				again := Request{ID: 1000 + id, Prompt: prompt[:len(prompt)/4*4], MaxTokens: 9}
				if n == 6 {
					e.Submit(again, nil, early)
				}
				if n == min(l.stops[id], l.reqs[id].MaxTokens) {
					again.ID += 1000
					e.Submit(again, nil, late)
				}
			}
		}
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		answers := make([][]Token, len(l.lives))
		for i, lf := range l.lives {
			if lf.ended > 0 && !errors.Is(lf.err, ErrCancelled) {
				require.NoError(t, lf.err)
				answers[i] = lf.tokens
			}
		}
		return answers
	}
	differ := func(a, b [][]Token) (n int) {
		for i := range a {
			if a[i] != nil && b[i] != nil && !slices.Equal(a[i], b[i]) {
				n++
			}
		}
		return n
	}
	free := 0
	for seed := range uint64(100) {
		want := serve(configs[0], 4, seed)
		for i, cfg := range configs {
			require.Zero(t, differ(want, serve(cfg, 4, seed)), "config %d, seed %d", i, seed)
		}
		h, r := hits, recomputed
		free += differ(want, serve(configs[1], 0, seed))
		hits, recomputed = h, r
	}
	t.Logf("%d tokens from the cache, %d computed again; without alignment %d answers differ", hits, recomputed, free)
	require.NotZero(t, hits)
	require.NotZero(t, recomputed)
	require.NotZero(t, free)
}

func TestChunkAlignIsChecked(t *testing.T) {
	b := &apartBackend{limits: Limits{Seqs: 12, SeqCells: 100, Cells: 1200, Rows: 32}}
	for want, cfg := range map[string]Config{
		"must not be negative": {Policy: Policy{MaxBatch: 1, StepTokens: 32, ChunkAlign: -1}},
		"a step has 32 rows":   {Policy: Policy{MaxBatch: 8, StepTokens: 512, ChunkAlign: 25}},
		"8 of them for":        {Policy: Policy{MaxBatch: 8, StepTokens: 32, PrefillTokens: 8, ChunkAlign: 16}},
		"not whole chunks":     {Policy: Policy{MaxBatch: 8, StepTokens: 32, ChunkAlign: 8}, Cache: CacheConfig{Paged: true, Prefix: true, BlockTokens: 4}},
	} {
		_, err := New(clock.NewVirtual(), b, cfg)
		require.ErrorContains(t, err, want)
	}
}
