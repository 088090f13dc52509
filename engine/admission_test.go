package engine

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/kv"
)

var admissionStates = []string{
	"refused", "taken", "asked again", "dropped", "aborted", "label at the deadline", "label at the end", "kept its SLO", "finished late",
	"cancelled", "never fits", "preempted in the queue", "held in the queue", "a step in flight", "cached", "floors", "no slot", "chunked prefill",
}

// TestAdmission: whatever a policy decides on whatever load, it is asked once about each
// request that could be served, with the engine's state as it is recounted from
// scratch; each request that it took is labelled once, then ended once, and each that it
// did not take neither; and times never run backwards.
func TestAdmission(t *testing.T) { random(t, 5, 900, admit, admissionStates...) }

func FuzzAdmission(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) <= 4096 {
			admit(&prog{data: data, t: t, seen: reached{}})
		}
	})
}

func admit(p *prog) {
	shed, drop, kill := p.pick(6), p.pick(6), p.pick(6)
	a := &arbiter{server: newServer(p), shed: shed, drop: drop, kill: kill, asked: map[int]int{}, cases: map[int]*verdict{}}
	a.cfg.Admission = a
	var err error
	a.eng, err = New(a.clk, a.backend, a.cfg)
	require.NoError(p.t, err)
	at := time.Duration(0)
	for !p.done() && len(a.reqs) < 60 {
		if p.pick(3) > 0 {
			at += time.Duration(p.pick(16)) * 500 * time.Microsecond
		}
		a.arrive(at)
	}
	require.ErrorIs(p.t, a.clk.Run(p.t.Context()), clock.ErrIdle)
	require.NoError(p.t, a.eng.Err())
	require.True(p.t, a.eng.Idle())
	for id := range a.reqs {
		a.settle(id)
	}
	g := a.eng.guard
	require.Empty(p.t, g.taken)
	require.Empty(p.t, g.line.waiting)
	require.Empty(p.t, g.line.works)
}

// arbiter is a policy that decides by the hash of all that it is shown, and that holds
// what it is shown against a recount.
type arbiter struct {
	*server
	shed, drop, kill int // of 16
	asked            map[int]int
	cases            map[int]*verdict
	last             time.Duration
	log              []shown
	sum              uint64
}

// shown is when an arbiter was asked or told something, and the hash of all that it was
// shown up to then.
type shown struct {
	at  time.Duration
	sum uint64
}

// verdict is what an arbiter knows of a request that it took.
type verdict struct {
	request           admission.Request
	decision          admission.Decision
	again             int
	labels, ends      int
	label             admission.Outcome
	dropped, hopeless bool
	fresh             int
}

func (a *arbiter) Aborts() bool { return a.kill > 0 }

// at checks that time does not run backwards.
func (a *arbiter) at(now time.Duration) {
	require.GreaterOrEqual(a.t, now, a.last)
	a.last = now
}

// draw mixes what is shown into all that was shown before, and returns 0 … 15.
func (a *arbiter) draw(words ...int) int {
	for _, w := range words {
		a.sum = (a.sum ^ uint64(w)) * 0x9e3779b97f4a7c15
		a.sum ^= a.sum >> 29
	}
	a.log = append(a.log, shown{a.last, a.sum})
	return int(a.sum >> 60)
}

func wordsOf(r *admission.Request, s *admission.Snapshot) []int {
	words := []int{r.ID, len(r.Class), int(r.Arrived), int(r.Deadline), r.Prompt, r.Cached, r.MaxTokens,
		int(s.Now), int(s.FreeKV * 1e9), int(s.StepTime), int(s.TokenRate * 1e6), int(s.StepAge), len(s.Queue)}
	for _, w := range slices.Concat(s.Queue, s.Batch) {
		words = append(words, w.Prefill, w.Context, w.Output, w.MaxTokens, int(w.Arrived), int(w.Deadline))
	}
	return words
}

func wordsOfOutcome(o *admission.Outcome) []int {
	words := []int{o.Request.ID, int(o.At), o.Output, int(o.Waited)}
	for _, flag := range []bool{o.Violated, o.Dropped, o.Aborted, o.Finished, o.Started} {
		words = append(words, len(fmt.Sprint(flag)))
	}
	return words
}

func (a *arbiter) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	a.at(s.Now)
	a.asked[r.ID]++
	a.matches(s, -1)
	req := a.reqs[r.ID]
	require.Equal(a.t, admission.Request{ID: r.ID, Class: req.Class, Arrived: a.clk.Now(), Deadline: req.Deadline,
		Prompt: len(req.Prompt), Cached: r.Cached, MaxTokens: req.MaxTokens}, *r)
	cached := 0
	if s, ok := a.eng.sched.cache.(kv.Sharer); ok {
		cached = s.Probe(req.Prompt)
	}
	require.Equal(a.t, cached, r.Cached)
	a.see("cached", r.Cached > 0)
	a.see("a step in flight", s.StepAge > 0)
	d := admission.Decision{Admit: a.draw(wordsOf(r, s)...) >= a.shed, Reason: admission.Overloaded, RetryAfter: time.Duration(r.ID + 1), Value: [4]float64{float64(r.ID)}}
	a.see("refused", !d.Admit)
	if d.Admit {
		a.see("taken", true)
		a.cases[r.ID] = &verdict{request: *r, decision: d, fresh: r.Fresh()}
	}
	return d
}

func (a *arbiter) Dequeue(r *admission.Request, d *admission.Decision, s *admission.Snapshot) admission.Decision {
	a.at(s.Now)
	c := a.cases[r.ID]
	a.matches(s, r.ID)
	require.Equal(a.t, c.request, *r)
	require.Equal(a.t, c.decision, *d)
	require.Greater(a.t, s.Now, r.Arrived)
	require.Zero(a.t, c.again, "it is asked once")
	require.Zero(a.t, a.lives[r.ID].starts)
	c.again++
	a.see("asked again", true)
	c.dropped = a.draw(wordsOf(r, s)...) < a.drop
	return admission.Decision{Admit: !c.dropped, Reason: admission.Expired}
}

func (a *arbiter) Hopeless(r *admission.Request, w *admission.Work, s *admission.Snapshot) bool {
	require.Positive(a.t, a.kill)
	a.at(s.Now)
	require.Contains(a.t, s.Batch, *w)
	require.Equal(a.t, a.cases[r.ID].request, *r)
	require.Equal(a.t, len(a.lives[r.ID].tokens), w.Output)
	c := a.cases[r.ID]
	c.hopeless = a.draw(wordsOf(r, s)...) < a.kill-1
	return c.hopeless
}

func (a *arbiter) Stepped(st admission.Step) {
	a.at(st.At)
	require.Positive(a.t, st.Duration)
	require.Positive(a.t, st.Seqs)
	require.Positive(a.t, st.Prefill+st.Decode)
	a.draw(int(st.Duration), st.Prefill, st.Decode, st.Seqs, st.Context, st.Copies, int(st.At))
}

func (a *arbiter) Labelled(o *admission.Outcome) {
	a.at(o.At)
	c := a.told(o)
	require.Zero(a.t, c.labels+c.ends)
	c.labels++
	c.label = *o
	a.see("label at the deadline", a.lives[o.Request.ID].ended == 0 && o.At == o.Request.Deadline && o.Violated)
	a.draw(wordsOfOutcome(o)...)
}

func (a *arbiter) Ended(o *admission.Outcome) {
	a.at(o.At)
	c := a.told(o)
	require.Equal(a.t, 1, c.labels)
	require.Zero(a.t, c.ends)
	c.ends++
	require.Equal(a.t, c.label.Violated, o.Violated)
	require.Equal(a.t, c.dropped, o.Dropped)
	require.True(a.t, !o.Aborted || c.hopeless)
	if o.Finished {
		require.Equal(a.t, o.Violated, o.Request.Deadline > 0 && o.At > o.Request.Deadline)
	} else {
		require.True(a.t, o.Violated)
	}
	a.see("label at the end", c.label == *o)
	a.see("kept its SLO", !o.Violated)
	a.see("finished late", o.Finished && o.Violated)
	a.draw(wordsOfOutcome(o)...)
}

// told checks what an outcome repeats.
func (a *arbiter) told(o *admission.Outcome) *verdict {
	c, lf := a.cases[o.Request.ID], a.lives[o.Request.ID]
	require.NotNil(a.t, c, "request %d was not taken", o.Request.ID)
	require.Equal(a.t, c.request, o.Request)
	require.Equal(a.t, c.decision, o.Decision)
	require.Equal(a.t, len(lf.tokens), o.Output)
	require.Equal(a.t, lf.starts > 0, o.Started)
	if o.Started {
		require.Equal(a.t, lf.started-o.Request.Arrived, o.Waited)
	} else {
		require.Equal(a.t, o.E2E(), o.Waited)
	}
	return c
}

// matches recounts a snapshot from the scheduler's live requests.
func (a *arbiter) matches(s *admission.Snapshot, without int) {
	sched := a.eng.sched
	var waiting []*sequence
	for _, q := range sched.live {
		if q.in != nil && q.ID != without {
			waiting = append(waiting, q)
		}
	}
	slices.SortFunc(waiting, func(p, q *sequence) int {
		if p.key != q.key {
			return int(min(max(p.key-q.key, -1), 1))
		}
		return int(p.order) - int(q.order)
	})
	require.Len(a.t, s.Queue, len(waiting))
	for i, q := range waiting {
		want := admission.Work{ID: q.ID, Prefill: a.cases[q.ID].fresh, Output: q.output, MaxTokens: q.MaxTokens, Arrived: q.added, Deadline: q.Deadline}
		if q.joined {
			require.Positive(a.t, s.Queue[i].Prefill)
			require.LessOrEqual(a.t, s.Queue[i].Prefill, len(q.tokens))
			want.Prefill = s.Queue[i].Prefill
			a.see("preempted in the queue", true)
		}
		require.Equal(a.t, want, s.Queue[i])
		a.see("held in the queue", q.in == &sched.held)
		a.see("floors", q.floor >= 0)
	}
	require.Len(a.t, s.Batch, len(sched.running))
	for i, q := range sched.running {
		prefill := 0
		if q.prefilling() {
			prefill = q.target - q.computed
		}
		require.Equal(a.t, admission.Work{ID: q.ID, Prefill: prefill, Context: q.computed, Output: q.output, MaxTokens: q.MaxTokens, Arrived: q.added, Deadline: q.Deadline}, s.Batch[i])
	}
	st := sched.cache.Stats()
	require.InDelta(a.t, max(0, float64(st.Free+st.Cached-st.Promised)/float64(st.Blocks)), s.FreeKV, 1e-12)
	require.Equal(a.t, []int{sched.policy.MaxBatch, sched.policy.StepTokens}, []int{s.MaxBatch, s.StepTokens})
	require.GreaterOrEqual(a.t, s.StepAge, time.Duration(0))
	require.True(a.t, s.StepAge == 0 || a.eng.stepping)
}

// settle checks what came of a request when all is over.
func (a *arbiter) settle(id int) {
	t, lf, c := a.t, a.lives[id], a.cases[id]
	require.Equal(t, 1, lf.ended)
	var refusal *Refusal
	switch {
	case errors.Is(lf.err, ErrNeverFits):
		a.see("never fits", true)
		require.Zero(t, a.asked[id])
		return
	case errors.As(lf.err, &refusal):
		require.ErrorIs(t, lf.err, ErrShed)
		require.Equal(t, refusal.Stage == OnArrival, c == nil)
		a.see("dropped", refusal.Stage == BeforeStart)
		a.see("aborted", refusal.Stage == WhileRunning)
		require.True(t, refusal.Stage == WhileRunning || lf.starts == 0)
		require.True(t, refusal.Stage != OnArrival || refusal.RetryAfter == time.Duration(id+1) && refusal.Reason == admission.Overloaded)
	case errors.Is(lf.err, ErrCancelled):
		a.see("cancelled", true)
		require.True(t, a.gone[id])
	case lf.err != nil:
		a.see("no slot", errors.Is(lf.err, ErrNoSlot))
	default:
		require.Equal(t, solo(a.reqs[id], len(lf.tokens)), lf.tokens)
	}
	require.Equal(t, 1, a.asked[id])
	if c != nil {
		require.Equal(t, []int{1, 1}, []int{c.labels, c.ends}, "request %d", id)
	}
}

// TestOpenAdmissionChangesNothing: a policy that takes everything leaves every step, and
// so every decision of the scheduler, as it is without one.
func TestOpenAdmissionChangesNothing(t *testing.T) {
	random(t, 6, 250, func(p *prog) {
		data := slices.Clone(p.data)
		var traces [2][]string
		for i, policy := range []admission.Policy{nil, admission.Base{}} {
			s := newServer(&prog{data: slices.Clone(data), t: p.t, seen: p.seen})
			s.cfg.Admission = policy
			check := s.cfg.OnStep
			s.cfg.OnStep = func(info *StepInfo) {
				check(info)
				traces[i] = append(traces[i], fmt.Sprintf("%+v", *info))
			}
			var err error
			s.eng, err = New(s.clk, s.backend, s.cfg)
			require.NoError(p.t, err)
			at := time.Duration(0)
			for !s.done() && len(s.reqs) < 60 {
				at += time.Duration(s.pick(6)) * time.Millisecond
				s.arrive(at)
			}
			require.ErrorIs(p.t, s.clk.Run(p.t.Context()), clock.ErrIdle)
			for id := range s.reqs {
				s.verify(id)
			}
		}
		require.Equal(p.t, traces[0], traces[1])
	}, "step")
}

// TestAdmissionCannotSeeLengths: until the first answer ends whose length differs,
// nothing that a policy is shown differs, so no decision can.
func TestAdmissionCannotSeeLengths(t *testing.T) {
	random(t, 7, 250, func(p *prog) {
		data := slices.Clone(p.data)
		var runs [2]*arbiter
		for i := range runs {
			q := &prog{data: slices.Clone(data), t: p.t, seen: p.seen}
			a := &arbiter{server: newServer(q), shed: 3, drop: 3, asked: map[int]int{}, cases: map[int]*verdict{}}
			a.cfg.Admission = a
			var err error
			a.eng, err = New(a.clk, a.backend, a.cfg)
			require.NoError(p.t, err)
			at := time.Duration(0)
			for !q.done() && len(a.reqs) < 40 {
				at += time.Duration(q.pick(6)) * time.Millisecond
				id := len(a.reqs)
				r := Request{ID: id, Prompt: a.prompt(), MaxTokens: 2 + q.pick(20), Deadline: at + time.Duration(q.pick(90))*time.Millisecond}
				short := 1 + q.pick(r.MaxTokens)
				long := short + q.pick(r.MaxTokens-short+1)
				lf := &life{}
				a.reqs, a.stops, a.lives, a.gone = append(a.reqs, r), append(a.stops, []int{short, long}[i]), append(a.lives, lf), append(a.gone, false)
				a.clk.At(at, func() { a.eng.Submit(r, func(_ Token, n int) bool { return n == a.stops[id] }, lf) })
			}
			require.ErrorIs(p.t, a.clk.Run(p.t.Context()), clock.ErrIdle)
			runs[i] = a
		}
		first := time.Duration(1 << 62)
		for id, lf := range runs[0].lives {
			if runs[0].stops[id] != runs[1].stops[id] && lf.err == nil {
				first = min(first, lf.endedAt)
			}
		}
		until := func(a *arbiter) []shown {
			return slices.DeleteFunc(slices.Clone(a.log), func(e shown) bool { return e.at >= first })
		}
		require.Equal(p.t, until(runs[0]), until(runs[1]))
		p.see("lengths that mattered", !slices.Equal(runs[0].log, runs[1].log) && len(until(runs[0])) > 5)
	}, "lengths that mattered")
}
