package clock

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrIdle is returned by Virtual.Run when nothing is scheduled any more.
var ErrIdle = errors.New("virtual clock: nothing is scheduled")

// Virtual jumps from event to event. Work given to Go runs at once, on the
// loop's goroutine, and must return its modelled duration.
type Virtual struct {
	now     time.Duration
	seq     uint64
	agenda  agenda
	stopped bool

	mu     sync.Mutex
	posted []func()
}

var _ Clock = (*Virtual)(nil)

// NewVirtual returns a loop at time 0.
func NewVirtual() *Virtual { return &Virtual{} }

// Now implements Clock.
func (v *Virtual) Now() time.Duration { return v.now }

// At implements Clock.
func (v *Virtual) At(t time.Duration, fn func()) Timer {
	ev := &event{due: max(t, v.now), seq: v.seq, fn: fn}
	v.seq++
	v.agenda.add(ev)
	return Timer{ev}
}

// Go implements Clock.
func (v *Virtual) Go(work func() time.Duration, done func(end time.Duration)) {
	seq := v.seq
	v.seq++
	end := v.now + work()
	v.agenda.add(&event{due: end, seq: seq, fn: func() { done(end) }})
}

// Post implements Clock: fn runs at the time of the callback in progress.
func (v *Virtual) Post(fn func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.posted = append(v.posted, fn)
}

// Stop implements Clock.
func (v *Virtual) Stop() { v.stopped = true }

// Run implements Clock.
func (v *Virtual) Run(ctx context.Context) error {
	v.stopped = false
	for !v.stopped {
		if err := ctx.Err(); err != nil {
			return err
		}
		v.mu.Lock()
		posted := v.posted
		v.posted = nil
		v.mu.Unlock()
		for _, fn := range posted {
			v.At(v.now, fn)
		}
		ev := v.agenda.next()
		if ev == nil {
			return ErrIdle
		}
		heap.Pop(&v.agenda)
		v.now = ev.due
		ev.fn()
	}
	return nil
}
