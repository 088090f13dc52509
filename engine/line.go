package engine

import (
	"slices"
	"sort"

	"github.com/cadence-bench/cadence-bench/admission"
)

// line has the requests that wait, those held back included, by (key, order of
// arrival): the order in which they start as long as no floor is owed tokens and
// nobody is held back. What it has of each does not change while it waits.
type line struct {
	waiting []*sequence
	works   []admission.Work // of waiting
	scratch []admission.Work
}

// index is the place of q, or where it belongs.
func (l *line) index(q *sequence) int {
	return sort.Search(len(l.waiting), func(i int) bool {
		o := l.waiting[i]
		return o.key > q.key || o.key == q.key && o.order >= q.order
	})
}

func (l *line) add(q *sequence, w admission.Work) {
	i := l.index(q)
	l.waiting = slices.Insert(l.waiting, i, q)
	l.works = slices.Insert(l.works, i, w)
}

func (l *line) remove(q *sequence) {
	i := l.index(q)
	l.waiting = slices.Delete(l.waiting, i, i+1)
	l.works = slices.Delete(l.works, i, i+1)
}

// without returns the work of all but q, which is nil for nobody. It is valid until
// the line changes or is asked again.
func (l *line) without(q *sequence) []admission.Work {
	if q == nil {
		return l.works
	}
	switch i := l.index(q); i {
	case 0:
		return l.works[1:]
	case len(l.works) - 1:
		return l.works[:i]
	default:
		l.scratch = append(append(l.scratch[:0], l.works[:i]...), l.works[i+1:]...)
		return l.scratch
	}
}
