package engine

import (
	"time"

	"github.com/cadence-bench/cadence-bench/kv"
)

// StepInfo describes one step. Counts of requests and of the cache are as they were
// when its tokens had been given out.
type StepInfo struct {
	Index      int64         // from 0; steps that the backend refused count too
	Start, End time.Duration // on the engine's clock
	// Committed is when the loop took the result, at or after End. What was decided
	// next, the next step's plan included, was decided then.
	Committed time.Duration
	Model     time.Duration // inside the forward pass
	Host      time.Duration // the rest of the backend's time
	// Loop is the rest of the time since the last step's end or, when this one did not
	// follow at once, since Start: commit, plan and hand-over. 0 in virtual time.
	Loop time.Duration
	// Err is ErrNoSlot when the backend had no room: then no row was computed.
	Err error

	Rows    int // Prefill + Decode
	Prefill int // rows of prompts, and of output computed again after a preemption
	Decode  int // rows of output
	Outputs int // rows that gave a token
	Seqs    int // sequences with rows
	Copies  int // of sequences, before the rows
	Removes int // of sequences or their tails, before the rows

	Waiting int // Held included
	Held    int // back for a prefix that another computes
	Running int
	KV      kv.Stats
	Use     CellUse
	Evicted uint64 // cached tokens given up since the step before

	Evictions []kv.Eviction // what they were, in order
	Joined    []Join
	Preempted []Preemption
	Ended     []Ending // since the step before, in order; not those refused by Submit
}

// Ending is a request that ended.
type Ending struct {
	ID  int
	Err error // nil when it reached its stop or its token limit
}

// tracer assembles a StepInfo. It does nothing when there is nobody to tell.
type tracer struct {
	tell      func(*StepInfo)
	info      StepInfo
	since     time.Duration // what Loop counts from
	next      int64
	evicted   uint64
	evictions []kv.Eviction
	endings   []Ending
}

func (t *tracer) planned(s *Scheduler, start, lastEnd time.Duration) {
	if t.tell == nil {
		return
	}
	if t.since = start; lastEnd >= 0 {
		t.since = lastEnd
	}
	t.info = StepInfo{
		Index: t.next, Start: start,
		Rows: len(s.batch.Rows), Prefill: s.prefill, Decode: len(s.batch.Rows) - s.prefill,
		Outputs: len(s.outputs), Seqs: len(s.members),
	}
	for i := range s.batch.Ops {
		if s.batch.Ops[i].Kind == OpCopy {
			t.info.Copies++
		} else {
			t.info.Removes++
		}
	}
	t.next++
}

func (t *tracer) ended(id int, err error) {
	if t.tell != nil {
		t.endings = append(t.endings, Ending{id, err})
	}
}

func (t *tracer) stepped(e *Engine, end time.Duration) {
	if t.tell == nil {
		return
	}
	s, i := e.sched, &t.info
	i.End, i.Committed = end, e.clk.Now()
	i.Model, i.Host, i.Err = e.result.Model, e.result.Host, e.stepErr
	if e.result.Modelled == 0 {
		i.Loop = end - t.since - i.Model - i.Host
	}
	i.Waiting, i.Held, i.Running = s.Waiting(), s.Held(), s.Running()
	i.Joined, i.Preempted, i.Ended = s.joins, s.preempted, t.endings
	i.KV = s.cache.Stats()
	i.Evicted, t.evicted = i.KV.Evicted-t.evicted, i.KV.Evicted
	t.evictions = t.evictions[:0]
	if s.share != nil {
		t.evictions = s.share.Evictions(t.evictions)
	}
	i.Use, i.Evictions = e.result.Use, t.evictions
	t.tell(i)
	t.endings = t.endings[:0]
}
