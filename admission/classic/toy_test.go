package classic

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

// toy is an engine of a few slots in front of which a policy stands: a request holds
// its slot for as long as its answer, whatever else runs.
type toy struct {
	policy admission.Policy
	slots  int
	slo    time.Duration
	pace   time.Duration // per token

	now     time.Duration
	waiting []*toyRequest
	running []*toyRequest // by end
	due     []*toyRequest // by deadline
	nextID  int
	taken   []bool // of each arrival, in order
	dropped int
	late    int
	good    int

	snap admission.Snapshot
}

type toyRequest struct {
	admission.Request
	decision          admission.Decision
	output            int
	started, labelled bool
	start, end        time.Duration
}

func newToy(p admission.Policy) *toy {
	return &toy{policy: p, slots: toyEnv.MaxBatch, slo: toyEnv.SLO, pace: 10 * time.Millisecond}
}

// toyEnv is where the toy's policies are.
var toyEnv = admission.Env{SLO: 4 * time.Second, MaxBatch: 4, StepTokens: 64, Seed: 7}

// poisson offers arrivals at a rate for a time, with answers of 20 to 180 tokens: at
// 10 ms each, four slots serve 4 requests a second.
func (e *toy) poisson(rng *rand.Rand, rate float64, length time.Duration) {
	end := e.now + length
	for {
		at := e.now + time.Duration(rng.ExpFloat64()/rate*float64(time.Second))
		if at >= end {
			e.until(end)
			return
		}
		e.arrive(at, 20+rng.IntN(161))
	}
}

// arrive offers a request at a time.
func (e *toy) arrive(at time.Duration, output int) bool {
	e.until(at)
	q := &toyRequest{output: output, Request: admission.Request{
		ID: e.nextID, Class: "toy", Arrived: at, Deadline: at + e.slo, Prompt: 100, MaxTokens: 2 * output,
	}}
	e.nextID++
	q.decision = e.policy.Decide(&q.Request, e.snapshot())
	e.taken = append(e.taken, q.decision.Admit)
	if q.decision.Admit {
		e.waiting, e.due = append(e.waiting, q), append(e.due, q)
		e.start()
	}
	return q.decision.Admit
}

// start fills the slots.
func (e *toy) start() {
	for len(e.running) < e.slots && len(e.waiting) > 0 {
		q := e.waiting[0]
		e.waiting = e.waiting[1:]
		if e.now > q.Arrived && !e.policy.Dequeue(&q.Request, &q.decision, e.snapshot()).Admit {
			e.dropped++
			e.ended(q, true)
			continue
		}
		q.started, q.start = true, e.now
		q.end = e.now + time.Duration(q.output)*e.pace
		e.running = append(e.running, q)
		slices.SortStableFunc(e.running, func(a, b *toyRequest) int { return cmp.Compare(a.end, b.end) })
	}
}

// until lets time pass.
func (e *toy) until(t time.Duration) {
	for {
		ends := len(e.running) > 0 && e.running[0].end <= t
		if len(e.due) > 0 && e.due[0].Deadline <= t && (!ends || e.due[0].Deadline < e.running[0].end) {
			q := e.due[0]
			e.due = e.due[1:]
			e.now = q.Deadline
			e.label(q, true)
			continue
		}
		if !ends {
			e.now = t
			return
		}
		q := e.running[0]
		e.running, e.now = e.running[1:], q.end
		e.ended(q, false)
		e.start()
	}
}

func (e *toy) ended(q *toyRequest, dropped bool) {
	e.due = slices.DeleteFunc(e.due, func(o *toyRequest) bool { return o == q })
	e.label(q, dropped)
	o := e.outcome(q, dropped || e.now > q.Deadline)
	o.Dropped, o.Finished = dropped, !dropped
	e.policy.Ended(o)
}

func (e *toy) label(q *toyRequest, violated bool) {
	if q.labelled {
		return
	}
	q.labelled = true
	if violated {
		e.late++
	} else {
		e.good++
	}
	e.policy.Labelled(e.outcome(q, violated))
}

func (e *toy) outcome(q *toyRequest, violated bool) *admission.Outcome {
	o := &admission.Outcome{
		Request: q.Request, Decision: q.decision, At: e.now, Violated: violated, Started: q.started,
		Waited: e.now - q.Arrived, Output: q.output,
	}
	if q.started {
		o.Waited = q.start - q.Arrived
	}
	return o
}

func (e *toy) snapshot() *admission.Snapshot {
	s := &e.snap
	*s = admission.Snapshot{
		Now: e.now, FreeKV: 1, MaxBatch: e.slots, StepTokens: toyEnv.StepTokens, StepTime: e.pace,
		Queue: s.Queue[:0], Batch: s.Batch[:0],
	}
	for _, q := range e.waiting {
		s.Queue = append(s.Queue, admission.Work{Prefill: q.Prompt, MaxTokens: q.MaxTokens, Arrived: q.Arrived, Deadline: q.Deadline})
	}
	for _, q := range e.running {
		s.Batch = append(s.Batch, admission.Work{Output: int((e.now - q.start) / e.pace), MaxTokens: q.MaxTokens, Arrived: q.Arrived, Deadline: q.Deadline})
	}
	return s
}
