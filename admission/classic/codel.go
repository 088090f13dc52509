package classic

import (
	"math"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

var codelKind = admission.Kind{
	Name:   "codel",
	Source: "CoDel, RFC 8289: its state machine at the head of the queue; defaults for a network, where a request is a packet",
	Doc:    "takes everything, and drops from the queue ever faster while the shortest wait of an interval is above a target",
	Params: []admission.Param{
		{Name: "target", Default: 0.005, Min: 1e-4, Max: 3600, Unit: "s", Doc: "wait that is good enough", Search: admission.Range{Low: 0.001, High: 10}},
		{Name: "interval", Default: 0.1, Min: 1e-3, Max: 3600, Unit: "s", Doc: "how long the wait must be above the target before it drops, and the spacing of the first drops", Search: admission.Range{Low: 0.002, High: 10}},
	},
	New: func(p admission.Params, _ admission.Spec, _ admission.Env) (admission.Policy, error) {
		return &codel{target: p.Seconds("target"), interval: p.Seconds("interval")}, nil
	},
}

// codel has the variables of the RFC's pseudocode. A queue of one request is never
// dropped from, as there a queue of less than one packet's size is not.
type codel struct {
	admission.Base
	target, interval time.Duration

	aboveSince time.Duration // first_above_time less the interval; valid if above
	above      bool
	dropping   bool
	dropNext   time.Duration
	count      int // drops since it began dropping
	lastCount  int // count when it last began
	dropped    bool
}

// Dequeue implements Policy.
func (c *codel) Dequeue(r *admission.Request, d *admission.Decision, s *admission.Snapshot) admission.Decision {
	if c.drops(s.Now, s.Now-r.Arrived, len(s.Queue) > 0) {
		return sheds(s, admission.Overloaded)
	}
	return c.Base.Dequeue(r, d, s)
}

// drops says whether the request that has waited for this long is dropped, and takes
// the step of the state machine for it.
func (c *codel) drops(now, waited time.Duration, others bool) bool {
	long := c.tooLong(now, waited, others)
	if c.dropping {
		switch {
		case !long:
			c.dropping = false
		case c.dropped:
			c.dropNext = c.controlLaw(c.dropNext)
		}
		c.dropped = false
		if c.dropping && now >= c.dropNext {
			c.count++
			c.dropped = true
		}
		return c.dropped
	}
	if long {
		c.begin(now)
	}
	return long
}

// tooLong says whether waits have been above the target for a whole interval.
func (c *codel) tooLong(now, waited time.Duration, others bool) bool {
	switch {
	case waited < c.target || !others:
		c.above = false
		return false
	case !c.above:
		c.above, c.aboveSince = true, now
		return false
	default:
		return now >= c.aboveSince+c.interval
	}
}

// begin begins dropping, at about the pace that held the queue the last time if that
// is not long ago.
func (c *codel) begin(now time.Duration) {
	c.dropping, c.dropped = true, false
	delta := c.count - c.lastCount
	c.count = 1
	if delta > 1 && now-c.dropNext < 16*c.interval {
		c.count = delta
	}
	c.dropNext = c.controlLaw(now)
	c.lastCount = c.count
}

// controlLaw is the time of the next drop after one at t: an interval over the square
// root of the count later.
func (c *codel) controlLaw(t time.Duration) time.Duration {
	return t + time.Duration(float64(c.interval)/math.Sqrt(float64(c.count)))
}
