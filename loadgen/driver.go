package loadgen

import (
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/results"
)

// Driver offers a tape to a target in open loop: each request goes out at its
// own time after the start, whatever became of the ones before it. There is no
// limit to how many are outstanding; each takes 8 bytes per requested output
// token once it has its first one, and about 230 bytes besides.
//
// A Driver lives on its clock's loop: call its methods there, or before the
// clock runs.
type Driver struct {
	clk    clock.Clock
	tape   *Tape
	target Target
	cfg    DriverConfig

	start   time.Duration
	sent    int // requests [0, sent) have been handed over
	expired int // requests [0, expired) have ended or reached their deadline
	calls   []call
	records []results.Record
	alarm   clock.Timer // for the earliest deadline
	counts  Counts
	late    Late
}

// DriverConfig says how a tape is offered.
type DriverConfig struct {
	// Timeout is the client's patience, from the intended arrival. A request that
	// has not ended by then is cancelled and recorded as TimedOut, with the
	// tokens that it got. It must be positive, so that every run ends.
	Timeout time.Duration
	// Warmup flags the arrivals before it.
	Warmup time.Duration
	// Scripted tells that answers end at the tape's StopTokens, which the records
	// then show.
	Scripted bool
	// Done is called once, when every request of the tape has ended. It may be nil.
	Done func()
}

// Counts is how far a run is. Sent = Waiting + Running + Finished.
type Counts struct {
	Arrivals int // in the tape
	Sent     int // handed over
	Waiting  int // handed over, not yet started
	Running  int // started, not yet ended
	Finished int // ended, whatever the outcome
}

// Late counts calls that a correct target never makes. They change no record.
type Late struct {
	Tokens int // after the request's end: work went on after a cancel, say
	Dones  int // a second end
}

// NewDriver returns a driver that has not started.
func NewDriver(clk clock.Clock, tape *Tape, target Target, cfg DriverConfig) (*Driver, error) {
	if cfg.Timeout <= 0 {
		return nil, fmt.Errorf("client timeout %v: must be positive", cfg.Timeout)
	}
	if cfg.Warmup < 0 {
		return nil, fmt.Errorf("warm-up %v: must not be negative", cfg.Warmup)
	}
	d := &Driver{clk: clk, tape: tape, target: target, cfg: cfg,
		calls:   make([]call, len(tape.Requests)),
		records: make([]results.Record, len(tape.Requests)),
		counts:  Counts{Arrivals: len(tape.Requests)},
	}
	for i := range tape.Requests {
		d.calls[i] = call{d: d, rec: &d.records[i]}
		d.records[i] = d.blank(&tape.Requests[i])
	}
	return d, nil
}

func (d *Driver) blank(r *Request) results.Record {
	rec := results.Record{
		Request:   int32(r.Index),
		Class:     r.Class,
		Warmup:    r.At < d.cfg.Warmup,
		Intended:  r.At,
		MaxTokens: int32(r.MaxTokens),
	}
	if r.Group >= 0 {
		rec.Group = results.Some(int32(r.Group))
	}
	if d.cfg.Scripted {
		rec.StopTokens = results.Some(int32(r.StopTokens))
	}
	return rec
}

// Start begins the cell now: request i is due at its At from this moment.
func (d *Driver) Start() {
	d.start = d.clk.Now()
	if len(d.tape.Requests) == 0 {
		d.finish()
		return
	}
	d.clk.At(d.start+d.tape.Requests[0].At, d.send)
	d.watch()
}

// Began is when Start was called, on the clock: the zero of the records' times.
func (d *Driver) Began() time.Duration { return d.start }

// Counts returns how far the run is.
func (d *Driver) Counts() Counts { return d.counts }

// Late returns the count of calls that came after a request's end.
func (d *Driver) Late() Late { return d.late }

// Records returns one record per request of the tape, in its order. They are
// complete once Done has been called; a record whose Outcome is empty has not
// ended.
func (d *Driver) Records() []results.Record { return d.records }

// send hands over what is due and sets the timer for what is due next. What
// fell due together goes out together, each with its own intended time.
func (d *Driver) send() {
	now := d.elapsed()
	n, next, more := due(d.tape.Requests, d.sent, now)
	if more {
		d.clk.At(d.start+next, d.send)
	}
	for range n {
		i := d.sent
		d.sent++
		d.counts.Sent++
		d.counts.Waiting++
		c := &d.calls[i]
		c.rec.Sent = results.Some(now)
		c.state = waiting
		cancel := d.target.Send(&d.tape.Requests[i], c)
		if c.state != ended {
			c.cancel = cancel
		}
	}
}

// watch sets the alarm for the deadline of the oldest request that has not
// ended. All deadlines are one Timeout after the arrival, so they come in order
// and one timer serves them all.
func (d *Driver) watch() {
	for d.expired < len(d.calls) && d.calls[d.expired].state == ended {
		d.expired++
	}
	if d.expired < len(d.calls) {
		d.alarm = d.clk.At(d.start+d.deadline(d.expired), d.expire)
	}
}

func (d *Driver) deadline(i int) time.Duration { return d.tape.Requests[i].At + d.cfg.Timeout }

// expire ends the requests whose deadline has passed. One that a stalled loop
// has not sent yet is sent first: whatever the tape holds is offered.
func (d *Driver) expire() {
	now := d.elapsed()
	for ; d.expired < d.sent && d.deadline(d.expired) <= now; d.expired++ {
		c := &d.calls[d.expired]
		if c.state == ended {
			continue
		}
		cancel := c.cancel
		c.end(results.TimedOut, fmt.Sprintf("client timeout after %v", d.cfg.Timeout), now)
		c.cancelled = true
		if cancel != nil {
			cancel()
		}
	}
	d.watch()
}

func (d *Driver) elapsed() time.Duration { return d.clk.Now() - d.start }
