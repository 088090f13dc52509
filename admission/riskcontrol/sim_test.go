package riskcontrol

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

// world is a small continuous-batching server in virtual time: enough of an engine to
// see what a policy does to a queue.
type world struct {
	policy     admission.Policy
	slo        time.Duration
	maxBatch   int
	stepTokens int
	cost       func(st *admission.Step) float64 // seconds
	noise      *rand.Rand

	now, stepAt, stepEnd time.Duration
	stepping             bool
	lastStep             admission.Step
	queue, batch         []*served
	open                 []*served // unlabelled, by deadline
	snap                 admission.Snapshot
	chunk                map[*served]int
	all                  []served
	onDecide             func(r *admission.Request, s *admission.Snapshot, d admission.Decision)
}

// served is a request of the test, with the length that the policy may not see.
type served struct {
	admission.Request
	output   int
	decision admission.Decision
	prefill  int
	given    int
	started  bool
	startAt  time.Duration
	labelled bool
	violated bool
	finished bool
	dropped  bool
	end      time.Duration
}

// workload draws requests like the shared-prompt mix: 70% of the prompts are nearly all
// cached, lengths asked for are lognormal, and answers have a Beta(2, 3) share of them or
// run into the limit.
func workload(seed uint64, at []time.Duration, slo time.Duration) []served {
	r := rand.New(rand.NewPCG(seed, 1))
	all := make([]served, len(at))
	for i := range all {
		q := admission.Request{ID: i, Class: "unique", Arrived: at[i], Deadline: at[i] + slo, Prompt: 500 + r.IntN(150)}
		if r.Float64() < 0.7 {
			q.Class, q.Cached = "shared", q.Prompt/16*16-32
		}
		q.MaxTokens = int(min(max(math.Round(math.Exp(4.6+0.8*r.NormFloat64())), 16), 512))
		u := [4]float64{r.Float64(), r.Float64(), r.Float64(), r.Float64()}
		lo, mid := math.Inf(1), math.Inf(1)
		for _, x := range u {
			if x < lo {
				lo, mid = x, lo
			} else {
				mid = min(mid, x)
			}
		}
		out := q.MaxTokens
		if r.Float64() >= 0.2 {
			out = max(1, int(float64(q.MaxTokens)*mid))
		}
		all[i] = served{Request: q, output: out}
	}
	return all
}

// poisson draws arrival times in [from, to) at a rate per second.
func poisson(r *rand.Rand, rate float64, from, to time.Duration) []time.Duration {
	var at []time.Duration
	for t := from; ; {
		t += time.Duration(r.ExpFloat64() / rate * 1e9)
		if t >= to {
			return at
		}
		at = append(at, t)
	}
}

// smallEngine is about what the calibration of the 27M model on two threads says.
func smallEngine(st *admission.Step) float64 {
	rows := st.Prefill + st.Decode
	t := 0.5e-3 + 1.7e-3*min(float64(rows), 4)/4 + 0.75e-3*float64(st.Decode) + 0.5e-3*float64(st.Prefill) +
		0.3e-6*float64(st.Context) + 0.8e-3*float64(st.Copies)
	if st.Prefill > 0 {
		t += 1e-3
	}
	return t
}

func newWorld(p admission.Policy, slo time.Duration, seed uint64) *world {
	return &world{
		policy: p, slo: slo, maxBatch: 24, stepTokens: 512, cost: smallEngine,
		noise: rand.New(rand.NewPCG(seed, 2)), chunk: map[*served]int{},
	}
}

// run serves all to the end and returns what became of them.
func (w *world) run(all []served) []served {
	w.all = all
	for i := 0; i < len(all) || w.stepping; {
		next := time.Duration(math.MaxInt64)
		if i < len(all) {
			next = all[i].Arrived
		}
		if w.stepping && w.stepEnd <= next {
			w.advance(w.stepEnd)
			w.endStep()
			continue
		}
		w.advance(next)
		w.arrive(&all[i])
		i++
	}
	return all
}

// advance labels whose deadlines pass.
func (w *world) advance(to time.Duration) {
	for len(w.open) > 0 && w.open[0].Deadline < to {
		q := w.open[0]
		w.open = w.open[1:]
		if !q.labelled {
			w.label(q, q.Deadline, true)
		}
	}
	w.now = to
}

func (w *world) label(q *served, at time.Duration, violated bool) {
	q.labelled, q.violated = true, violated
	w.policy.Labelled(w.outcome(q, at))
}

func (w *world) outcome(q *served, at time.Duration) *admission.Outcome {
	return &admission.Outcome{
		Request: q.Request, Decision: q.decision, At: at, Violated: q.violated, Dropped: q.dropped,
		Finished: q.finished, Output: q.given, Started: q.started, Waited: q.startAt - q.Arrived,
	}
}

func (w *world) snapshot() *admission.Snapshot {
	s := &w.snap
	s.Now, s.MaxBatch, s.StepTokens, s.FreeKV = w.now, w.maxBatch, w.stepTokens, 1
	s.Queue, s.Batch = s.Queue[:0], s.Batch[:0]
	for _, q := range w.queue {
		s.Queue = append(s.Queue, q.work())
	}
	for _, q := range w.batch {
		s.Batch = append(s.Batch, q.work())
	}
	s.StepAge = 0
	if w.stepping {
		s.StepAge = w.now - w.stepAt
	}
	return s
}

func (q *served) work() admission.Work {
	return admission.Work{
		Prefill: q.prefill, Context: q.Prompt - q.prefill + q.given, Output: q.given,
		MaxTokens: q.MaxTokens, Arrived: q.Arrived, Deadline: q.Deadline,
	}
}

func (w *world) arrive(q *served) {
	s := w.snapshot()
	q.decision = w.policy.Decide(&q.Request, s)
	if w.onDecide != nil {
		w.onDecide(&q.Request, s, q.decision)
	}
	if !q.decision.Admit {
		return
	}
	q.prefill = max(q.Fresh(), 1)
	w.queue = append(w.queue, q)
	w.open = append(w.open, q)
	w.startStep()
}

func (w *world) startStep() {
	if w.stepping {
		return
	}
	for len(w.batch) < w.maxBatch && len(w.queue) > 0 {
		q := w.queue[0]
		w.queue = w.queue[1:]
		if w.now > q.Arrived {
			if d := w.policy.Dequeue(&q.Request, &q.decision, w.snapshot()); !d.Admit {
				q.dropped = true
				w.finish(q)
				continue
			}
		}
		q.started, q.startAt = true, w.now
		w.batch = append(w.batch, q)
	}
	if len(w.batch) == 0 {
		return
	}
	st := admission.Step{}
	clear(w.chunk)
	for _, q := range w.batch {
		if q.prefill == 0 {
			st.Decode++
			st.Seqs++
			st.Context += q.Prompt + q.given
		}
	}
	for _, q := range w.batch {
		if n := min(q.prefill, w.stepTokens-st.Decode-st.Prefill); n > 0 {
			if q.Cached > 0 && q.prefill == q.Fresh() {
				st.Copies++
			}
			w.chunk[q] = n
			st.Prefill += n
			st.Seqs++
			st.Context += q.Prompt - q.prefill + n
		}
	}
	d := time.Duration(w.cost(&st) * math.Exp(0.08*w.noise.NormFloat64()) * 1e9)
	w.stepping, w.stepAt, w.stepEnd = true, w.now, w.now+d
	st.Duration, st.At = d, w.now+d
	w.snap.StepTime = d
	w.lastStep = st
}

func (w *world) endStep() {
	w.stepping = false
	var stay []*served
	w.policy.Stepped(w.lastStep)
	for _, q := range w.batch {
		was := q.prefill
		if q.prefill > 0 {
			q.prefill -= w.chunk[q]
		}
		if q.prefill == 0 && (was == 0 || w.chunk[q] > 0) {
			q.given++
		}
		if q.given >= q.output {
			q.finished = true
			w.finish(q)
			continue
		}
		if w.policy.Hopeless(&q.Request, ptr(q.work()), &w.snap) {
			w.finish(q)
			continue
		}
		stay = append(stay, q)
	}
	w.batch = stay
	w.startStep()
}

func ptr[T any](v T) *T { return &v }

func (w *world) finish(q *served) {
	q.end = w.now
	if !q.labelled {
		w.label(q, w.now, !q.finished || w.now > q.Deadline)
	}
	w.policy.Ended(w.outcome(q, w.now))
}

// tally sums up what became of the requests that arrived in [from, to).
type tally struct {
	arrived, admitted, promised, violated, good int
	p99                                         float64 // E2E over SLO, of the promised
	worst                                       float64 // lowest share in time of any window of promised ones
}

func sumUp(all []served, from, to time.Duration, window int) tally {
	t := tally{worst: 1}
	var e2e []float64
	var ok []bool
	for i := range all {
		q := &all[i]
		if q.Arrived < from || q.Arrived >= to {
			continue
		}
		t.arrived++
		if !q.decision.Admit {
			continue
		}
		t.admitted++
		if !q.violated {
			t.good++
		}
		if q.decision.Forced {
			continue
		}
		t.promised++
		if q.violated {
			t.violated++
		}
		ok = append(ok, !q.violated)
		e2e = append(e2e, (q.end-q.Arrived).Seconds()/(q.Deadline-q.Arrived).Seconds())
	}
	for i := window; i <= len(ok); i++ {
		n := 0
		for _, x := range ok[i-window : i] {
			if x {
				n++
			}
		}
		t.worst = min(t.worst, float64(n)/float64(window))
	}
	t.p99 = quantileOf(e2e, 0.99)
	return t
}

func quantileOf(x []float64, p float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Clone(x)
	slices.Sort(x)
	return x[min(int(p*float64(len(x))), len(x)-1)]
}
