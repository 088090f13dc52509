// Package clock is the event loop on which the engine and the load driver live.
//
// Every callback runs on one goroutine, the loop's, in order of (due time, order
// of scheduling). State that only callbacks touch needs no mutex. Times are
// durations since the loop's start.
package clock

import (
	"context"
	"time"
)

// Clock is a loop. All methods but Post must be called from the loop's goroutine
// (or before Run).
type Clock interface {
	// Now is the time of the callback in progress: for a timer, never before it
	// was due; for a completion, when the work ended.
	Now() time.Duration
	// At schedules fn at t, or as soon as the loop is free when t has passed.
	At(t time.Duration, fn func()) Timer
	// Go runs work away from the loop and then done on it. work returns how long
	// it is to be taken to last: a backend that really did the work returns 0
	// and the end is measured, a model of one returns the modelled duration and
	// the end is exactly the start plus that. done is given the end.
	Go(work func() time.Duration, done func(end time.Duration))
	// Post runs fn on the loop, soon. It may be called from any goroutine.
	Post(fn func())
	// Run runs the loop until Stop, or until ctx is done (it returns its error).
	Run(ctx context.Context) error
	// Stop makes Run return nil after the callback in progress.
	Stop()
}

// Timer is a scheduled callback.
type Timer interface {
	// Cancel keeps the callback from running. It is a no-op when it has run.
	Cancel()
}
