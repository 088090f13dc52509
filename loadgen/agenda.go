package loadgen

import (
	"cmp"
	"container/heap"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// agenda holds what is to happen to which request and when, earliest first; among
// equal times, in the order of the tape. It depends on times alone, so that
// lateness never shifts a later entry.
type agenda struct{ entries entryHeap }

type entry struct {
	at      time.Duration
	request int
}

// push adds an entry.
func (a *agenda) push(at time.Duration, request int) { heap.Push(&a.entries, entry{at, request}) }

// next returns the earliest entry.
func (a *agenda) next() (e entry, ok bool) {
	if len(a.entries) == 0 {
		return entry{}, false
	}
	return a.entries[0], true
}

// pop removes the earliest entry.
func (a *agenda) pop() { heap.Pop(&a.entries) }

// due removes the earliest entry if it is due by now.
func (a *agenda) due(now time.Duration) (request int, ok bool) {
	e, ok := a.next()
	if !ok || e.at > now {
		return 0, false
	}
	a.pop()
	return e.request, true
}

type entryHeap []entry

func (h entryHeap) Len() int      { return len(h) }
func (h entryHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h entryHeap) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[i].at, h[j].at), cmp.Compare(h[i].request, h[j].request)) < 0
}
func (h *entryHeap) Push(e any) { *h = append(*h, e.(entry)) }
func (h *entryHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}

// alarm is the one timer that serves an agenda.
type alarm struct {
	timer clock.Timer
	at    time.Duration
	set   bool
}

// rang says that the timer has gone off.
func (a *alarm) rang() { a.set = false }

// cancel keeps the timer from going off.
func (a *alarm) cancel() {
	a.timer.Cancel()
	a.set = false
}

// by sets the timer to go off at the time at, unless it does so earlier already.
func (a *alarm) by(at time.Duration, set func() clock.Timer) {
	if a.set && a.at <= at {
		return
	}
	a.cancel()
	a.at, a.set, a.timer = at, true, set()
}
