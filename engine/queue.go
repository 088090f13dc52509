package engine

import (
	"container/heap"
	"time"
)

// lane is a heap of sequences by (key, order of arrival). A sequence is in at most
// one lane and knows its place there, so that it can leave from anywhere, since a
// client may give up while thousands wait. All operations are O(log n).
type lane struct{ entries []entry }

type entry struct {
	key time.Duration
	q   *sequence
}

func (e entry) before(f entry) bool {
	return e.key < f.key || e.key == f.key && e.q.order < f.q.order
}

// Len, Less, Swap, Push and Pop implement heap.Interface.

func (l *lane) Len() int           { return len(l.entries) }
func (l *lane) Less(i, j int) bool { return l.entries[i].before(l.entries[j]) }

func (l *lane) Swap(i, j int) {
	e := l.entries
	e[i], e[j] = e[j], e[i]
	e[i].q.at, e[j].q.at = i, j
}

func (l *lane) Push(x any) {
	q := x.(*sequence)
	q.in, q.at = l, len(l.entries)
	l.entries = append(l.entries, entry{q: q})
}

func (l *lane) Pop() any {
	n := len(l.entries) - 1
	q := l.entries[n].q
	l.entries[n] = entry{}
	l.entries = l.entries[:n]
	q.in = nil
	return q
}

// head is the least entry's sequence, or nil when the lane is empty.
func (l *lane) head() *sequence {
	if len(l.entries) == 0 {
		return nil
	}
	return l.entries[0].q
}

func (l *lane) push(q *sequence, key time.Duration) {
	l.Push(q)
	l.entries[q.at].key = key
	heap.Fix(l, q.at)
}

// leave takes a sequence out of the lane that it is in.
func (q *sequence) leave() { heap.Remove(q.in, q.at) }

// queue holds the sequences that wait to join the batch: one lane for each floor, and
// one for the rest.
type queue struct {
	floors  []floor
	rest    lane
	lastWon int // the floor whose request joined last
}

func newQueue(floors []Floor, longest int) queue {
	w := queue{floors: make([]floor, len(floors))}
	for i, f := range floors {
		w.floors[i] = floor{Floor: f, longest: float64(longest)}
	}
	return w
}

func (w *queue) len() int {
	n := w.rest.Len()
	for i := range w.floors {
		n += w.floors[i].Len()
	}
	return n
}

func (w *queue) push(q *sequence) { w.lane(q).push(q, q.key) }

func (w *queue) lane(q *sequence) *lane {
	if q.floor >= 0 {
		return &w.floors[q.floor].lane
	}
	return &w.rest
}

// next is who joins the batch next, or nil when nobody waits: the head of a
// floor that is owed tokens, floors in turn; if there is none, the least in the
// order of the queue.
func (w *queue) next() *sequence {
	n := len(w.floors)
	best := entry{q: w.rest.head()}
	if best.q != nil {
		best = w.rest.entries[0]
	}
	for i := range n {
		f := &w.floors[(w.lastWon+1+i)%n]
		head := f.head()
		if head == nil {
			continue
		}
		if f.credit > 0 {
			return head
		}
		if best.q == nil || f.entries[0].before(best) {
			best = f.entries[0]
		}
	}
	return best.q
}

// take takes q, which was next, out of the queue.
func (w *queue) take(q *sequence) {
	q.leave()
	if q.floor >= 0 {
		w.lastWon = q.floor
	}
}
