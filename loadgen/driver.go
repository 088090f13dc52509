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
// token once it has its first one, and about 320 bytes besides.
//
// The later turns of a conversation are the exception that their nature asks for:
// each is due its think time after the previous turn ended, whatever its outcome.
// That moment is its intended arrival.
//
// A Driver lives on its clock's loop: call its methods there, or before the
// clock runs.
type Driver struct {
	clk    clock.Clock
	tape   *Tape
	target Target
	cfg    DriverConfig

	start     time.Duration
	sends     agenda // requests whose intended arrival is known, not yet handed over
	deadlines agenda // requests handed over; those that have ended leave it late
	sending   alarm
	expiring  alarm
	calls     []call
	records   []results.Record
	next      []int // the turn after each request, or -1; nil without conversations
	counts    Counts
	late      Late
	flow      flow
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
	var err error
	if d.next, err = tape.nextTurns(); err != nil {
		return nil, err
	}
	for i := range tape.Requests {
		d.calls[i] = call{d: d, rec: &d.records[i], index: i}
		d.records[i] = blank(&tape.Requests[i], cfg)
	}
	return d, nil
}

func blank(r *Request, cfg DriverConfig) results.Record {
	rec := results.Record{
		Request:   int32(r.Index),
		Class:     r.Class,
		Warmup:    r.At < cfg.Warmup,
		Intended:  r.At,
		MaxTokens: int32(r.MaxTokens),
	}
	if r.Group >= 0 {
		rec.Group = results.Some(int32(r.Group))
	}
	if r.Session > 0 {
		rec.Session, rec.Turn = results.Some(int32(r.Session)), results.Some(int32(r.Turn))
		if r.Turn > 0 {
			rec.Think = results.Some(r.Think)
		}
	}
	if cfg.Scripted {
		rec.StopTokens = results.Some(int32(r.StopTokens))
	}
	return rec
}

// Start begins the cell now: request i is due at its At from this moment, unless it
// is the later turn of a conversation.
func (d *Driver) Start() {
	d.start = d.clk.Now()
	if len(d.tape.Requests) == 0 {
		d.finish()
		return
	}
	for i := range d.tape.Requests {
		if r := &d.tape.Requests[i]; r.Turn == 0 {
			d.sends.push(r.At, i)
		}
	}
	d.armSend()
}

// Began is when Start was called, on the clock: the zero of the records' times.
func (d *Driver) Began() time.Duration { return d.start }

// Counts returns how far the run is.
func (d *Driver) Counts() Counts { return d.counts }

// Outstanding returns the integral over time so far of the number of requests
// that were sent and had not ended, in request-seconds. The driver counts it from
// its own clock as things happen, and not from the records, which must agree with
// it by Little's law.
func (d *Driver) Outstanding() float64 { return d.flow.area }

// Late returns the count of calls that came after a request's end.
func (d *Driver) Late() Late { return d.late }

// Records returns one record per request of the tape, in its order. They are
// complete once Done has been called; a record whose Outcome is empty has not
// ended.
func (d *Driver) Records() []results.Record { return d.records }

// send hands over what is due and sets the timer for what is due next. What
// fell due together goes out together, each with its own intended time.
func (d *Driver) send() {
	d.sending.rang()
	now := d.elapsed()
	var due []int
	for {
		i, ok := d.sends.due(now)
		if !ok {
			break
		}
		due = append(due, i)
	}
	d.armSend()
	for _, i := range due {
		d.offer(i, now)
	}
	d.armExpire()
}

// offer hands over a request. Only then does its deadline run, so that whatever
// the tape holds is offered, even where a stalled loop was away for longer.
func (d *Driver) offer(i int, now time.Duration) {
	d.counts.Sent++
	d.counts.Waiting++
	d.flow.change(now, 1)
	c := &d.calls[i]
	c.rec.Sent = results.Some(now)
	c.state = waiting
	cancel := d.target.Send(&d.tape.Requests[i], c)
	if c.state != ended {
		c.cancel = cancel
		d.deadlines.push(c.rec.Intended+d.cfg.Timeout, i)
	}
}

// follow makes the turn after request i due, which has ended at the given time.
func (d *Driver) follow(i int, at time.Duration) {
	if d.next == nil || d.next[i] < 0 {
		return
	}
	n := d.next[i]
	due := at + d.tape.Requests[n].Think
	d.records[n].Intended, d.records[n].Warmup = due, due < d.cfg.Warmup
	d.sends.push(due, n)
	d.armSend()
}

// expire ends the requests whose deadline has passed.
func (d *Driver) expire() {
	d.expiring.rang()
	now := d.elapsed()
	for {
		i, ok := d.deadlines.due(now)
		if !ok {
			break
		}
		c := &d.calls[i]
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
	d.armExpire()
}

func (d *Driver) armSend() {
	if e, ok := d.sends.next(); ok {
		d.sending.by(e.at, func() clock.Timer { return d.clk.At(d.start+e.at, d.send) })
	}
}

// armExpire sets the timer for the earliest deadline of a request that has not
// ended, and forgets those that have on its way there.
func (d *Driver) armExpire() {
	for {
		e, ok := d.deadlines.next()
		switch {
		case !ok:
			return
		case d.calls[e.request].state == ended:
			d.deadlines.pop()
		default:
			d.expiring.by(e.at, func() clock.Timer { return d.clk.At(d.start+e.at, d.expire) })
			return
		}
	}
}

func (d *Driver) elapsed() time.Duration { return d.clk.Now() - d.start }
