package replay

import (
	"context"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/results"
)

// scriptClock is a clock whose hands are moved by a replay: it is what time it is
// told, and a step lasts as long as was recorded.
type scriptClock struct {
	now   time.Duration
	began time.Duration // of the step in flight, or of the last one
	step  *results.StepRow
	done  func(end time.Duration) // of the step in flight
	end   time.Duration
	alarm func() // the engine's wish to be asked again
	play  func() // moves the hands until the recording ends
}

var _ clock.Clock = (*scriptClock)(nil)

func (c *scriptClock) stepping() bool { return c.done != nil }

// finish ends the step in flight, if there is one.
func (c *scriptClock) finish() {
	if done := c.done; done != nil {
		c.done = nil
		done(c.end)
	}
}

// ring runs what was scheduled last, if anything was.
func (c *scriptClock) ring() {
	if alarm := c.alarm; alarm != nil {
		c.alarm = nil
		alarm()
	}
}

// Now implements clock.Clock.
func (c *scriptClock) Now() time.Duration { return c.now }

// At implements clock.Clock. The replay decides when it is time.
func (c *scriptClock) At(_ time.Duration, fn func()) clock.Timer {
	c.alarm = fn
	return clock.Timer{}
}

// Go implements clock.Clock.
func (c *scriptClock) Go(work func() time.Duration, done func(end time.Duration)) {
	work()
	c.began, c.done, c.end = c.now, done, c.step.End
}

// Post implements clock.Clock.
func (c *scriptClock) Post(fn func()) { fn() }

// Run implements clock.Clock: what was scheduled before begins the recording.
func (c *scriptClock) Run(context.Context) error {
	c.ring()
	c.play()
	return nil
}

// Stop implements clock.Clock.
func (c *scriptClock) Stop() {}
