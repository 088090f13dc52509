package admission

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/cadence-bench/cadence-bench/admission/conformal"
)

// Controlled is conformal admission under risk control: it takes a request iff the
// bound on its E2E fits its SLO, where the level of the bound is such that a share Alpha
// of what it takes, and not less, is late.
//
// The bound at level l fits iff the request's chance of meeting its SLO is at least
// l. What it does to those that were taken before is part of the chance: a newcomer
// that ends in time at the cost of another's promise is no gain.
type Controlled struct {
	cfg      settings
	env      Env
	model    Predictor
	foreseer Foreseer // model, if it is one
	cal      *calibration
	main     conformal.Risk // of requests that shared the engine
	idle     conformal.Risk // of those that found it idle
	coin     *rand.Rand

	flights   []flight
	spare     Prediction
	shut      bool          // refused the last one
	lastTaken time.Duration // or the first arrival
	arrived   bool
	taken     float64 // moving share of arrivals taken by the bound
	alone     float64 // moving share of arrivals that an idle engine answers in time
	decisions int
	scarce    float64
	work      float64 // moving mean, seconds
}

// settings are the numbers of Controlled.
type settings struct {
	alpha, eta, hysteresis, explore, price, brake float64
	least, most                                   float64 // θ
	abort                                         bool
	drop                                          float64
}

// flight is a request that was taken and has not ended.
type flight struct {
	id       int
	ledger   *conformal.Risk // nil: forced
	regime   Regime
	bound    float64 // seconds
	predict  Prediction
	labelled bool
}

// etaAlpha is η·α where η is not given: how far a request in time lowers θ.
const etaAlpha = 0.005

const (
	// workMemory and scarceMemory are over how many arrivals the means of their work and
	// of the share that does not fit reach, about: the second must follow a step of the
	// load within a few seconds of it.
	workMemory   = 500
	scarceMemory = 100
)

// level is the level of the bound at θ. θ is −log(1 − level), so that a step changes
// the risk that is let through by a factor and not by an amount.
func level(theta float64) float64 { return 1 - math.Exp(-theta) }

func theta(level float64) float64 { return -math.Log(1 - level) }

// Decide implements Policy.
func (c *Controlled) Decide(r *Request, s *Snapshot) Decision {
	if !c.arrived {
		c.arrived, c.lastTaken = true, s.Now
	}
	c.decisions++
	f := flight{id: r.ID, regime: s.Regime(), bound: math.Inf(1)}
	d := Decision{Regime: f.regime}
	if !c.model.Predict(r, s, &f.predict) {
		return c.blind(r, s, &f, d)
	}
	slo := (r.Deadline - r.Arrived).Seconds()
	d.Estimate = seconds(f.predict.Estimate())
	if bound, ok := c.cal.bound(f.regime, &f.predict); ok {
		f.bound, d.Bound = bound, seconds(bound)
	}
	d.Chance, d.HasChance = c.cal.chance(f.regime, &f.predict, slo), true
	f.ledger = &c.main
	net, th := d.Chance, c.main.Theta
	if f.regime == Empty {
		f.ledger = &c.idle
		th = c.idle.Theta
		c.alone += (d.Chance - c.alone) / min(float64(c.decisions), 500)
	} else {
		net, th = c.net(s, f.regime, net)
	}
	need := level(th)
	if c.shut && f.regime != Empty {
		need += c.cfg.hysteresis * (1 - need)
	}
	if f.regime != Empty && c.foreseer != nil {
		cost := c.cost()
		c.scarce += (boolean(net < need) - c.scarce) / scarceMemory
		net -= cost
	} else {
		c.scarce -= c.scarce / scarceMemory
	}
	d.Value = [4]float64{net, need, th, 0}
	fits := net >= need
	return c.settle(r, s, &f, d, fits)
}

// net is the chance of a newcomer less what it costs the others, and the threshold with
// the open requests counted as they look now.
func (c *Controlled) net(s *Snapshot, r Regime, chance float64) (net, th float64) {
	if c.foreseer == nil {
		return chance, c.main.Theta
	}
	open, late, harm := c.foreseer.Exposure(s, c.cal.margins[r][:])
	th = c.main.With(open, late)
	if surplus := late + harm + 1 - chance - c.cfg.alpha*float64(open+1); surplus > 0 {
		th = min(th+c.cfg.brake*c.main.Eta*surplus, c.main.Max)
	}
	return chance - harm, th
}

// cost is what the work of the last prediction's request is worth elsewhere: engine time
// is worth nothing while everything fits, and the more the more is refused.
func (c *Controlled) cost() float64 {
	w := c.foreseer.Work()
	c.work += (w - c.work) / min(float64(c.decisions), workMemory)
	return c.cfg.price * c.scarce * w / max(c.work, 1e-9)
}

// blind decides while there is nothing to predict by: as many are taken as can start.
func (c *Controlled) blind(r *Request, s *Snapshot, f *flight, d Decision) Decision {
	d.Propensity, d.Reason = 1, Uncalibrated
	if len(s.Queue) > 0 || len(s.Batch) >= s.MaxBatch {
		if s.Now-c.lastTaken < r.Deadline-r.Arrived {
			d.Propensity, d.Reason, d.RetryAfter = 0, OverLimit, r.Deadline-r.Arrived
			return d
		}
		d.Reason, d.Forced = Alive, true
	}
	d.Admit = true
	if !d.Forced {
		f.ledger = &c.main
	}
	c.take(f, s.Now)
	return d
}

// settle makes the decision of whether the bound fits.
func (c *Controlled) settle(r *Request, s *Snapshot, f *flight, d Decision, fits bool) Decision {
	coin := c.odds()
	c.taken += (boolean(fits) - c.taken) / min(float64(c.decisions), 200)
	switch {
	case fits:
		d.Admit, d.Propensity = true, 1
		c.shut = false
		switch {
		case !c.cal.enough():
			d.Reason = Uncalibrated
		case f.regime == Empty:
			d.Reason = IdlePath
		default:
			d.Reason = Fits
		}
	case s.Now-c.lastTaken >= r.Deadline-r.Arrived:
		d.Admit, d.Forced, d.Propensity, d.Reason = true, true, 1, Alive
		c.main.Theta = (c.main.Theta + c.start()) / 2
		c.idle.Theta = (c.idle.Theta + c.start()) / 2
	case c.cfg.explore > 0 && c.coin.Float64() < coin:
		d.Admit, d.Forced, d.Propensity, d.Reason = true, true, coin, Explore
	default:
		d.Propensity, d.Reason = coin, TooLate
		if c.cfg.explore == 0 {
			d.Propensity = 0
		}
		c.shut = true
		if c.hopelessAlone(r, s, d.Value[1]) {
			d.Reason = Infeasible
		}
		d.RetryAfter = c.retryAfter(r, s, &f.predict)
		return d
	}
	if d.Forced {
		f.ledger = nil
	}
	c.take(f, s.Now)
	return d
}

// odds is the probability with which a refused request is taken to learn from: such
// that the forced are a share explore of those that are taken by the bound.
func (c *Controlled) odds() float64 {
	return min(1, c.cfg.explore*c.taken/max(1-c.taken, 1e-3))
}

func (c *Controlled) take(f *flight, now time.Duration) {
	c.lastTaken = now
	c.flights = append(c.flights, *f)
}

// hopelessAlone says that not even an idle engine would answer r in time as often as
// needed.
func (c *Controlled) hopelessAlone(r *Request, s *Snapshot, need float64) bool {
	if c.foreseer == nil || !c.foreseer.Alone(r, s, &c.spare) {
		return false
	}
	return c.cal.chance(Empty, &c.spare, (r.Deadline-r.Arrived).Seconds()) < min(need, 1-c.cfg.alpha)
}

// retryAfter is how long the engine takes for the work that keeps r from its SLO: what
// the prediction is above it, with up to half as much again, so that those who were
// refused together do not come back together.
func (c *Controlled) retryAfter(r *Request, s *Snapshot, p *Prediction) time.Duration {
	over := max(c.cal.within(p)-(r.Deadline-r.Arrived).Seconds(), s.StepTime.Seconds(), 0.05)
	return seconds(over * (1 + c.coin.Float64()/2))
}

// Dequeue implements Policy.
func (c *Controlled) Dequeue(r *Request, d *Decision, s *Snapshot) Decision {
	out := Decision{Admit: true, Reason: Fits, Regime: d.Regime, Propensity: 1}
	if s.Now >= r.Deadline {
		out.Admit, out.Reason, out.Propensity = false, Expired, 0
	}
	return out
}

// Hopeless implements Policy.
func (c *Controlled) Hopeless(r *Request, w *Work, s *Snapshot) bool {
	return c.cfg.abort && s.Now >= r.Deadline
}

// Stepped implements Policy.
func (c *Controlled) Stepped(st Step) { c.model.Stepped(st) }

// Labelled implements Policy.
func (c *Controlled) Labelled(o *Outcome) {
	i := c.find(o.Request.ID)
	if i < 0 || c.flights[i].labelled {
		return
	}
	c.flights[i].labelled = true
	if l := c.flights[i].ledger; l != nil {
		l.Label(boolean(o.Violated))
	}
}

// Ended implements Policy.
func (c *Controlled) Ended(o *Outcome) {
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

func (c *Controlled) find(id int) int {
	for i := range c.flights {
		if c.flights[i].id == id {
			return i
		}
	}
	return -1
}

func (c *Controlled) start() float64 { return c.cfg.least }

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// seconds is a duration; one too long for the type is its longest.
func seconds(s float64) time.Duration {
	if s > 9e9 {
		return math.MaxInt64
	}
	return time.Duration(s * 1e9)
}
