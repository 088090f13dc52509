package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/kv"
)

var serveStates = []string{
	"hit", "fully cached prompt", "hit on another's output", "published to one that was held", "hold ran out", "evicted for blocks", "evicted for sequence", "evicted for copy", "evicted for bound", "evicted for demand",
	"preempted for blocks", "preempted for a slot", "victim had emitted", "preempted within its quantum", "recovered from the cache", "stalled", "no slot", "stuck alone",
	"never fits", "cancelled while waiting", "cancelled while held", "cancelled in a prompt", "cancelled while decoding",
	"cancelled in flight", "cancelled after a preemption", "owed floor first", "copy", "chunked prefill", "prefill beside decode", "all lanes used",
}

// TestServe: whatever the policy, the cache, the load and the cancellations, every
// request ends, exactly once, with the tokens that it would have had alone, each
// told once; scheduler, cache and backend agree after every step; and at the end
// nothing is held. A cell of another's, a stale prefix, a lost or a repeated token
// would change the hash (llama.cpp#27148, vllm#41400, vllm#29387).
func TestServe(t *testing.T) { random(t, 1, 900, serve, serveStates...) }

func FuzzServe(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		serve(&prog{data: data, t: t, seen: reached{}})
	})
}

// server is one program's engine and what came of it.
type server struct {
	*prog
	clk     *clock.Virtual
	backend *testBackend
	eng     *Engine
	cfg     Config
	tight   bool // the backend has fewer cells than the accounts say
	room    int  // cells for one request that there really are
	reqs    []Request
	stops   []int
	lives   []*life
	gone    []bool
	again   map[int]bool // preempted at least once
	hits    map[int]int  // of first admissions
	counted uint64       // their sum
}

func serve(p *prog) {
	s := newServer(p)
	at := time.Duration(0)
	for !p.done() && len(s.reqs) < 60 {
		if p.pick(3) > 0 {
			at += time.Duration(p.pick(16)) * 500 * time.Microsecond
		}
		s.arrive(at)
	}
	require.ErrorIs(p.t, s.clk.Run(p.t.Context()), clock.ErrIdle)
	require.NoError(p.t, s.eng.Err())
	for id := range s.reqs {
		s.verify(id)
	}
	st := s.eng.sched.cache.Stats()
	require.Equal(p.t, []int{0, 0, 0, 0}, []int{st.Held, st.Promised, st.Running, st.Written})
	require.Equal(p.t, st.Hit, s.counted)
	require.True(p.t, s.eng.Idle())
	require.NoError(p.t, s.eng.sched.agree())
	p.see("recovered from the cache", st.Recovered > 0)
}

func newServer(p *prog) *server {
	s := &server{prog: p, clk: clock.NewVirtual(), again: map[int]bool{}, hits: map[int]int{}}
	pol := Policy{MaxBatch: 1 + p.pick(6), Refill: p.pick(4) > 0, DecodeFirst: p.flip(), Order: Order(p.pick(2)), Quantum: p.pick(12)}
	pol.StepTokens = pol.MaxBatch + p.pick(20)
	if !pol.Refill {
		pol.FillWait = time.Duration(p.pick(8)) * time.Millisecond
	} else if p.flip() {
		pol.ShareWait = time.Duration(1+p.pick(30)) * time.Millisecond
	}
	if p.flip() {
		pol.PrefillTokens, pol.PrefillStreak = p.pick(8), p.pick(4)
	}
	if p.flip() {
		pol.Patience = time.Duration(1+p.pick(40)) * time.Millisecond
	}
	pol.LatePublish = p.pick(4) == 0
	switch p.pick(3) {
	case 0:
		pol.Floors = []Floor{{"", .2}}
	case 1:
		pol.Floors = []Floor{{"a", .5}, {"", .3}, {"b", .2}}
	}
	c := CacheConfig{Paged: p.pick(5) > 0, Streams: p.flip()}
	if c.Paged {
		c.BlockTokens, c.Prefix = 1+p.pick(5), p.pick(4) > 0
		c.Optimism = float64(p.pick(3)) / 2
		if p.pick(4) == 0 {
			c.RetainCells = 1 + p.pick(30)
		}
	}
	lim := Limits{Seqs: pol.MaxBatch + p.pick(5), SeqCells: 24 + p.pick(60), Rows: 8 + p.pick(30)}
	lim.Rows = max(lim.Rows, pol.MaxBatch)
	lim.Cells = lim.SeqCells + p.pick(120)
	if c.Streams {
		lim.Cells = lim.SeqCells * lim.Seqs
		if p.flip() {
			c.Cells = lim.SeqCells + p.pick(120)
		}
	}
	room := lim
	s.room = min(lim.Cells, lim.SeqCells)
	if p.pick(4) == 0 {
		s.tight = true
		if c.Streams {
			room.SeqCells = min(lim.SeqCells, 16+p.pick(lim.SeqCells))
			s.room = room.SeqCells
		} else {
			room.Cells = 16 + p.pick(lim.Cells)
			s.room = room.Cells
		}
	}
	s.backend = newBackendIn(lim, room, c.Streams)
	s.cfg = Config{Policy: pol, Cache: c, OnStep: s.step}
	var err error
	s.eng, err = New(s.clk, s.backend, s.cfg)
	require.NoError(p.t, err)
	s.backend.after = func(cells int) {
		st := s.eng.sched.cache.Stats()
		require.LessOrEqual(p.t, cells, (st.Blocks-st.Free)*s.blockTokens(), "more cells than blocks account for")
	}
	return s
}

func (s *server) blockTokens() int { return max(1, s.cfg.Cache.BlockTokens) }

// prompt is a new one, one seen before, or one that goes on from an answer.
func (s *server) prompt() []Token {
	var out []Token
	switch kind := s.pick(4); {
	case kind == 0 && len(s.reqs) > 0:
		return s.reqs[s.pick(len(s.reqs))].Prompt
	case kind == 1 && len(s.reqs) > 0:
		r := s.reqs[s.pick(len(s.reqs))]
		out = append(out, r.Prompt...)
		out = append(out, solo(r, s.pick(r.MaxTokens+1))...)
	case kind == 2:
		for i := range s.pick(24) {
			out = append(out, Token(i))
		}
	}
	tail, bits := 1+s.pick(12), s.pick(256)
	for i := range tail {
		out = append(out, Token(bits>>(i%8)&1))
	}
	return out
}

func (s *server) arrive(at time.Duration) {
	id := len(s.reqs)
	r := Request{ID: id, Prompt: s.prompt(), MaxTokens: 1 + s.pick(24), Sampling: Sampling{Temperature: float32(s.pick(2)), Seed: 7}}
	r.Class = []string{"", "a", "b"}[s.pick(3)]
	if s.flip() {
		r.Deadline = at + time.Duration(s.pick(60))*time.Millisecond
	}
	if s.pick(40) == 0 {
		r.MaxTokens = 1000
	}
	stop, lf := 1+s.pick(24), &life{}
	s.reqs, s.stops, s.lives, s.gone = append(s.reqs, r), append(s.stops, stop), append(s.lives, lf), append(s.gone, false)
	switch s.pick(6) {
	case 0:
		s.gone[id] = true
		s.clk.At(at+time.Duration(s.pick(120))*500*time.Microsecond, func() { s.cancel(id) })
	case 1: // from an observer, of itself or of a neighbour
		other, n := id-s.pick(2), 1+s.pick(6)
		other = max(other, 0)
		s.gone[other] = true
		lf.onToken = func(k int) {
			if k == n {
				s.cancel(other)
			}
		}
	}
	s.clk.At(at, func() {
		s.eng.Submit(r, func(_ Token, n int) bool { return n == stop }, lf)
		require.NoError(s.t, s.eng.sched.agree())
	})
}

func (s *server) cancel(id int) {
	if q := s.eng.sched.live[id]; q != nil {
		s.see("cancelled while waiting", q.in != nil && q.in != &s.eng.sched.held)
		s.see("cancelled while held", q.in == &s.eng.sched.held)
		s.see("cancelled in a prompt", q.running && q.prefilling())
		s.see("cancelled while decoding", q.running && !q.prefilling())
		s.see("cancelled in flight", q.planned > 0)
		s.see("cancelled after a preemption", s.again[id])
	}
	s.eng.Cancel(id)
	require.NoError(s.t, s.eng.sched.agree())
}

// step is the oracle after every step.
func (s *server) step(i *StepInfo) {
	t, sched := s.t, s.eng.sched
	require.NoError(t, sched.agree())
	require.Equal(t, i.Rows, i.Prefill+i.Decode)
	require.LessOrEqual(t, i.Rows, min(s.cfg.Policy.StepTokens, s.backend.limits.Rows))
	if n := s.cfg.Policy.PrefillTokens; n > 0 {
		require.LessOrEqual(t, i.Prefill, n)
	}
	require.Equal(t, i.KV.Blocks, i.KV.Free+i.KV.Cached+i.KV.Held)
	for _, a := range i.Joined {
		if !a.Resumed {
			s.counted += uint64(a.Hit)
			s.hits[a.ID] = a.Hit
			prompt := s.reqs[a.ID].Prompt
			require.Less(t, a.Hit, len(prompt))
			s.see("fully cached prompt", a.Hit == len(prompt)-1 && a.Hit > 0)
			s.see("hit", a.Hit > 0)
			for id := range s.reqs { // a prefix that is longer than any prompt was an answer
				if n := len(s.reqs[id].Prompt); id != a.ID && n < a.Hit && equalTo(s.reqs[id], prompt[:a.Hit]) {
					s.see("hit on another's output", true)
				}
			}
		}
		s.see("chunked prefill", a.Tokens-a.Hit > i.Prefill)
	}
	for _, p := range i.Preempted {
		s.see("preempted for blocks", p.Reason == LacksBlocks)
		s.see("preempted for a slot", p.Reason == LacksSlot)
		if q := sched.live[p.ID]; q != nil {
			s.see("preempted within its quantum", p.Reason == LacksBlocks && q.got < s.cfg.Policy.Quantum)
		}
		s.see("victim had emitted", len(s.lives[p.ID].tokens) > 0)
		if p.Reason == LacksBlocks {
			require.False(t, s.again[p.ID] && !s.tight, "request %d is preempted twice for lack of blocks", p.ID)
			require.NotZero(t, s.cfg.Cache.Optimism)
		}
		s.again[p.ID] = true
	}
	s.see("copy", i.Copies > 0)
	s.see("prefill beside decode", i.Prefill > 0 && i.Decode > 0)
	s.evictions(i)
	s.see("no slot", i.Err != nil)
	require.True(t, i.Err == nil || s.tight, "a row had no cell although the accounts are right")
	s.see("step", true)
	require.True(t, i.Use.Known)
	if s.cfg.Cache.Streams {
		require.LessOrEqual(t, i.Use.Top, i.Use.Cells)
	}
	for _, q := range sched.running {
		s.see("stalled", q.got > 1 && !q.ready && (i.Prefill == 0 || s.cfg.Policy.DecodeFirst))
	}
	for _, e := range sched.held.entries {
		s.see("hold ran out", e.q.holdUntil <= s.clk.Now())
	}
	for _, e := range sched.waiting.rest.entries {
		s.see("published to one that was held", e.q.holdUntil > s.clk.Now())
	}
	lanes := 0
	for k := range sched.waiting.floors {
		f := &sched.waiting.floors[k]
		if f.Len() > 0 {
			lanes++
			s.see("owed floor first", f.credit > 0 && sched.waiting.rest.Len() > 0 && sched.waiting.rest.entries[0].before(f.entries[0]))
		}
	}
	s.see("all lanes used", lanes == 3 && sched.waiting.rest.Len() > 0)
}

// evictions holds the log against the counter and what the policy can evict for.
func (s *server) evictions(i *StepInfo) {
	sum := 0
	for _, e := range i.Evictions {
		sum += int(e.Tokens)
		s.see("evicted for "+e.Reason.String(), true)
		switch e.Reason {
		case kv.ForCopy:
			require.True(s.t, s.cfg.Cache.Streams)
		case kv.ForBound:
			require.Positive(s.t, s.cfg.Cache.RetainCells)
		case kv.OnDemand:
			require.ErrorIs(s.t, i.Err, ErrNoSlot)
		}
	}
	require.EqualValues(s.t, i.Evicted, sum)
}

// equalTo says whether tokens begin a request's prompt and its answer.
func equalTo(r Request, tokens []Token) bool {
	for i, tok := range r.Prompt {
		if tokens[i] != tok {
			return false
		}
	}
	rest := tokens[len(r.Prompt):]
	for i, tok := range solo(r, len(rest)) {
		if rest[i] != tok {
			return false
		}
	}
	return true
}

func (s *server) verify(id int) {
	t, lf, r := s.t, s.lives[id], s.reqs[id]
	require.Equal(t, 1, lf.ended, "request %d", id)
	require.LessOrEqual(t, lf.starts, 1)
	if len(lf.tokens) > 0 {
		require.Equal(t, 1, lf.starts)
	}
	if lf.starts > 0 {
		require.Equal(t, s.hits[id], lf.cached)
	}
	n := min(s.stops[id], r.MaxTokens)
	switch {
	case errors.Is(lf.err, ErrCancelled):
		require.True(t, s.gone[id])
		n = len(lf.tokens)
	case errors.Is(lf.err, ErrNeverFits):
		v := s.eng.sched.cache.CanEver(kv.Request{Prompt: r.Prompt, MaxTokens: r.MaxTokens})
		require.Equal(t, kv.Never, v.Decision)
		s.see("never fits", true)
		n = 0
	case errors.Is(lf.err, ErrNoSlot):
		require.True(t, s.tight)
		require.Greater(t, len(r.Prompt)+len(lf.tokens)+s.cfg.Policy.StepTokens, s.room-1)
		s.see("stuck alone", true)
		n = len(lf.tokens)
	default:
		require.NoError(t, lf.err)
	}
	require.Equal(t, solo(r, n), append([]Token{}, lf.tokens...), "request %d", id)
}
