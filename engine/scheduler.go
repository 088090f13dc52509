package engine

import (
	"fmt"
	"slices"
	"time"
)

// Scheduler decides what each step computes. It is a pure state machine: time is
// an argument, and it does no I/O. The caller alternates Plan and Commit and
// may Add and Remove at any moment, also while a step is in flight.
type Scheduler struct {
	policy Policy
	limits Limits

	waiting queue
	running []*sequence       // in order of admission
	live    map[int]*sequence // waiting and running, by request id
	seqs    []SeqID           // free sequence ids, last in first out
	cells   int               // KV cells not reserved

	inFlight bool
	batch    Batch
	owed     []Op        // cache edits for the next batch
	members  []*sequence // who has rows in the batch
	outputs  []*sequence // who gets the tokens of the batch, in row order
	started  []int       // ids whose first row is in the batch
	emitted  []Emission
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
	seq        SeqID
	running    bool
	released   bool
	computed   int   // tokens whose cells the cache holds
	planned    int   // rows in the batch in flight
	output     int   // tokens emitted
	last       Token // the latest of them, not yet computed
	added      time.Duration
	prev, next *sequence // links of the queue
}

func (s *sequence) promptLeft() int { return len(s.Prompt) - s.computed - s.planned }

// cellsMax is the most KV cells that the request can come to hold.
func (s *sequence) cellsMax() int { return len(s.Prompt) + s.MaxTokens }

// NewScheduler returns a scheduler for a backend with these limits.
func NewScheduler(p Policy, lim Limits) (*Scheduler, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if lim.Seqs < p.MaxBatch {
		return nil, fmt.Errorf("policy: max batch is %d, but the backend has %d sequences", p.MaxBatch, lim.Seqs)
	}
	p.StepTokens = min(p.StepTokens, lim.Rows)
	if p.StepTokens < p.MaxBatch {
		return nil, fmt.Errorf("policy: max batch is %d, but the backend takes %d rows a step", p.MaxBatch, lim.Rows)
	}
	s := &Scheduler{policy: p, limits: lim, live: map[int]*sequence{}, cells: lim.Cells}
	for id := lim.Seqs - 1; id >= 0; id-- {
		s.seqs = append(s.seqs, SeqID(id))
	}
	return s, nil
}

// Waiting is how many requests wait for admission to the batch.
func (s *Scheduler) Waiting() int { return s.waiting.n }

// Running is how many requests are in the batch.
func (s *Scheduler) Running() int { return len(s.running) }

// Add queues a request that arrived now. A request that can never be served is
// refused with the reason.
func (s *Scheduler) Add(r Request, now time.Duration) error {
	if err := r.check(s.limits); err != nil {
		return err
	}
	if s.live[r.ID] != nil {
		return fmt.Errorf("request %d: this id is already live", r.ID)
	}
	q := &sequence{Request: r, added: now}
	s.live[r.ID] = q
	s.waiting.push(q)
	return nil
}

// Remove ends a request, whether it waits, prefills, decodes or is in the batch
// in flight, whose tokens for it are then dropped. Its cells are free for the
// next batch. An id that is not live is ignored, so that every path to an end
// may call it.
func (s *Scheduler) Remove(id int) {
	q := s.live[id]
	if q == nil {
		return
	}
	delete(s.live, id)
	if !q.running {
		s.waiting.remove(q)
		return
	}
	q.running = false
	s.running = slices.DeleteFunc(s.running, func(r *sequence) bool { return r == q })
	if q.planned == 0 {
		s.release(q)
	}
}

// release gives back what a sequence holds. It is the only place that does, and
// does it once.
func (s *Scheduler) release(q *sequence) {
	if q.released {
		return
	}
	q.released = true
	s.cells += q.cellsMax()
	s.seqs = append(s.seqs, q.seq)
	s.owed = append(s.owed, Op{Kind: OpRemove, Seq: q.seq, From: 0, To: -1})
}

// Plan decides the next step. It returns nil when there is nothing to do, and
// then, if wake is above now, when to ask again even though nothing else has
// happened. The batch is valid until Commit.
func (s *Scheduler) Plan(now time.Duration) (batch *Batch, wake time.Duration) {
	if s.inFlight {
		panic("engine: Plan with a step in flight")
	}
	s.batch.Rows, s.members, s.outputs, s.started = s.batch.Rows[:0], s.members[:0], s.outputs[:0], s.started[:0]
	wake = s.admit(now)
	if s.policy.DecodeFirst {
		s.planDecode()
		s.planPrefill()
	} else if s.planPrefill(); len(s.batch.Rows) == 0 {
		s.planDecode()
	}
	if len(s.batch.Rows) == 0 && len(s.owed) == 0 {
		return nil, wake
	}
	s.batch.Ops, s.owed = append(s.batch.Ops[:0], s.owed...), s.owed[:0]
	s.inFlight = true
	return &s.batch, 0
}

// admit moves waiting requests into the batch, in order of arrival: a request
// that does not fit holds those behind it.
func (s *Scheduler) admit(now time.Duration) (wake time.Duration) {
	p := s.policy
	if !p.Refill {
		if len(s.running) > 0 {
			return 0
		}
		if head := s.waiting.head; head != nil && s.waiting.n < p.MaxBatch && now < head.added+p.FillWait {
			return head.added + p.FillWait
		}
	}
	for q := s.waiting.head; q != nil && len(s.running) < p.MaxBatch && q.cellsMax() <= s.cells; q = s.waiting.head {
		s.waiting.remove(q)
		s.cells -= q.cellsMax()
		q.seq = s.seqs[len(s.seqs)-1]
		s.seqs = s.seqs[:len(s.seqs)-1]
		q.running = true
		s.running = append(s.running, q)
	}
	return 0
}

// planDecode adds one row for every sequence that is generating.
func (s *Scheduler) planDecode() {
	for _, q := range s.running {
		if q.output > 0 {
			s.addRow(q, q.last, true)
		}
	}
}

// planPrefill shares what is left of the step among prompts, oldest first.
func (s *Scheduler) planPrefill() {
	for _, q := range s.running {
		for q.promptLeft() > 0 && len(s.batch.Rows) < s.policy.StepTokens {
			if q.computed+q.planned == 0 {
				s.started = append(s.started, q.ID)
			}
			s.addRow(q, q.Prompt[q.computed+q.planned], q.promptLeft() == 1)
		}
	}
}

func (s *Scheduler) addRow(q *sequence, tok Token, output bool) {
	s.batch.Rows = append(s.batch.Rows, Row{
		Token: tok, Pos: int32(q.computed + q.planned), Seq: q.seq, Output: output, Sampling: q.Sampling,
	})
	if q.planned == 0 {
		s.members = append(s.members, q)
	}
	q.planned++
	if output {
		s.outputs = append(s.outputs, q)
	}
}

// Started lists the requests whose first row is in the batch in flight.
func (s *Scheduler) Started() []int { return s.started }

// Commit takes the result of the batch in flight: the tokens it gave, in row
// order. It returns the tokens of requests that are still live, valid until the
// next Commit. The caller ends requests by Remove.
func (s *Scheduler) Commit(tokens []Token) []Emission {
	if !s.inFlight || len(tokens) != len(s.outputs) {
		panic(fmt.Sprintf("engine: Commit of %d tokens for %d outputs (in flight: %t)", len(tokens), len(s.outputs), s.inFlight))
	}
	s.inFlight = false
	s.emitted = s.emitted[:0]
	s.settle()
	for i, q := range s.outputs {
		if !q.running {
			continue
		}
		q.output++
		q.last = tokens[i]
		s.emitted = append(s.emitted, Emission{ID: q.ID, Token: q.last, N: q.output, Last: q.output == q.MaxTokens})
	}
	return s.emitted
}

// settle counts the rows of the batch in flight as computed, and releases the
// sequences that were removed meanwhile.
func (s *Scheduler) settle() {
	for _, q := range s.members {
		q.computed, q.planned = q.computed+q.planned, 0
		if !q.running {
			s.release(q)
		}
	}
}
