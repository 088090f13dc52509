package engine

import (
	"container/heap"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

// AdmissionObserver is an Observer that also wants to know what the admission policy
// decided about its request. It is told in Submit, before anything else. What it is
// given is valid during the call, and it must not submit or cancel.
type AdmissionObserver interface {
	Decided(*admission.Request, *admission.Snapshot, *admission.Decision)
}

// guard is the engine's side of an admission policy: it shows the policy requests and
// the engine's state, and tells it what came of them. All that the policy sees of
// time counts from zero.
//
// Labels need no timer. A policy only acts when it is asked, so it is enough that
// deadlines which have passed are told, in their order and as of when they passed,
// before anything later is asked or told.
type guard struct {
	policy admission.Policy
	aborts bool
	sched  *Scheduler
	zero   time.Duration

	request   admission.Request  // that is asked about
	decision  admission.Decision // about it
	snap      admission.Snapshot
	line      line
	outcome   admission.Outcome
	due       dueHeap
	taken     map[int]*ticket // live requests
	arrivals  uint64
	turned    []turned
	stepFrom  time.Duration // start of the step in flight; -1 when there is none
	meanStep  mean
	meanToken mean
}

// ticket is a request that was taken.
type ticket struct {
	request  admission.Request
	decision admission.Decision
	order    uint64 // of arrival
	labelled bool
	violated bool
	ended    bool
	started  bool
	start    time.Duration
	output   int
}

// turned is a request that was turned away before its start.
type turned struct {
	id       int
	decision admission.Decision
}

func newGuard(p admission.Policy, s *Scheduler) *guard {
	a, ok := p.(admission.Aborter)
	return &guard{policy: p, aborts: ok && a.Aborts(), sched: s, taken: map[int]*ticket{}, stepFrom: -1}
}

// ask lets the policy decide about an arrival, tells the observer, and returns why it
// is not taken, if it is not.
func (g *guard) ask(r *Request, obs Observer, now time.Duration) error {
	if err := g.sched.servable(r); err != nil {
		return err
	}
	d := g.decide(r, obs, now)
	if !d.Admit {
		return &Refusal{Stage: OnArrival, Reason: d.Reason, RetryAfter: d.RetryAfter}
	}
	g.take(d)
	return nil
}

// decide is the policy's word on an arrival.
func (g *guard) decide(r *Request, obs Observer, now time.Duration) admission.Decision {
	g.expire(now)
	g.request = admission.Request{
		ID: r.ID, Class: r.Class, Arrived: now - r.Late - g.zero, Prompt: len(r.Prompt),
		Cached: g.sched.wouldHit(r.Prompt, len(r.Prompt)), MaxTokens: r.MaxTokens,
	}
	if r.Deadline > 0 {
		g.request.Deadline = r.Deadline - g.zero
	}
	snap := g.snapshot(nil, now)
	g.decision = g.policy.Decide(&g.request, snap)
	if o, ok := obs.(AdmissionObserver); ok {
		o.Decided(&g.request, snap, &g.decision)
	}
	return g.decision
}

// take notes the request at hand, which is about to enter the queue.
func (g *guard) take(d admission.Decision) {
	t := &ticket{request: g.request, decision: d, order: g.arrivals}
	g.arrivals++
	g.taken[t.request.ID] = t
	if t.request.Deadline > 0 {
		heap.Push(&g.due, t)
	}
}

// waits notes that a request waits, for the first time or again.
func (g *guard) waits(q *sequence) {
	if g != nil {
		g.line.add(q, g.waiting(q))
	}
}

// waitsNoMore notes that a request that waited has started or is gone.
func (g *guard) waitsNoMore(q *sequence) {
	if g != nil {
		g.line.remove(q)
	}
}

// mustClear says whether a request is to be asked about again before it starts: when it
// waited, and did not start before it was preempted.
func (g *guard) mustClear(q *sequence, now time.Duration) bool {
	return g != nil && !q.joined && now > q.added
}

// clears asks again about a request that is about to start.
func (g *guard) clears(q *sequence, now time.Duration) bool {
	g.expire(now)
	t := g.taken[q.ID]
	d := g.policy.Dequeue(&t.request, &t.decision, g.snapshot(q, now))
	if !d.Admit {
		g.turned = append(g.turned, turned{q.ID, d})
	}
	return d.Admit
}

// planned notes that a step begins.
func (g *guard) planned(now time.Duration) {
	if g != nil {
		g.stepFrom = now
	}
}

// emitted notes a token that is given out.
func (g *guard) emitted(id int) {
	if g != nil {
		g.taken[id].output++
	}
}

// started notes that the first row of a request is planned.
func (g *guard) started(id int, now time.Duration) {
	if g != nil {
		t := g.taken[id]
		t.started, t.start = true, now-g.zero
	}
}

// stepped tells of a step with rows, before what it gave is given out.
func (g *guard) stepped(end time.Duration, err error) {
	if g == nil {
		return
	}
	g.expire(end)
	from, s := g.stepFrom, g.sched
	g.stepFrom = -1
	if err != nil || len(s.batch.Rows) == 0 {
		return
	}
	st := admission.Step{
		Duration: end - from, Prefill: s.prefill, Decode: len(s.batch.Rows) - s.prefill,
		Seqs: len(s.members), At: end - g.zero,
	}
	for _, q := range s.members {
		st.Context += q.computed
	}
	for i := range s.batch.Ops {
		if s.batch.Ops[i].Kind == OpCopy {
			st.Copies++
		}
	}
	g.meanStep.add(st.Duration.Seconds())
	g.meanToken.add(float64(len(s.outputs)))
	g.policy.Stepped(st)
}

// hopeless lists, in the order in which they started, the running requests that are to
// be aborted.
func (g *guard) hopeless(now time.Duration) (ids []int) {
	g.expire(now)
	snap := g.snapshot(nil, now)
	for i, q := range g.sched.running {
		if t := g.taken[q.ID]; g.policy.Hopeless(&t.request, &snap.Batch[i], snap) {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// ended tells how a request ended: its label, unless it has one, and its end.
func (g *guard) ended(id int, err error, at time.Duration) {
	if g == nil {
		return
	}
	g.expire(at)
	t := g.taken[id]
	delete(g.taken, id)
	t.ended = true
	refusal, _ := err.(*Refusal)
	o := g.outcomeOf(t, at-g.zero)
	o.Finished = err == nil
	o.Dropped = refusal != nil && refusal.Stage == BeforeStart
	o.Aborted = refusal != nil && refusal.Stage == WhileRunning
	if !t.labelled {
		t.labelled, t.violated = true, err != nil
		o.Violated = t.violated
		g.policy.Labelled(o)
	}
	g.policy.Ended(o)
}

// expire labels the requests whose deadline passed before a time.
func (g *guard) expire(before time.Duration) {
	before -= g.zero
	for len(g.due) > 0 && g.due[0].request.Deadline < before {
		t := heap.Pop(&g.due).(*ticket)
		if t.ended {
			continue
		}
		t.labelled, t.violated = true, true
		g.policy.Labelled(g.outcomeOf(t, t.request.Deadline))
	}
}

func (g *guard) outcomeOf(t *ticket, at time.Duration) *admission.Outcome {
	g.outcome = admission.Outcome{
		Request: t.request, Decision: t.decision, At: at, Violated: t.violated,
		Output: t.output, Started: t.started, Waited: at - t.request.Arrived,
	}
	if t.started {
		g.outcome.Waited = t.start - t.request.Arrived
	}
	return &g.outcome
}
