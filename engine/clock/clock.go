// Package clock is the event loop on which the engine and the load driver live.
//
// Callbacks run one at a time, in order of (due time, order of scheduling), so
// state that only callbacks touch needs no mutex. Times are durations since the
// loop's start.
package clock

import (
	"container/heap"
	"context"
	"time"
)

// Clock is a loop. All methods but Post must be called from a callback; At also
// before Run.
type Clock interface {
	// Now is when the callback in progress began: never before it was due, and
	// never before an earlier callback. Before Run it is 0.
	Now() time.Duration
	// At schedules fn for t, or for as soon as the loop is free when t has passed.
	At(t time.Duration, fn func()) Timer
	// Go runs work away from the loop and then done as a callback. work returns how long
	// it is to be taken to last: a backend that did the work returns 0 and the
	// end is measured; a model of one returns the modelled duration and the end
	// is the start plus exactly that. done is given the end, which loop delay
	// never inflates.
	Go(work func() time.Duration, done func(end time.Duration))
	// Post runs fn on the loop, soon. It may be called from any goroutine.
	Post(fn func())
	// Run runs callbacks until Stop (it returns nil) or until ctx is done (it
	// returns ctx's error). Virtual also returns, with ErrIdle, when nothing is
	// scheduled any more, since nothing could happen ever after.
	Run(ctx context.Context) error
	// Stop makes Run return nil after the callback in progress.
	Stop()
}

// Timer is a scheduled callback. The zero Timer is none.
type Timer struct{ ev *event }

// Cancel keeps the callback from running. It is a no-op when it has run.
func (t Timer) Cancel() {
	if t.ev != nil {
		t.ev.fn = nil
	}
}

// event is a callback in an agenda. A nil fn was cancelled.
type event struct {
	due time.Duration
	seq uint64
	fn  func()
}

// agenda is a heap of events in (due, seq) order.
type agenda []*event

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	if a[i].due != a[j].due {
		return a[i].due < a[j].due
	}
	return a[i].seq < a[j].seq
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)   { *a = append(*a, x.(*event)) }
func (a *agenda) Pop() any {
	old := *a
	n := len(old) - 1
	ev := old[n]
	old[n] = nil
	*a = old[:n]
	return ev
}

func (a *agenda) add(ev *event) { heap.Push(a, ev) }

// next returns the earliest event that was not cancelled, or nil.
func (a *agenda) next() *event {
	for len(*a) > 0 {
		if (*a)[0].fn != nil {
			return (*a)[0]
		}
		heap.Pop(a)
	}
	return nil
}
