package clock

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// Wall is a loop in real time.
type Wall struct {
	start   time.Time
	now     time.Duration
	seq     uint64
	agenda  agenda
	stopped bool
	wake    chan struct{} // holds one token when arrived is not empty

	mu      sync.Mutex
	arrived []*event // from other goroutines
}

var _ Clock = (*Wall)(nil)

// unordered marks an event from another goroutine that gets its order of
// scheduling when the loop takes it.
const unordered = ^uint64(0)

// NewWall returns a loop whose time 0 is when Run is called.
func NewWall() *Wall { return &Wall{wake: make(chan struct{}, 1)} }

// Now implements Clock.
func (w *Wall) Now() time.Duration { return w.now }

// At implements Clock.
func (w *Wall) At(t time.Duration, fn func()) Timer {
	ev := &event{due: t, seq: w.seq, fn: fn}
	w.seq++
	w.agenda.add(ev)
	return Timer{ev}
}

// Go implements Clock.
func (w *Wall) Go(work func() time.Duration, done func(end time.Duration)) {
	seq, start := w.seq, w.now
	w.seq++
	go func() {
		modelled := work()
		end := time.Since(w.start)
		if modelled > 0 {
			end = start + modelled
		}
		w.deliver(&event{due: end, seq: seq, fn: func() { done(end) }})
	}()
}

// Post implements Clock.
func (w *Wall) Post(fn func()) {
	w.deliver(&event{due: 0, seq: unordered, fn: fn})
}

func (w *Wall) deliver(ev *event) {
	w.mu.Lock()
	w.arrived = append(w.arrived, ev)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Stop implements Clock.
func (w *Wall) Stop() { w.stopped = true }

// Run implements Clock. It may be called once.
func (w *Wall) Run(ctx context.Context) error {
	w.start = time.Now()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !w.stopped {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.collect()
		ev := w.agenda.next()
		now := time.Since(w.start)
		if ev != nil && ev.due <= now {
			heap.Pop(&w.agenda)
			w.now = now
			ev.fn()
			continue
		}
		if ev != nil {
			timer.Reset(ev.due - now)
		} else {
			timer.Reset(time.Hour)
		}
		select {
		case <-timer.C:
		case <-w.wake:
		case <-ctx.Done():
		}
	}
	return nil
}

// collect moves what other goroutines delivered into the agenda. A posted
// callback is due at once, behind what is already due.
func (w *Wall) collect() {
	w.mu.Lock()
	arrived := w.arrived
	w.arrived = nil
	w.mu.Unlock()
	for _, ev := range arrived {
		if ev.seq == unordered {
			ev.due, ev.seq = time.Since(w.start), w.seq
			w.seq++
		}
		w.agenda.add(ev)
	}
}
