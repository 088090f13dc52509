package engine

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/kv"
)

// Scheduler decides what each step computes. It is a pure state machine: time is
// an argument, and it does no I/O. The caller alternates Plan and Commit (or
// Abandon) and may Add and Remove at any moment, also while a step is in flight.
type Scheduler struct {
	policy Policy
	limits Limits
	cache  kv.Cache
	share  kv.Sharer // the same cache; nil where requests share nothing

	waiting queue
	tile    int               // rows of a prompt that go by tiles; 0: none is aimed at
	held    lane              // back until another has published, by the end of their patience
	running []*sequence       // in the order in which they joined
	live    map[int]*sequence // all of these, by request id
	arrived uint64            // requests so far

	guard *guard // nil without an admission policy

	jammed bool // the backend had no slot, and no running request has ended since
	streak int  // steps in a row that prompts took while others waited to decode

	inFlight bool
	batch    Batch
	cacheOps []kv.Op
	members  []*sequence // who has rows in the batch
	outputs  []*sequence // who gets the tokens of the batch, in row order
	prefill  int         // prompt rows in the batch
	started  []Start
	emitted  []Emission
	released []*sequence // scratch of release

	joins     []Join
	preempted []Preemption
}

// Start is a request whose first row is in the batch in flight.
type Start struct {
	ID     int
	Cached int // prompt tokens that were cached when it joined the batch
}

// Emission is one output token.
type Emission struct {
	ID    int
	Token Token
	N     int  // its number in the answer, from 1
	Last  bool // it is the MaxTokens-th
}

// sequence is a request inside the scheduler.
type sequence struct {
	Request
	order uint64        // of arrival; also its name in the cache
	added time.Duration // when it arrived
	key   time.Duration // its place in the order of the queue
	floor int           // in the queue, or -1

	in        *lane         // where it waits; nil while it runs
	at        int           // its place there
	holdUntil time.Duration // 0 until it is first held back
	waitsFor  uint64        // held back for this one's prefix

	running bool
	joined  bool // the batch, at least once
	firm    bool // joined with room for all of its output: it was preempted before
	cached  int  // prompt tokens found in the cache when it first joined
	started bool // its observer was told

	lease    kv.Lease
	seq      SeqID
	tokens   []Token // prompt and output so far
	computed int     // tokens whose cells the cache holds
	planned  int     // rows in the batch in flight
	target   int     // tokens that must be computed before it decodes
	ready    bool    // has room for its next row
	output   int     // tokens emitted
	got      int     // those of them since it last joined
}

func (s *sequence) prefilling() bool { return s.computed < s.target }

// NewScheduler returns a scheduler for a backend with these limits. The cache must
// be empty, made for the same backend, and used by nobody else.
func NewScheduler(p Policy, lim Limits, cache kv.Cache) (*Scheduler, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	seqs := cache.Stats().FreeSeqs
	if seqs > lim.Seqs {
		return nil, fmt.Errorf("policy: the KV cache is for %d sequences, but the backend has %d", seqs, lim.Seqs)
	}
	if seqs < p.MaxBatch {
		return nil, fmt.Errorf("policy: max batch is %d, but the backend has %d sequences", p.MaxBatch, seqs)
	}
	p.StepTokens = min(p.StepTokens, lim.Rows)
	if p.StepTokens < p.MaxBatch {
		return nil, fmt.Errorf("policy: max batch is %d, but the backend takes %d rows a step", p.MaxBatch, lim.Rows)
	}
	if p.PrefillTokens == 0 {
		p.PrefillTokens = p.StepTokens
	}
	if k := p.ChunkAlign; k > 0 && (p.StepTokens < k+p.MaxBatch || p.PrefillTokens < k) {
		return nil, fmt.Errorf("policy: chunk align is %d, but a step has %d rows, %d of them for prompts, and decoding may take %d",
			k, p.StepTokens, p.PrefillTokens, p.MaxBatch)
	}
	switch {
	case !p.Refill:
		p.PrefillStreak = math.MaxInt
	case p.PrefillStreak == 0:
		p.PrefillStreak = p.MaxBatch
	}
	p.Quantum = max(p.Quantum, 1)
	share, _ := cache.(kv.Sharer)
	return &Scheduler{
		policy: p, limits: lim, cache: cache, share: share, tile: p.tile(lim),
		waiting: newQueue(p.Floors, min(lim.SeqCells, lim.Cells)),
		live:    map[int]*sequence{},
	}, nil
}

// Waiting is how many requests wait to join the batch, those held back
// included.
func (s *Scheduler) Waiting() int { return s.waiting.len() + s.held.Len() }

// Held is how many of them are held back for a prefix that another computes.
func (s *Scheduler) Held() int { return s.held.Len() }

// Running is how many requests are in the batch.
func (s *Scheduler) Running() int { return len(s.running) }

// Add queues a request that arrived now. A request that can never be served is
// refused with the reason.
func (s *Scheduler) Add(r Request, now time.Duration) error {
	if err := s.servable(&r); err != nil {
		return err
	}
	q := &sequence{Request: r, order: s.arrived, added: now, key: s.policy.key(r.Deadline, now)}
	q.floor = s.waiting.floorOf(&r)
	s.arrived++
	s.live[r.ID] = q
	s.waiting.push(q)
	s.guard.waits(q)
	return nil
}

// servable says why a request can never be served, if it cannot.
func (s *Scheduler) servable(r *Request) error {
	if s.live[r.ID] != nil {
		return fmt.Errorf("request %d: this id is already live", r.ID)
	}
	switch v := s.cache.CanEver(kv.Request{Prompt: r.Prompt, MaxTokens: r.MaxTokens}); {
	case v.Reason == kv.EmptyPrompt || v.Reason == kv.NoOutput:
		return fmt.Errorf("request %d: %v", r.ID, v)
	case v.Decision == kv.Never:
		return fmt.Errorf("request %d: %w: %v", r.ID, ErrNeverFits, v)
	}
	return nil
}

// Remove ends a request, whether it waits, is held back, prefills, decodes or is in
// the batch in flight, whose tokens for it are then dropped. Its cells are free for
// the next batch. An id that is not live is ignored, so that every path to an end
// may call it.
func (s *Scheduler) Remove(id int) {
	q := s.live[id]
	if q == nil {
		return
	}
	delete(s.live, id)
	if q.in != nil {
		q.leave()
		s.guard.waitsNoMore(q)
		return
	}
	q.running = false
	s.jammed = false
	s.sweep()
	if q.planned == 0 {
		s.release(q)
	}
}

// sweep drops from the batch who does not run any more.
func (s *Scheduler) sweep() {
	s.running = slices.DeleteFunc(s.running, func(q *sequence) bool { return !q.running })
}

// release gives back what a sequence holds. What is computed of it stays cached if
// the cache keeps prefixes, and whoever waits for its prefix waits no more.
func (s *Scheduler) release(q *sequence) {
	ensure(s.cache.Release(q.lease, s.keep(q)))
	s.unhold(q)
}

// keep is what others may reuse of q.
func (s *Scheduler) keep(q *sequence) []Token {
	n := q.computed
	if s.policy.ChunkAlign > 0 {
		n = min(n, s.policy.wholeChunks(len(q.Prompt)))
	}
	return q.tokens[:n]
}

// Plan decides the next step. It returns nil when there is nothing to do, and
// then, if wake is above now, when to ask again even though nothing else has
// happened. The batch is valid until Commit or Abandon.
func (s *Scheduler) Plan(now time.Duration) (batch *Batch, wake time.Duration) {
	if s.inFlight {
		panic("engine: Plan with a step in flight")
	}
	s.batch.Ops, s.batch.Rows = s.batch.Ops[:0], s.batch.Rows[:0]
	s.members, s.outputs, s.started, s.prefill = s.members[:0], s.outputs[:0], s.started[:0], 0
	s.joins, s.preempted = s.joins[:0], s.preempted[:0]
	wake = s.joinWaiting(now)
	s.compose()
	s.cacheOps = s.cache.Ops(s.cacheOps[:0])
	for _, op := range s.cacheOps {
		s.batch.Ops = append(s.batch.Ops, edit(op))
	}
	if len(s.batch.Rows) == 0 && len(s.batch.Ops) == 0 {
		return nil, wake
	}
	s.inFlight = true
	return &s.batch, 0
}

// Started lists the requests whose first row is in the batch in flight.
func (s *Scheduler) Started() []Start { return s.started }

// Commit takes the result of the batch in flight: the tokens it gave, in row
// order. It returns the tokens of requests that are still live, valid until the
// next Commit. The caller ends requests by Remove.
func (s *Scheduler) Commit(tokens []Token) []Emission {
	if !s.inFlight || len(tokens) != len(s.outputs) {
		panic(fmt.Sprintf("engine: Commit of %d tokens for %d outputs (in flight: %t)", len(tokens), len(s.outputs), s.inFlight))
	}
	s.inFlight = false
	s.emitted = s.emitted[:0]
	for _, q := range s.members {
		s.settle(q)
	}
	s.waiting.settle(len(s.batch.Rows))
	for i, q := range s.outputs {
		if !q.running {
			continue
		}
		q.output++
		q.got++
		q.tokens = append(q.tokens, tokens[i])
		s.emitted = append(s.emitted, Emission{ID: q.ID, Token: tokens[i], N: q.output, Last: q.output == q.MaxTokens})
	}
	return s.emitted
}

// settle counts a sequence's rows in the batch in flight as computed. A prompt that
// is complete is published, unless the request is about to end and will be then; a
// sequence that was removed meanwhile is released.
func (s *Scheduler) settle(q *sequence) {
	s.waiting.serve(q, q.planned)
	prefilling := q.prefilling()
	q.computed, q.planned = q.computed+q.planned, 0
	ensure(s.cache.Commit(q.lease, q.computed))
	switch {
	case !q.running:
		s.release(q)
	case prefilling && !q.prefilling() && !s.policy.LatePublish && q.output+1 < q.MaxTokens:
		if s.share != nil {
			_, err := s.share.Publish(q.lease, s.keep(q))
			ensure(err)
		}
		s.unhold(q)
	}
}
