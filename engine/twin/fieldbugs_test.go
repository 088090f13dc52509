package twin

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// heard is what an observer was told.
type heard struct {
	started time.Duration
	cached  int
	at      []time.Duration
	tokens  []engine.Token
	err     error
}

func (h *heard) Started(at time.Duration, cached int) { h.started, h.cached = at, cached }
func (h *heard) Token(tok engine.Token, at time.Duration) {
	h.tokens, h.at = append(h.tokens, tok), append(h.at, at)
}
func (h *heard) Ended(err error, _ time.Duration) { h.err = err }

// stage is an engine on a twin, in virtual time, with what each step computed.
type stage struct {
	*Backend
	clk    *clock.Virtual
	eng    *engine.Engine
	inStep [][]uint64 // per step, what the rows' cells hold, as hashes of all up to them
	steps  []engine.StepInfo
	onStep func(*engine.StepInfo)
}

func (s *stage) Step(b *engine.Batch, res *engine.StepResult) error {
	err := s.Backend.Step(b, res)
	var made []uint64
	for i := range b.Rows {
		made = append(made, s.held[b.Rows[i].Seq][b.Rows[i].Pos])
	}
	s.inStep = append(s.inStep, made)
	return err
}

// newStage serves with prefix reuse in blocks of 4; a step takes 1 ms and a row 1 ms.
func newStage(t *testing.T, unified bool, p engine.Policy) *stage {
	cost := flat()
	for _, term := range []Term{Pass1, Row2, Row4, Row32} {
		cost.Seconds[term] = 1e-3
	}
	lim := engine.Limits{Seqs: 12, SeqCells: 128, Cells: 12 * 128, Rows: 64, Vocab: 1 << 30}
	b, err := New(Config{Limits: lim, Unified: unified, Cost: cost})
	require.NoError(t, err)
	s := &stage{Backend: b, clk: clock.NewVirtual()}
	s.eng, err = engine.New(s.clk, s, engine.Config{
		Policy: p, Cache: engine.CacheConfig{Paged: true, BlockTokens: 4, Prefix: true, Streams: !unified},
		OnStep: func(i *engine.StepInfo) {
			s.steps = append(s.steps, *i)
			if s.onStep != nil {
				s.onStep(i)
			}
		},
	})
	require.NoError(t, err)
	return s
}

func (s *stage) submit(at time.Duration, r engine.Request) *heard {
	h := &heard{}
	s.clk.At(at, func() { s.eng.Submit(r, nil, h) })
	return h
}

func (s *stage) run(t *testing.T) {
	require.ErrorIs(t, s.clk.Run(t.Context()), clock.ErrIdle)
	require.NoError(t, s.eng.Err())
}

var chunked = engine.Policy{MaxBatch: 4, StepTokens: 8, Refill: true, DecodeFirst: true}

// count are the tokens from a number on.
func count(from engine.Token, n int) (all []engine.Token) {
	for i := range n {
		all = append(all, from+engine.Token(i))
	}
	return all
}

// The first token comes when the step that computes it ends, and not before.
// dynamo#5681
func TestFirstTokenAfterItsStep(t *testing.T) {
	s := newStage(t, false, chunked)
	h := s.submit(0, engine.Request{ID: 1, Prompt: count(100, 20), MaxTokens: 3})
	s.run(t)
	// Chunks of 8, 8 and 4 rows, then two rows alone.
	ms := time.Millisecond
	require.Equal(t, []time.Duration{9*ms + 9*ms + 5*ms, 25 * ms, 27 * ms}, h.at)
	require.Equal(t, Solo(count(100, 20), 3, 1<<30), h.tokens)
	ends := []time.Duration{}
	for _, st := range s.steps {
		for range st.Outputs {
			ends = append(ends, st.End)
		}
	}
	require.Equal(t, ends, h.at)
}

// What a step computes can be reused from its end on. dynamo#12643
func TestCellsAreVisibleAtTheStepsEnd(t *testing.T) {
	p := chunked
	p.StepTokens = 64
	s := newStage(t, false, p)
	first := s.submit(0, engine.Request{ID: 1, Prompt: count(100, 40), MaxTokens: 9})
	// One in the middle of the step that computes the prompt, and one at its end.
	during := s.submit(20*time.Millisecond, engine.Request{ID: 2, Prompt: count(100, 40), MaxTokens: 2})
	s.run(t)
	require.Equal(t, 41*time.Millisecond, first.at[0])
	require.Equal(t, first.at[0], during.started, "nothing is planned before the step's end")
	require.Equal(t, 39, during.cached)

	// With two in one step neither can reuse the other's.
	s = newStage(t, false, p)
	a := s.submit(0, engine.Request{ID: 1, Prompt: count(1, 1), MaxTokens: 1})
	b := s.submit(time.Millisecond, engine.Request{ID: 2, Prompt: count(100, 20), MaxTokens: 2})
	c := s.submit(time.Millisecond, engine.Request{ID: 3, Prompt: count(100, 20), MaxTokens: 2})
	s.run(t)
	require.Equal(t, b.started, c.started)
	require.GreaterOrEqual(t, b.started, a.at[0])
	require.Zero(t, b.cached+c.cached)
}

// Blocks behind the first that is missing count for nothing, whatever they hold.
// llm-d-inference-sim#701
func TestHitsEndAtTheFirstMiss(t *testing.T) {
	s := newStage(t, false, chunked)
	prompt := count(100, 17)
	s.submit(0, engine.Request{ID: 1, Prompt: prompt, MaxTokens: 1})
	other := append([]engine.Token(nil), prompt...)
	other[5] = 7 // in the second of four blocks
	h := s.submit(time.Second, engine.Request{ID: 2, Prompt: other, MaxTokens: 4})
	s.run(t)
	require.Equal(t, 4, h.cached)
	require.Equal(t, Solo(other, 4, 1<<30), h.tokens)
}

// All three at once, of any load: whatever is counted as cached was computed, from the
// first token on, in steps that had ended when the request was planned.
func TestHitsWereComputedBefore(t *testing.T) {
	hits := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := chunked
		if rng.IntN(2) == 0 {
			p.ShareWait = 30 * time.Millisecond
		}
		s := newStage(t, seed%2 == 0, p)
		visible, prompts := map[uint64]bool{}, map[int][]engine.Token{}
		s.onStep = func(i *engine.StepInfo) {
			for _, a := range i.Joined {
				h := uint64(0)
				for n, tok := range prompts[a.ID][:a.Hit] {
					h = extend(h, tok)
					require.True(t, visible[h], "request %d: token %d of %d cached ones had not been computed", a.ID, n, a.Hit)
				}
				hits += a.Hit
			}
			for _, h := range s.inStep[i.Index] {
				visible[h] = true
			}
		}
		var all []*heard
		at := time.Duration(0)
		for id := range 30 {
			at += time.Duration(rng.IntN(20)) * time.Millisecond
			prompt := append(count(engine.Token(100*rng.IntN(2)), rng.IntN(20)), count(engine.Token(1000*rng.IntN(3)), 1+rng.IntN(20))...)
			prompts[id] = prompt
			all = append(all, s.submit(at, engine.Request{ID: id, Prompt: prompt, MaxTokens: 1 + rng.IntN(12)}))
			if rng.IntN(6) == 0 {
				s.clk.At(at+time.Duration(rng.IntN(50))*time.Millisecond, func() { s.eng.Cancel(id) })
			}
		}
		s.run(t)
		for id, h := range all {
			if !errors.Is(h.err, engine.ErrCancelled) {
				require.NoError(t, h.err)
			}
			require.Equal(t, Solo(prompts[id], len(h.tokens), 1<<30), append([]engine.Token{}, h.tokens...))
			if len(h.at) > 0 {
				require.Greater(t, h.at[0], h.started)
			}
		}
	}
	require.Positive(t, hits)
}
