package engine

import (
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/kv"
)

// snapshot is the state of the engine now, without q, which may be nil. It is valid
// until the next one.
func (g *guard) snapshot(q *sequence, now time.Duration) *admission.Snapshot {
	s, snap := g.sched, &g.snap
	snap.Now = now - g.zero
	snap.Queue = g.line.without(q)
	snap.Batch = snap.Batch[:0]
	for _, r := range s.running {
		snap.Batch = append(snap.Batch, g.running(r))
	}
	snap.FreeKV = freeShare(s.cache.Stats())
	snap.MaxBatch, snap.StepTokens = s.policy.MaxBatch, s.policy.StepTokens
	snap.StepTime = time.Duration(g.meanStep.value * float64(time.Second))
	snap.TokenRate = 0
	if g.meanStep.value > 0 {
		snap.TokenRate = g.meanToken.value / g.meanStep.value
	}
	snap.StepAge = 0
	if g.stepFrom >= 0 {
		snap.StepAge = now - g.stepFrom
	}
	return snap
}

// freeShare is the share of the cells that nobody uses and nobody was promised.
func freeShare(s kv.Stats) float64 {
	return float64(max(0, s.Free+s.Cached-s.Promised)) / float64(s.Blocks)
}

// running is what is known of a request in the batch. Rows in flight are not computed
// yet.
func (g *guard) running(q *sequence) admission.Work {
	w := g.work(q)
	w.Prefill, w.Context = max(0, q.target-q.computed), q.computed
	return w
}

// waiting is what is known of a request that waits, with what its prompt (after a
// preemption, its output too) has in the cache now.
func (g *guard) waiting(q *sequence) admission.Work {
	w := g.work(q)
	tokens := q.tokens
	if tokens == nil {
		tokens = q.Prompt
	}
	w.Prefill = len(tokens) - g.sched.wouldHit(tokens, len(q.Prompt))
	return w
}

func (g *guard) work(q *sequence) admission.Work {
	t := g.taken[q.ID]
	w := admission.Work{ID: q.ID, Output: q.output, MaxTokens: q.MaxTokens, Arrived: t.request.Arrived, Deadline: t.request.Deadline}
	return w
}

// averaged is over how many steps the moving averages reach, about.
const averaged = 16

// mean is an exponential moving average, which begins as a plain one.
type mean struct {
	value float64
	n     int
}

func (m *mean) add(x float64) {
	m.n = min(m.n+1, averaged)
	m.value += (x - m.value) / float64(m.n)
}

// dueHeap is a heap of tickets by (deadline, order of arrival).
type dueHeap []*ticket

func (h dueHeap) Len() int      { return len(h) }
func (h dueHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h dueHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	return a.request.Deadline < b.request.Deadline || a.request.Deadline == b.request.Deadline && a.order < b.order
}

func (h *dueHeap) Push(x any) { *h = append(*h, x.(*ticket)) }

func (h *dueHeap) Pop() any {
	n := len(*h) - 1
	last := (*h)[n]
	(*h)[n] = nil
	*h = (*h)[:n]
	return last
}
