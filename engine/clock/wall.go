package clock

import (
	"container/heap"
	"context"
	"math"
	"sync"
	"time"
)

// Wall is a loop in real time.
//
// A lock, rather than a goroutine, makes its callbacks run one at a time: Run
// waits for what is due, and a goroutine whose work has ended runs what is due
// itself. The next work that this leads to goes on in the same goroutine, so a
// chain of steps costs no switch between threads (about 70 µs a step saved on a
// busy machine with two cores, where a step of one token takes 1.6 ms).
type Wall struct {
	start time.Time
	wake  chan struct{} // holds one token when Run must look again

	lock chan struct{} // full while callbacks run; guards what follows. A channel
	// and not a mutex, for synctest can see that a goroutine waits for it.
	now     time.Duration
	seq     uint64
	agenda  agenda
	until   time.Duration // when Run will look again by itself
	stopped bool
	over    bool  // Run has returned
	chain   *task // where Go puts the next work of the goroutine that runs callbacks
	fine    bool  // wake by newFineAlarm too

	posted struct {
		sync.Mutex
		fns []func()
	}
}

var _ Clock = (*Wall)(nil)

// task is work in progress.
type task struct {
	work  func() time.Duration
	done  func(end time.Duration)
	start time.Duration
	seq   uint64
}

// NewWall returns a loop whose time 0 is when Run is called.
func NewWall() *Wall {
	return &Wall{wake: make(chan struct{}, 1), lock: make(chan struct{}, 1)}
}

// NewFineWall returns a NewWall that wakes within about 0.1 ms of when something
// is due, for schedules of many events per millisecond. An idle Go program on
// Linux sleeps in whole milliseconds, so there it takes a timer of the system too,
// which lives outside of any synctest bubble.
func NewFineWall() *Wall {
	w := NewWall()
	w.fine = true
	return w
}

// Now implements Clock.
func (w *Wall) Now() time.Duration { return w.now }

// Time is how late it is at this moment, for what happens away from the loop. Any
// goroutine that came of a callback may call it; it is never before that
// callback's Now.
func (w *Wall) Time() time.Duration { return time.Since(w.start) }

// At implements Clock.
func (w *Wall) At(t time.Duration, fn func()) Timer {
	ev := &event{due: t, seq: w.order(), fn: fn}
	w.agenda.add(ev)
	return Timer{ev}
}

func (w *Wall) order() uint64 {
	w.seq++
	return w.seq
}

// Go implements Clock.
func (w *Wall) Go(work func() time.Duration, done func(end time.Duration)) {
	t := task{work: work, done: done, start: w.now, seq: w.order()}
	if w.chain != nil && w.chain.work == nil {
		*w.chain = t
		return
	}
	go w.run(t)
}

// run does a task, then what is due, then the task that came of it.
func (w *Wall) run(t task) {
	for t.work != nil {
		modelled := t.work()
		end := time.Since(w.start)
		if modelled > 0 {
			end = t.start + modelled
		}
		done := t.done
		seq := t.seq
		t = task{}

		w.lock <- struct{}{}
		if !w.over {
			w.agenda.add(&event{due: end, seq: seq, fn: func() { done(end) }})
			w.chain = &t
			w.runDue()
			w.chain = nil
			if next := w.agenda.next(); w.stopped || next != nil && next.due < w.until {
				w.signal()
			}
		}
		<-w.lock
	}
}

// runDue runs the callbacks that are due, until none is or Stop is called.
func (w *Wall) runDue() {
	for !w.stopped {
		w.collect()
		ev := w.agenda.next()
		now := time.Since(w.start)
		if ev == nil || ev.due > now {
			return
		}
		heap.Pop(&w.agenda)
		w.now = now
		ev.fn()
	}
}

// Post implements Clock. fn is due at once, behind what is already due.
func (w *Wall) Post(fn func()) {
	w.posted.Lock()
	w.posted.fns = append(w.posted.fns, fn)
	w.posted.Unlock()
	w.signal()
}

// collect moves what was posted into the agenda.
func (w *Wall) collect() {
	w.posted.Lock()
	fns := w.posted.fns
	w.posted.fns = nil
	w.posted.Unlock()
	for _, fn := range fns {
		w.At(time.Since(w.start), fn)
	}
}

func (w *Wall) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Stop implements Clock.
func (w *Wall) Stop() { w.stopped = true }

// Run implements Clock. It may be called once.
func (w *Wall) Run(ctx context.Context) error {
	fine := &fineAlarm{}
	if w.fine {
		var err error
		if fine, err = newFineAlarm(); err != nil {
			return err
		}
		defer fine.close()
	}
	w.start = time.Now()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		w.lock <- struct{}{}
		err := ctx.Err()
		if err == nil {
			w.runDue()
		}
		w.over = err != nil || w.stopped
		w.until = math.MaxInt64
		if ev := w.agenda.next(); ev != nil {
			w.until = ev.due
		}
		over, wait := w.over, w.until-time.Since(w.start)
		<-w.lock
		if over {
			return err
		}
		timer.Reset(wait)
		fine.set(w.until, wait)
		select {
		case <-timer.C:
		case <-fine.rings:
			fine.rang()
		case <-w.wake:
		case <-ctx.Done():
		}
	}
}
