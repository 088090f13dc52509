package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// life records what an observer was told.
type life struct {
	started time.Duration
	starts  int
	cached  int
	tokens  []Token
	at      []time.Duration
	ended   int
	err     error
	endedAt time.Duration
	onToken func(n int)
}

func (l *life) Started(at time.Duration, cached int) {
	l.started, l.cached = at, cached
	l.starts++
}
func (l *life) Token(tok Token, at time.Duration) {
	l.tokens, l.at = append(l.tokens, tok), append(l.at, at)
	if l.onToken != nil {
		l.onToken(len(l.tokens))
	}
}
func (l *life) Ended(err error, at time.Duration) { l.ended++; l.err, l.endedAt = err, at }

var configs = map[string]Config{
	"fifo":       {Policy: Policy{MaxBatch: 1, StepTokens: 32}},
	"static":     {Policy: Policy{MaxBatch: 4, StepTokens: 32, FillWait: 5 * time.Millisecond}},
	"continuous": {Policy: Policy{MaxBatch: 6, StepTokens: 16, Refill: true, DecodeFirst: true}},
	"prefill":    {Policy: Policy{MaxBatch: 6, StepTokens: 16, Refill: true, PrefillStreak: 2}},
	"prefix": {
		Policy: Policy{MaxBatch: 6, StepTokens: 16, Refill: true, DecodeFirst: true, ShareWait: 20 * time.Millisecond},
		Cache:  CacheConfig{Paged: true, BlockTokens: 4, Prefix: true},
	},
	"optimist": {
		Policy: Policy{MaxBatch: 6, StepTokens: 16, Refill: true, DecodeFirst: true},
		Cache:  CacheConfig{Paged: true, BlockTokens: 4, Optimism: 1},
	},
	"aligned": {
		Policy: Policy{MaxBatch: 6, StepTokens: 16, Refill: true, DecodeFirst: true, ChunkAlign: 4, ShareWait: 20 * time.Millisecond},
		Cache:  CacheConfig{Paged: true, BlockTokens: 4, Prefix: true, Optimism: 1},
	},
}

// load is one random run: requests with arrivals, stops and cancellations.
type load struct {
	lives []*life
	reqs  []Request
	stops []int
	gone  []bool // cancelled at some random moment
}

func offer(clk clock.Clock, e *Engine, seed uint64) *load {
	rng := rand.New(rand.NewPCG(seed, 2))
	l := &load{}
	at := time.Duration(0)
	for id := range 40 {
		at += time.Duration(rng.ExpFloat64() * float64(3*time.Millisecond))
		req := Request{ID: id, MaxTokens: 1 + rng.IntN(20)}
		for i := range rng.IntN(3) * 12 {
			req.Prompt = append(req.Prompt, Token(9000+i))
		}
		for range 1 + rng.IntN(40) {
			req.Prompt = append(req.Prompt, Token(rng.IntN(1000)))
		}
		stop := 1 + rng.IntN(20)
		lf := &life{}
		l.lives, l.reqs, l.stops, l.gone = append(l.lives, lf), append(l.reqs, req), append(l.stops, stop), append(l.gone, rng.IntN(5) == 0)
		clk.At(at, func() { e.Submit(req, func(_ Token, n int) bool { return n == stop }, lf) })
		if l.gone[id] {
			clk.At(at+time.Duration(rng.IntN(60))*time.Millisecond, func() { e.Cancel(id) })
		}
	}
	return l
}

// TestEveryPolicyServesEverythingUnmixed: under random arrivals, lengths, stops
// and cancellations every request ends exactly once, with the tokens it would
// have had alone, and all cells come back. A token that another request's cells
// could reach, or a lost one, would change the hash (llama.cpp#27148).
func TestEveryPolicyServesEverythingUnmixed(t *testing.T) {
	for name, cfg := range configs {
		t.Run(name, func(t *testing.T) {
			cancelled := 0
			for seed := range uint64(50) {
				lim := Limits{Seqs: 8, SeqCells: 100, Cells: 250, Rows: 32}
				clk, backend := clock.NewVirtual(), newBackend(lim)
				e, err := New(clk, backend, cfg)
				require.NoError(t, err)
				l := offer(clk, e, seed)
				require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
				require.NoError(t, e.Err())
				for id, lf := range l.lives {
					require.Equal(t, 1, lf.ended, "request %d", id)
					n := min(l.stops[id], l.reqs[id].MaxTokens)
					if errors.Is(lf.err, ErrCancelled) {
						require.True(t, l.gone[id])
						cancelled++
						n = len(lf.tokens)
					} else {
						require.NoError(t, lf.err)
					}
					require.Equal(t, solo(l.reqs[id], n), append([]Token{}, lf.tokens...), "request %d", id)
				}
				st := e.sched.cache.Stats()
				require.Equal(t, []int{0, 0, 0}, []int{st.Held, st.Promised, st.Running})
				require.LessOrEqual(t, backend.cells, st.Cached*max(1, cfg.Cache.BlockTokens))
				require.Zero(t, backend.refused)
			}
			require.Positive(t, cancelled, "no cancellation was exercised")
		})
	}
}

// TestVirtualAndWallServeAlike: the same load gives the same lives on both clocks.
func TestVirtualAndWallServeAlike(t *testing.T) {
	for name, cfg := range configs {
		serve := func(t *testing.T, clk clock.Clock) []*life {
			e, err := New(clk, newBackend(Limits{Seqs: 8, SeqCells: 100, Cells: 250, Rows: 32}), cfg)
			require.NoError(t, err)
			l := offer(clk, e, 7)
			clk.At(time.Minute, clk.Stop)
			require.NoError(t, clk.Run(t.Context()))
			return l.lives
		}
		virtual := serve(t, clock.NewVirtual())
		synctest.Test(t, func(t *testing.T) {
			require.Equal(t, virtual, serve(t, clock.NewWall()), name)
		})
	}
}

// TestIterationLevelBeatsWaiting: what the ladder is about, in virtual time.
func TestIterationLevelBeatsWaiting(t *testing.T) {
	last := map[string]time.Duration{}
	for name, cfg := range configs {
		clk := clock.NewVirtual()
		e, err := New(clk, newBackend(Limits{Seqs: 8, SeqCells: 100, Cells: 800, Rows: 32}), cfg)
		require.NoError(t, err)
		l := offer(clk, e, 3)
		require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
		for _, lf := range l.lives {
			last[name] = max(last[name], lf.endedAt)
		}
	}
	require.Less(t, last["continuous"], last["static"])
	require.Less(t, last["static"], last["fifo"])
}

func TestObserverMayCancelOnItsToken(t *testing.T) {
	clk := clock.NewVirtual()
	backend := newBackend(Limits{Seqs: 8, SeqCells: 100, Cells: 250, Rows: 32})
	e, err := New(clk, backend, configs["continuous"])
	require.NoError(t, err)
	a, b := &life{}, &life{}
	a.onToken = func(n int) {
		if n == 2 { // b's token of the same step is already on its way
			e.Cancel(1)
			e.Cancel(0)
		}
	}
	clk.At(0, func() {
		e.Submit(Request{ID: 0, Prompt: []Token{1}, MaxTokens: 9}, nil, a)
		e.Submit(Request{ID: 1, Prompt: []Token{2}, MaxTokens: 9}, nil, b)
	})
	require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
	require.Len(t, a.tokens, 2)
	require.ErrorIs(t, a.err, ErrCancelled)
	require.ErrorIs(t, b.err, ErrCancelled)
	require.Equal(t, 1, b.ended)
	require.LessOrEqual(t, len(b.tokens), 2)
	require.Zero(t, backend.cells)
}

// TestRefusalsDoNotBlock: vllm#39734, #35541.
func TestRefusalsDoNotBlock(t *testing.T) {
	clk := clock.NewVirtual()
	e, err := New(clk, newBackend(Limits{Seqs: 8, SeqCells: 100, Cells: 250, Rows: 32}), configs["continuous"])
	require.NoError(t, err)
	huge, empty, ok := &life{}, &life{}, &life{}
	clk.At(0, func() {
		e.Submit(Request{ID: 0, Prompt: make([]Token, 99), MaxTokens: 2}, nil, huge)
		e.Submit(Request{ID: 1, MaxTokens: 2}, nil, empty)
		e.Submit(Request{ID: 2, Prompt: make([]Token, 98), MaxTokens: 2}, nil, ok)
	})
	require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
	require.ErrorIs(t, huge.err, ErrNeverFits)
	require.ErrorContains(t, empty.err, "the prompt is empty")
	require.NoError(t, ok.err)
	require.Len(t, ok.tokens, 2)
}

// TestBackendFailureEndsEverything: nobody waits for a dead engine, and it says why.
func TestBackendFailureEndsEverything(t *testing.T) {
	clk := clock.NewVirtual()
	backend := newBackend(Limits{Seqs: 8, SeqCells: 100, Cells: 250, Rows: 32})
	e, err := New(clk, backend, configs["fifo"])
	require.NoError(t, err)
	lives := []*life{{}, {}, {}}
	clk.At(0, func() {
		for id, lf := range lives[:2] {
			e.Submit(Request{ID: id, Prompt: []Token{1}, MaxTokens: 50}, nil, lf)
		}
	})
	clk.At(5*time.Millisecond, func() { backend.err = fmt.Errorf("device lost") })
	clk.At(time.Second, func() { e.Submit(Request{ID: 2, Prompt: []Token{1}, MaxTokens: 50}, nil, lives[2]) })
	require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
	for id, lf := range lives {
		require.ErrorContains(t, lf.err, "device lost", "request %d", id)
		require.Equal(t, 1, lf.ended)
	}
	require.ErrorContains(t, e.Err(), "device lost")
}
