package loadgen

import (
	"time"

	"github.com/cadence-bench/cadence-bench/results"
)

type callState uint8

const (
	unsent callState = iota
	waiting
	running
	ended
)

// call is the driver's side of one request, and the request's Sink. Its record
// never changes once it has ended.
type call struct {
	d         *Driver
	rec       *results.Record
	index     int    // in the tape
	cancel    func() // nil before Send has returned and after the end
	state     callState
	cancelled bool // by the driver, and not yet acknowledged
}

var _ Sink = (*call)(nil)

// Due implements Sink.
func (c *call) Due() time.Duration { return c.d.start + c.rec.Intended }

// Admission implements Sink.
func (c *call) Admission(a results.Admission) {
	if c.state != ended {
		c.rec.Admission = results.Some(a)
	}
}

// Prompt implements Sink.
func (c *call) Prompt(tokens int) {
	if c.state != ended {
		c.rec.PromptTokens = int32(tokens)
	}
}

// Cached implements Sink.
func (c *call) Cached(tokens int) {
	if c.state != ended {
		c.rec.CachedTokens = results.Some(int32(tokens))
	}
}

// Started implements Sink.
func (c *call) Started(at time.Duration) {
	if c.state == ended {
		return
	}
	c.run()
	if !c.rec.Started.OK {
		c.rec.Started = results.Some(at - c.d.start)
	}
}

// run counts the request as running, once.
func (c *call) run() {
	if c.state == waiting {
		c.state = running
		c.d.counts.Waiting--
		c.d.counts.Running++
	}
}

// Token implements Sink.
func (c *call) Token(at time.Duration) {
	if c.state == ended {
		c.d.late.Tokens++
		return
	}
	c.run()
	if c.rec.Tokens == nil {
		c.rec.Tokens = make([]time.Duration, 0, c.rec.MaxTokens)
	}
	c.rec.Tokens = append(c.rec.Tokens, at-c.d.start)
}

// Sent implements Sink.
func (c *call) Sent(at time.Duration) {
	if c.state != ended {
		c.rec.Sent = results.Some(at - c.d.start)
	}
}

// Tokens implements Sink.
func (c *call) Tokens(at []time.Duration) {
	if c.state == ended {
		c.d.late.Tokens += len(at)
		return
	}
	for i := range at {
		at[i] -= c.d.start
	}
	c.rec.Tokens = at
}

// Done implements Sink.
func (c *call) Done(outcome results.Outcome, reason string, at time.Duration) {
	switch {
	case c.state != ended:
		c.end(outcome, reason, at-c.d.start)
	case c.cancelled:
		c.cancelled = false
	default:
		c.d.late.Dones++
	}
}

func (c *call) end(outcome results.Outcome, reason string, at time.Duration) {
	d := c.d
	if c.state == waiting {
		d.counts.Waiting--
	} else {
		d.counts.Running--
	}
	d.counts.Finished++
	d.flow.change(d.elapsed(), -1)
	c.state, c.cancel = ended, nil
	c.rec.Outcome = outcome
	c.rec.Ended = results.Some(at)
	if reason != "" {
		c.rec.Reason = results.Some(reason)
	}
	d.follow(c.index, at)
	if d.counts.Finished == len(d.calls) {
		d.finish()
	}
}

// finish tells the end in a callback of its own, since a target may be in the
// middle of its work.
func (d *Driver) finish() {
	d.expiring.cancel()
	if d.cfg.Done != nil {
		d.clk.At(d.clk.Now(), d.cfg.Done)
	}
}
