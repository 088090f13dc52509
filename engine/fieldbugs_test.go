package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// desk drives a scheduler by hand and checks it after every call.
type desk struct {
	t *testing.T
	*Scheduler
	tokens map[int]int // given out, by request
	again  []int       // preempted, in order
}

func newDesk(t *testing.T, p Policy, c CacheConfig, lim Limits) *desk {
	if lim.Rows == 0 {
		lim.Rows = 64
	}
	if lim.Seqs == 0 {
		lim.Seqs = 16
	}
	if lim.SeqCells == 0 {
		lim.SeqCells = lim.Cells
	}
	if p.StepTokens == 0 {
		p.StepTokens = 64
	}
	p.Refill = true
	cache, err := c.New(lim)
	require.NoError(t, err)
	s, err := NewScheduler(p, lim, cache)
	require.NoError(t, err)
	return &desk{t: t, Scheduler: s, tokens: map[int]int{}}
}

func (d *desk) add(id, prompt, maxTokens int) {
	require.NoError(d.t, d.Add(scripted(id, prompt, maxTokens), 0))
}

// step runs one step and returns the ids with rows in it; nil when there was none.
func (d *desk) step() []int {
	batch, _ := d.Plan(0)
	require.NoError(d.t, d.agree())
	if batch == nil {
		return nil
	}
	ids := []int{}
	for _, q := range d.members {
		ids = append(ids, q.ID)
	}
	for _, p := range d.preempted {
		require.NotContains(d.t, ids, p.ID, "a victim has rows")
		d.again = append(d.again, p.ID)
	}
	for _, em := range d.Commit(make([]Token, len(d.outputs))) {
		d.tokens[em.ID]++
		require.Equal(d.t, d.tokens[em.ID], em.N)
		if em.Last {
			d.Remove(em.ID)
		}
	}
	require.NoError(d.t, d.agree())
	slices.Sort(ids)
	return ids
}

// run steps until nothing is left, which must come.
func (d *desk) run() {
	for range 10_000 {
		if d.step() == nil {
			require.Zero(d.t, d.Waiting()+d.Running(), "nothing to do, and yet somebody waits")
			return
		}
	}
	d.t.Fatal("it does not end")
}

// A long prompt is admitted when all of it fits, not when its first chunk does, so
// it is never preempted in the middle and prefilled over and over; and nobody is
// preempted for blocks twice. vllm#37307, vllm#21809
func TestLongPromptIsNotPrefilledForEver(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 4, StepTokens: 8, DecodeFirst: true}, CacheConfig{Paged: true, BlockTokens: 4, Optimism: 1}, Limits{Cells: 64})
	for id := range 3 {
		d.add(id, 3, 20)
	}
	d.step()
	d.add(3, 50, 4)
	for d.step() != nil {
		for _, p := range d.preempted {
			require.Positive(t, d.live[p.ID].output, "request %d was preempted before its first token", p.ID)
		}
	}
	require.NotEmpty(t, d.again)
	slices.Sort(d.again)
	require.Len(t, slices.Compact(slices.Clone(d.again)), len(d.again), "preempted twice: %v", d.again)
	require.Equal(t, map[int]int{0: 20, 1: 20, 2: 20, 3: 4}, d.tokens)
}

// A victim that has its room in this step already has no row in it, and no other
// request is skipped for it. vllm#23347, vllm#49097
func TestVictimSkipsNobody(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 4}, CacheConfig{Paged: true, BlockTokens: 2, Optimism: 1}, Limits{Cells: 16})
	for id := range 4 {
		d.add(id, 2, 8)
	}
	for len(d.again) == 0 {
		d.step()
	}
	ids := d.step()
	require.Len(t, ids, d.Running(), "a running request has no row")
	d.run()
	require.Equal(t, map[int]int{0: 8, 1: 8, 2: 8, 3: 8}, d.tokens)
}

// Preempted requests come back before those that arrived after them. vllm#41951
func TestPreemptedKeepsItsPlace(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 2}, CacheConfig{Paged: true, BlockTokens: 2, Optimism: 1}, Limits{Cells: 16})
	d.add(0, 4, 9)
	d.add(1, 4, 9)
	for id := 2; id < 6; id++ {
		d.add(id, 1, 1)
	}
	for len(d.again) == 0 {
		d.step()
	}
	victim := d.again[0]
	for d.live[victim] != nil && !d.live[victim].running {
		require.Equal(t, 4, d.waiting.len()-1, "a later request was admitted first")
		d.step()
	}
	d.run()
	require.Equal(t, []int{victim}, d.again)
}

// One request that does not fit stops admission behind it only until it does fit.
// vllm#53130, vllm#31731
func TestBlockedHeadIsNotForEver(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 4}, CacheConfig{Paged: true, BlockTokens: 4}, Limits{Cells: 32})
	d.add(0, 8, 8)
	d.add(1, 28, 4)
	for id := 2; id < 6; id++ {
		d.add(id, 2, 2)
	}
	d.run()
	require.Len(t, d.tokens, 6)
}

// A resumed request is charged for its cached prefix once: it comes back as soon as
// what it does not share fits. sglang#32379
func TestResumedIsChargedOnce(t *testing.T) {
	for _, streams := range []bool{false, true} {
		d := newDesk(t, Policy{MaxBatch: 2}, CacheConfig{Paged: true, BlockTokens: 4, Prefix: true, Optimism: 1, Streams: streams, Cells: 32},
			Limits{Cells: 32 * 16, SeqCells: 32})
		d.add(0, 8, 14)
		d.add(1, 8, 14)
		d.run()
		require.Len(t, d.again, 1)
		require.Equal(t, map[int]int{0: 14, 1: 14}, d.tokens)
	}
}

// The last running request always goes on, even when its own growth takes the whole
// pool. sglang#19881
func TestLastRunningGoesOn(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 3}, CacheConfig{Paged: true, BlockTokens: 4, Prefix: true, Optimism: 1}, Limits{Cells: 16})
	for id := range 3 {
		d.add(id, 1, 15)
	}
	d.run()
	require.Equal(t, map[int]int{0: 15, 1: 15, 2: 15}, d.tokens)
}

// Preempting goes on until there is room, also when a victim's blocks are mostly
// shared with others and it frees few. sglang#9989, sglang#4977
func TestOneVictimMayNotBeEnough(t *testing.T) {
	for block := 1; block <= 8; block++ {
		d := newDesk(t, Policy{MaxBatch: 8}, CacheConfig{Paged: true, BlockTokens: block, Prefix: true, Optimism: 1}, Limits{Cells: 48})
		for id := range 8 {
			require.NoError(t, d.Add(Request{ID: id, Prompt: scripted(0, 17, 1).Prompt, MaxTokens: 20}, 0))
			d.step()
		}
		d.run()
		require.Len(t, d.tokens, 8)
		for _, n := range d.tokens {
			require.Equal(t, 20, n)
		}
		require.NotEmpty(t, d.again)
	}
}

// A prompt that is cached wholly is served, whatever its length against the block's.
// The deadlock of the eviction-sweep study (64 personas × 8 turns) that only such a
// prompt triggers; nano-vllm#144, nano-vllm#117
func TestFullyCachedPrompts(t *testing.T) {
	for _, streams := range []bool{false, true} {
		for prompt := 1; prompt <= 13; prompt++ {
			d := newDesk(t, Policy{MaxBatch: 1}, CacheConfig{Paged: true, BlockTokens: 4, Prefix: true, Streams: streams, Cells: 16}, Limits{Cells: 64, SeqCells: 16, Seqs: 4})
			r := scripted(1, prompt, 3)
			for id := range 4 {
				r.ID = id
				require.NoError(t, d.Add(r, 0))
				d.run()
			}
			require.Equal(t, map[int]int{0: 3, 1: 3, 2: 3, 3: 3}, d.tokens)
		}
	}
}

// What is computed again after a preemption counts neither as lookup nor as hit.
// vllm#25780, LMCache#3269
func TestRecomputeIsNoHit(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 3}, CacheConfig{Paged: true, BlockTokens: 2, Prefix: true, Optimism: 1}, Limits{Cells: 24})
	hits := 0
	for id := range 5 {
		d.add(id, 4, 12)
	}
	for d.step() != nil {
		for _, a := range d.joins {
			if !a.Resumed {
				hits += a.Hit
			}
		}
	}
	require.NotEmpty(t, d.again)
	st := d.cache.Stats()
	require.EqualValues(t, 5*4, st.Lookup)
	require.EqualValues(t, hits, st.Hit)
	require.NotZero(t, st.Recomputed)
}

// Equal prompts in one step do not hit on each other's uncomputed cells, and a
// cancelled prompt leaves only what was computed. vllm#29387, vllm#41400
func TestOnlyComputedTokensAreHit(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 4, StepTokens: 6}, CacheConfig{Paged: true, BlockTokens: 2, Prefix: true}, Limits{Cells: 64})
	r := scripted(0, 12, 4)
	for id := range 3 {
		r.ID = id
		require.NoError(t, d.Add(r, 0))
	}
	d.Plan(0)
	for _, a := range d.joins {
		require.Zero(t, a.Hit)
	}
	d.Remove(0) // while its first 6 tokens are in flight
	d.Commit(nil)
	r.ID = 3
	require.NoError(t, d.Add(r, 0))
	d.step()
	require.Equal(t, []Join{{ID: 3, Tokens: 12, Hit: 6}}, d.joins)
}

// Every path to an end may be taken twice, also while the step is in flight; blocks
// and ids are given back once. sgl-jax#982
func TestReleaseIsIdempotent(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 2}, CacheConfig{Paged: true, BlockTokens: 2, Prefix: true}, Limits{Cells: 32})
	d.add(0, 4, 4)
	d.add(1, 4, 4)
	d.Plan(0)
	d.Remove(0)
	d.Remove(0)
	d.Commit(make([]Token, 2))
	d.Remove(0)
	d.Remove(1)
	d.Remove(1)
	require.NoError(t, d.agree())
	d.run()
	st := d.cache.Stats()
	require.Equal(t, []int{0, 0}, []int{st.Held, st.Running})
}

// A sequence whose client has gone has no row in any later step. llama.cpp#24496
func TestCancelledGetsNoRows(t *testing.T) {
	d := newDesk(t, Policy{MaxBatch: 2}, CacheConfig{}, Limits{Cells: 64})
	d.add(0, 4, 20)
	d.add(1, 4, 20)
	d.step()
	d.Remove(0)
	for range 5 {
		require.Equal(t, []int{1}, d.step())
	}
}

// Prompts that keep coming and are answered with one token cannot keep a running
// request from its next token for longer than the streak. sglang#32549
func TestPromptsDoNotStarveDecoding(t *testing.T) {
	for _, streak := range []int{0, 1, 5} {
		d := newDesk(t, Policy{MaxBatch: 3, PrefillStreak: streak}, CacheConfig{}, Limits{Cells: 512})
		d.add(0, 1, 50)
		d.step()
		bound := streak
		if streak == 0 {
			bound = 3 // MaxBatch
		}
		since := 0
		for id := 1; d.live[0] != nil; id++ {
			d.add(id, 64, 1)
			if slices.Contains(d.step(), 0) {
				since = -1
			}
			since++
			require.LessOrEqual(t, since, bound)
		}
	}
}

// An empty queue with floors and deadlines is asked for its head in every state: the
// eviction-sweep study's crash of EDF with a floor.
func TestEmptyQueueWithFloors(t *testing.T) {
	p := Policy{MaxBatch: 1, Order: EDF, Patience: time.Second, Floors: []Floor{{"a", .5}, {"", .5}}}
	d := newDesk(t, p, CacheConfig{}, Limits{Cells: 64})
	require.Nil(t, d.step())
	for _, class := range []string{"a", "b"} {
		r := scripted(1, 4, 1)
		r.Class = class
		require.NoError(t, d.Add(r, 0))
		d.Remove(1)
		require.Nil(t, d.step())
		require.NoError(t, d.Add(r, 0))
		d.run()
		require.Nil(t, d.step())
		clear(d.tokens)
	}
}

// A backend without a slot for a batch makes the engine give up cached prefixes,
// then a request's place, and fail only a request that has everything and still
// does not fit. llama.cpp#23652, ollama#7949, ollama#10127
func TestNoSlotNeverEndsTheEngine(t *testing.T) {
	lim := Limits{Seqs: 16, SeqCells: 100, Cells: 400, Rows: 64}
	room := lim
	room.Cells = 60
	clk, backend := clock.NewVirtual(), newBackendIn(lim, room, false)
	var preempted, failed []int
	e, err := New(clk, backend, Config{
		Policy: Policy{MaxBatch: 4, StepTokens: 64, Refill: true, DecodeFirst: true},
		Cache:  CacheConfig{Paged: true, BlockTokens: 4, Prefix: true},
		OnStep: func(i *StepInfo) {
			for _, p := range i.Preempted {
				require.Equal(t, LacksSlot, p.Reason)
				require.ErrorIs(t, i.Err, ErrNoSlot)
				preempted = append(preempted, p.ID)
			}
			for _, end := range i.Ended {
				if end.Err != nil {
					failed = append(failed, end.ID)
				}
			}
		},
	})
	require.NoError(t, err)
	var lives []*life
	reqs := []Request{scripted(0, 20, 10), scripted(1, 20, 10), scripted(2, 20, 10), scripted(3, 70, 10), scripted(4, 20, 10)}
	clk.At(0, func() {
		for _, r := range reqs {
			lives = append(lives, &life{})
			e.Submit(r, nil, lives[r.ID])
		}
	})
	require.ErrorIs(t, clk.Run(t.Context()), clock.ErrIdle)
	require.NoError(t, e.Err())
	require.Positive(t, backend.refused)
	require.NotEmpty(t, preempted)
	require.Equal(t, []int{3}, failed)
	for id, lf := range lives {
		if id == 3 {
			require.ErrorIs(t, lf.err, ErrNoSlot)
			require.ErrorContains(t, lf.err, "request 3: no KV cache slot for this batch: it runs alone")
			continue
		}
		require.NoError(t, lf.err)
		require.Equal(t, solo(reqs[id], 10), lf.tokens)
		require.Equal(t, 1, lf.starts)
	}
}
