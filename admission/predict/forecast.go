package predict

import (
	"sort"

	"github.com/cadence-bench/cadence-bench/admission"
)

// forecast runs the engine's future in the mean, as it would be if nobody came after
// the newcomer: continuous batching, first come first served, decoding rows first and
// prompts in chunks behind them. Steps with prompt rows are run one by one, those
// without in one go until the next sequence is expected to end, so a forecast takes
// as long as there are requests, not steps. Its memory is kept for the next.
//
// It is what makes more work ahead look later and never sooner: every step costs more
// with more in it, and nobody overtakes.
type forecast struct {
	cost           *stepCost
	maxBatch, rows int
	requests       []request // in the order of their start; the newcomer is the last
	ends           []left    // who decodes, by the step at which each is expected to end
	prompts        []int     // who prefills, by index, from head on
	head           int
	steps, at      float64 // done so far
	context        float64 // of those who decode
	prefilled      float64 // tokens that those who prefill hold
	track          []point // where the run has been
	next           int     // the next request to start

	// Who waits and is not among them yet. When the next could start only after until, the
	// run goes on with own alone, at cut, and what is left of the line is not looked at.
	line       []admission.Work
	lengths    *lengthLaw
	own        request
	ownWaits   bool
	until, cut float64
	left       int
}

// request is a request in the engine as the forecast needs it.
type request struct {
	prompt  float64 // tokens to compute before it decodes
	context float64 // tokens that its cells hold at the start
	copies  float64
	remain  float64 // tokens that it is expected to give still
	first   float64 // the step that gives its next token, from 0; found by the run
	start   float64 // seconds from now until it is in the batch and computed; likewise
}

// left is a sequence that decodes.
type left struct {
	end     float64 // the step at which it ends
	context float64 // tokens, less the step at which they were counted
}

// point is a moment of the run: after so many steps, so many seconds have passed.
type point struct{ steps, at float64 }

// reset empties the forecast.
func (f *forecast) reset(cost *stepCost, maxBatch, rows int) {
	f.cost, f.maxBatch, f.rows = cost, max(maxBatch, 1), max(rows, 1)
	f.requests, f.ends, f.prompts, f.track = f.requests[:0], f.ends[:0], f.prompts[:0], f.track[:0]
	f.head, f.next, f.steps, f.at, f.context, f.prefilled = 0, 0, 0, 0, 0, 0
	f.track = append(f.track, point{})
	f.line, f.ownWaits, f.left = nil, false, 0
}

// behind puts a newcomer behind a line. until is math.Inf(1) for all of it.
func (f *forecast) behind(line []admission.Work, lengths *lengthLaw, own request, until float64) {
	f.line, f.lengths, f.own, f.ownWaits, f.until = line, lengths, own, true, until
}

// more says whether a request is there to be started.
func (f *forecast) more() bool {
	if f.next < len(f.requests) {
		return true
	}
	if len(f.line) > 0 && f.at > f.until {
		f.cut, f.left, f.line = f.at, len(f.line), nil
	}
	switch {
	case len(f.line) > 0:
		f.requests = append(f.requests, requestOf(&f.line[0], f.lengths))
		f.line = f.line[1:]
	case f.ownWaits:
		f.requests, f.ownWaits = append(f.requests, f.own), false
	default:
		return false
	}
	return true
}

// requestOf is the work of a request that was taken, with an answer of expected length.
func requestOf(w *admission.Work, lengths *lengthLaw) request {
	return request{prompt: float64(w.Prefill), context: float64(w.Context), remain: lengths.remaining(w.Output, w.MaxTokens)}
}

// run runs to the end of all requests. running is how many of them are in the batch
// already. While a step is in flight nobody can join: a newcomer then misses the
// first step, which has been running for age seconds.
func (f *forecast) run(running int, age float64) {
	for f.next < min(running, len(f.requests)) {
		f.start()
	}
	if age > 0 && f.busy() > 0 {
		f.step()
		// What is left of the step in flight; one that lasts longer than expected is
		// about to end.
		f.at = max(f.at-age, 0)
		f.track[len(f.track)-1].at = f.at
	}
	for {
		for f.busy() < f.maxBatch && f.more() {
			f.start()
		}
		switch {
		case f.head < len(f.prompts):
			f.step()
		case len(f.ends) > 0:
			f.decode(f.ends[0].end - f.steps)
		default:
			return
		}
	}
}

func (f *forecast) busy() int { return len(f.ends) + len(f.prompts) - f.head }

// start moves the next request into the batch.
func (f *forecast) start() {
	j := &f.requests[f.next]
	if j.prompt > 0 {
		f.prompts = append(f.prompts, f.next)
		f.prefilled += j.context
	} else {
		j.first, j.start = f.steps, f.at
		f.enter(left{f.steps + j.remain, j.context - f.steps})
		f.context += j.context
	}
	f.next++
}

// enter keeps who decodes in the order of their ends.
func (f *forecast) enter(l left) {
	f.ends = append(f.ends, l)
	i := len(f.ends) - 1
	for ; i > 0 && f.ends[i-1].end > l.end; i-- {
		f.ends[i] = f.ends[i-1]
	}
	f.ends[i] = l
}

// step runs one step with prompt rows, if there are any.
func (f *forecast) step() {
	n := float64(len(f.ends))
	budget := max(float64(f.rows)-n, 1)
	prompt, copies := 0.0, 0.0
	done := f.head
	for i := f.head; i < len(f.prompts) && budget > 0; i++ {
		j := &f.requests[f.prompts[i]]
		take := min(j.prompt, budget)
		prompt, budget = prompt+take, budget-take
		copies, j.copies = copies+j.copies, 0
		j.prompt -= take
		j.context += take
		if j.prompt == 0 {
			done = i + 1
		}
	}
	f.at += f.cost.of(n, prompt, f.context+f.prefilled, copies)
	f.steps++
	f.context += n
	f.prefilled += prompt
	for ; f.head < done; f.head++ {
		j := &f.requests[f.prompts[f.head]]
		j.first, j.start = f.steps-1, f.at // this step's last row gives it
		f.enter(left{j.first + j.remain, j.context - f.steps})
		f.prefilled -= j.context
		f.context += j.context
	}
	f.leave()
}

// decode runs steps without prompt rows.
func (f *forecast) decode(steps float64) {
	steps = max(steps, 0)
	n := float64(len(f.ends))
	f.at += f.cost.decoding(steps, n, f.context)
	f.steps += steps
	f.context += n * steps
	f.leave()
}

// leave ends who is expected to have ended by now, and marks the moment.
func (f *forecast) leave() {
	gone := 0
	for gone < len(f.ends) && f.ends[gone].end <= f.steps+1e-9 {
		f.context -= f.ends[gone].context + f.steps
		gone++
	}
	if gone > 0 {
		f.ends = f.ends[:copy(f.ends, f.ends[gone:])]
	}
	f.track = append(f.track, point{f.steps, f.at})
}

// clock is when a step will have ended, in seconds from now; beyond the run's end the
// engine goes on with one sequence.
func (f *forecast) clock(step float64) float64 {
	t := f.track
	i := sort.Search(len(t), func(i int) bool { return t[i].steps >= step })
	return f.between(t, i, step)
}

// between interpolates at the point i that is the first not before step.
func (f *forecast) between(t []point, i int, step float64) float64 {
	switch {
	case i == 0:
		return t[0].at
	case i == len(t):
		end := t[len(t)-1]
		return end.at + (step-end.steps)*f.cost.of(1, 0, 0, 0)
	}
	a, b := t[i-1], t[i]
	if b.steps <= a.steps {
		return b.at
	}
	return a.at + (b.at-a.at)*(step-a.steps)/(b.steps-a.steps)
}

// done is how many steps will have ended after so many seconds.
func (f *forecast) done(seconds float64) float64 {
	t := f.track
	if seconds <= 0 {
		return 0
	}
	i := sort.Search(len(t), func(i int) bool { return t[i].at >= seconds })
	switch {
	case i == 0:
		return t[0].steps
	case i == len(t):
		end := t[len(t)-1]
		return end.steps + (seconds-end.at)/max(f.cost.of(1, 0, 0, 0), 1e-9)
	}
	a, b := t[i-1], t[i]
	if b.at <= a.at {
		return b.steps
	}
	return a.steps + (b.steps-a.steps)*(seconds-a.at)/(b.at-a.at)
}
