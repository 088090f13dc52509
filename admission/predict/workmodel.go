package predict

import (
	"math"

	"github.com/cadence-bench/cadence-bench/admission"
)

const (
	// WorkMemory and ScarceMemory are over how many arrivals the means of their work and
	// of the share that does not fit reach, about, in policies that price work: the second
	// must follow a step of the load within a few seconds of it.
	WorkMemory   = 500
	ScarceMemory = 100
)

// WorkModel predicts by running the engine's future: what is in it, with the tokens
// that each is expected to give still, then the newcomer. What a step costs and how
// long answers are it learns as they come.
type WorkModel struct {
	env     admission.Env
	cost    stepCost
	lengths *lengths
	run     forecast

	// of the last Predict
	law     *lengthLaw
	limit   float64 // MaxTokens of the newcomer
	prompt  float64 // its rows
	context float64 // its cells in the mean of its life
	waited  float64 // seconds since its arrival
	inBatch int
}

// NewWorkModel returns a model that has seen nothing but what it was fitted on.
func NewWorkModel(env admission.Env) *WorkModel {
	m := &WorkModel{env: env, lengths: newLengths()}
	if env.Fitted != nil && env.Fitted.Work != nil {
		m.restore(env.Fitted.Work)
	}
	return m
}

// Stepped implements Predictor.
func (m *WorkModel) Stepped(st admission.Step) { m.cost.observe(&st) }

// Learn implements Predictor.
func (m *WorkModel) Learn(o *admission.Outcome, _ *Prediction) {
	if o.Finished || o.Output > 0 {
		m.lengths.learn(o.Request.Class, o.Output, o.Request.MaxTokens, o.Finished)
	}
}

// Predict implements Predictor.
func (m *WorkModel) Predict(r *admission.Request, s *admission.Snapshot, p *Prediction) bool {
	m.load(s)
	return m.newcomer(r, s, s.Queue, s.StepAge.Seconds(), math.Inf(1), p)
}

// Within is Predict that looks no further than so many seconds: of those who wait, the
// left that cannot have started by then are left out, and p is as if they were not
// there: less than Predict would give. behind is about how many seconds they take.
// left is 0 when p is what Predict gives.
func (m *WorkModel) Within(r *admission.Request, s *admission.Snapshot, horizon float64, p *Prediction) (left int, behind float64, known bool) {
	m.load(s)
	known = m.newcomer(r, s, s.Queue, s.StepAge.Seconds(), horizon, p)
	left = m.run.left
	if left > 0 {
		started := len(s.Queue) - left
		behind = float64(left) * m.run.cut / float64(max(started, 1))
	}
	return left, behind, known
}

// Alone fills in p for the same request on an idle engine.
func (m *WorkModel) Alone(r *admission.Request, s *admission.Snapshot, p *Prediction) bool {
	m.run.reset(&m.cost, s.MaxBatch, s.StepTokens)
	m.inBatch = 0
	return m.newcomer(r, s, nil, 0, math.Inf(1), p)
}

// load puts what runs into the forecast.
func (m *WorkModel) load(s *admission.Snapshot) {
	m.run.reset(&m.cost, s.MaxBatch, s.StepTokens)
	for i := range s.Batch {
		m.run.requests = append(m.run.requests, requestOf(&s.Batch[i], &m.lengths.all))
	}
	m.inBatch = len(s.Batch)
}

// newcomer puts r behind them and those who wait, runs the future and reads off when r
// ends by the length of its answer.
func (m *WorkModel) newcomer(r *admission.Request, s *admission.Snapshot, queue []admission.Work, age, until float64, p *Prediction) bool {
	m.law = m.lengths.of(r.Class)
	m.limit, m.prompt = float64(r.MaxTokens), float64(max(r.Fresh(), 1))
	m.context = float64(r.Prompt) + m.limit/4
	m.waited = (s.Now - r.Arrived).Seconds()
	own := request{prompt: m.prompt, context: float64(r.Cached), remain: m.limit}
	if r.Cached > 0 {
		own.copies = 1
	}
	m.run.behind(queue, &m.lengths.all, own, until)
	m.run.run(m.inBatch, age)
	m.read(p)
	return m.cost.known()
}

// read fills p: the step that gives token n of the newcomer is n − 1 after its first.
func (m *WorkModel) read(p *Prediction) {
	first := m.run.requests[len(m.run.requests)-1].first
	p.N, p.Spread = Knots, 0
	i := 0
	for k := range Knots {
		share := min((float64(k)+0.5)/lengthBins, 1)
		p.Length[k] = max(share*m.limit, 1)
		p.Weight[k] = m.law.alive[k] - m.law.alive[k+1]
		step := first + p.Length[k]
		for i < len(m.run.track) && m.run.track[i].steps < step {
			i++
		}
		p.E2E[k] = m.waited + m.run.between(m.run.track, i, step)
	}
	p.Spread = max(p.Estimate(), 1e-6)
}

// Exposure is asked right after Predict or Within of the same request and snapshot. margins
// are factors, ascending, by which the time left may turn out longer, equally
// likely. Of the open requests in the engine, those whose deadlines are to come, late
// are expected to miss them without the newcomer, and harm more with it. Those that
// Within left out are too late; no more than most of them are counted.
//
// Both futures are taken from the one that was run: the
// newcomer's rows are taken out of it, or left in as far as its answer is expected to
// last.
func (m *WorkModel) Exposure(s *admission.Snapshot, margins []float64, most int) (open int, late, harm float64) {
	own := &m.run.requests[len(m.run.requests)-1]
	row := m.cost.Cost[termDecode] + m.cost.Cost[termContext]*m.context/1000
	prompt := m.cost.Cost[termPrompt] * m.prompt
	for i := range len(m.run.requests) - 1 {
		w := workOf(s, i)
		left := (w.Deadline - s.Now).Seconds()
		if left <= 0 {
			continue
		}
		open++
		if left/margins[0] < m.run.requests[i].start { // it starts too late
			late += float64(len(margins))
			continue
		}
		for _, margin := range margins {
			without, with := m.meets(i, w, left/margin, own.first, row, prompt)
			late += 1 - without
			harm += without - with
		}
	}
	n := float64(len(margins))
	beyond := m.leftOpen(s, most)
	return open + beyond, late/n + float64(beyond), max(harm/n, 0)
}

// leftOpen is how many of those that Within left out have their deadlines to come, but no
// more than most. The latest to arrive are mostly at the end.
func (m *WorkModel) leftOpen(s *admission.Snapshot, most int) (n int) {
	for i := len(s.Queue) - 1; i >= len(s.Queue)-m.run.left && n < most; i-- {
		if s.Queue[i].Deadline > s.Now {
			n++
		}
	}
	return n
}

// workOf is request i of the engine, those in the batch first.
func workOf(s *admission.Snapshot, i int) *admission.Work {
	if i < len(s.Batch) {
		return &s.Batch[i]
	}
	return &s.Queue[i-len(s.Batch)]
}

// meets is the probability that request i of the engine ends within so many seconds,
// without the newcomer and with it.
func (m *WorkModel) meets(i int, w *admission.Work, seconds, from, row, prompt float64) (without, with float64) {
	law := &m.lengths.all
	share := float64(w.Output) / float64(w.MaxTokens)
	alive := max(law.survival(share), 1e-6)
	ends := func(steps float64) float64 {
		tokens := steps - m.run.requests[i].first
		if tokens < 1 {
			return 0
		}
		return 1 - law.survival(share+tokens/float64(w.MaxTokens))/alive
	}
	steps := m.run.done(seconds)
	if steps <= from { // over before the newcomer decodes; its prompt is counted from there
		without = ends(steps)
		return without, without
	}
	beside := steps - from
	without = ends(m.run.done(seconds + prompt + row*beside))
	expected := m.limit * (m.law.beyond[0] - m.law.tail(beside/m.limit))
	with = ends(m.run.done(seconds + row*max(beside-expected, 0)))
	return without, min(with, without)
}

// Work is how long the engine works for the request of the last Predict, in seconds,
// alone of its own.
func (m *WorkModel) Work() float64 {
	c := &m.cost.Cost
	tokens := m.limit * m.law.beyond[0]
	return c[termPrompt]*m.prompt + tokens*(c[termDecode]+c[termContext]*m.context/1000)
}
