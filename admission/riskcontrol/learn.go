package riskcontrol

import (
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
	"github.com/cadence-bench/cadence-bench/admission/predict"
)

// flight is a request that was taken and has not ended.
type flight struct {
	id       int
	account  *conformal.Risk // nil: forced
	regime   admission.Regime
	bound    float64 // seconds; +Inf: none was promised
	predict  predict.Prediction
	labelled bool
}

// take notes a request that is taken.
func (c *Policy) take(f *flight, now time.Duration) {
	c.lastTaken = now
	c.floors.took()
	if f.account == &c.main {
		c.lastMain = now
	}
	c.flights = append(c.flights, *f)
}

func (c *Policy) find(id int) int {
	for i := range c.flights {
		if c.flights[i].id == id {
			return i
		}
	}
	return -1
}

// Dequeue implements Policy: who waited until it has no chance any more does not start.
func (c *Policy) Dequeue(r *admission.Request, d *admission.Decision, s *admission.Snapshot) admission.Decision {
	out := admission.Decision{Admit: true, Reason: admission.Fits, Regime: d.Regime, Propensity: 1}
	left := (r.Deadline - s.Now).Seconds()
	if left > 0 && c.foreseer == nil {
		return out
	}
	if left <= 0 || c.foreseer.Alone(r, s, &c.alone) && c.alone.E2E[0] > (r.Deadline-r.Arrived).Seconds() {
		out.Admit, out.Reason, out.Propensity = false, admission.Expired, 0
	}
	return out
}

// Aborts implements Aborter.
func (c *Policy) Aborts() bool { return c.cfg.abort }

// Hopeless implements Policy: a request that runs is given up when its deadline has
// passed and it has tokens to come.
func (c *Policy) Hopeless(r *admission.Request, w *admission.Work, s *admission.Snapshot) bool {
	return c.cfg.abort && s.Now >= r.Deadline
}

// Stepped implements Policy.
func (c *Policy) Stepped(st admission.Step) { c.model.Stepped(st) }

// Labelled implements Policy.
func (c *Policy) Labelled(o *admission.Outcome) {
	i := c.find(o.Request.ID)
	if i < 0 || c.flights[i].labelled {
		return
	}
	c.flights[i].labelled = true
	account := c.flights[i].account
	if account == nil { // forced: it teaches, and does not count in the promise
		return
	}
	account.Label(boolean(o.Violated))
	c.late += (boolean(o.Violated) - c.late) / lateMemory
}

// Ended implements Policy.
func (c *Policy) Ended(o *admission.Outcome) {
	i := c.find(o.Request.ID)
	if i < 0 {
		return
	}
	f := &c.flights[i]
	c.model.Learn(o, &f.predict)
	if f.predict.N > 0 && f.predict.E2E[0] > 0 {
		c.cal.learn(f.regime, &f.predict, o.E2E().Seconds(), o.Output, o.Finished, f.bound)
	}
	last := len(c.flights) - 1
	c.flights[i] = c.flights[last]
	c.flights = c.flights[:last]
}
