package riskcontrol

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
	"github.com/cadence-bench/cadence-bench/admission/predict"
)

// Policy is conformal admission under risk control: it takes a request iff the
// bound on its E2E fits its SLO, where the level of the bound is moved so that no more
// than a share Alpha of what is taken is late.
//
// The bound at level l fits iff the request's chance of meeting its SLO is at least l.
// What it does to those that were taken before is part of the chance: a newcomer that
// ends in time at the cost of another's promise is no gain. While requests are
// refused, so is what its work would be worth to others.
type Policy struct {
	cfg      settings
	env      admission.Env
	model    predict.Predictor
	foreseer foreseer // model, if it is one
	cal      *calibration
	main     conformal.Risk // of requests that shared the engine
	idle     conformal.Risk // of those that found it idle
	coin     *rand.Rand

	flights   []flight
	next      flight             // scratch
	alone     predict.Prediction // scratch
	left      int                // scratch: who waits and was not looked at
	behind    float64            // scratch: the seconds that they take
	shut      bool               // refused the last one
	lastTaken time.Duration      // or the first arrival
	lastMain  time.Duration      // when one of main's was taken, or its θ went back
	decisions int
	taken     float64 // moving share of arrivals that are taken by the bound
	work      float64 // moving mean of arrivals' work, seconds
	scarce    float64 // moving share of arrivals that do not fit
	late      float64 // moving share of labels that are violations
	floors    floors
}

// foreseer is a predictor that also foresees what a newcomer does to those that were taken
// before, as predict.WorkModel does. See there.
type foreseer interface {
	Within(r *admission.Request, s *admission.Snapshot, horizon float64, p *predict.Prediction) (left int, behind float64, known bool)
	Exposure(s *admission.Snapshot, margins []float64, most int) (open int, late, harm float64)
	Alone(r *admission.Request, s *admission.Snapshot, p *predict.Prediction) bool
	Work() float64
}

// settings are the numbers of a Policy.
type settings struct {
	alpha, hysteresis, explore, price, brake float64
	abort                                    bool
}

const (
	// etaAlpha is η·α where η is not given: how far a request in time lowers θ. From
	// the least to where a tenth of the risk gets through are 400 of them.
	etaAlpha    = 0.005
	takenMemory = 200
	// lateMemory is over how many labels the share that is late reaches.
	lateMemory = 50
	// aliveDecay is how much of its way to the least θ goes back for each SLO in which
	// nothing is taken. Half of it lets a predictor that knows nothing forget its debts
	// faster than it pays them.
	aliveDecay = 0.1
	// mainSilence is after how many SLOs without one of main's its θ goes back, while what
	// finds the engine idle is taken. From 3 on predictors that know nothing keep the
	// promise, too.
	mainSilence = 4
)

// level is the level of the bound at θ = −log(1 − level), a scale on which a step
// changes the risk that is let through by a factor and not by an amount.
func level(theta float64) float64 { return 1 - math.Exp(-theta) }

// theta is level's inverse.
func theta(level float64) float64 { return -math.Log(1 - level) }

// Decide implements Policy.
func (c *Policy) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	if c.decisions == 0 {
		c.lastTaken, c.lastMain = s.Now, s.Now
	}
	c.decisions++
	c.floors.arrive(r.MaxTokens)
	f := &c.next
	f.id, f.regime, f.bound, f.account, f.predict.N = r.ID, s.Regime(), math.Inf(1), nil, 0
	d := admission.Decision{Regime: f.regime}
	if !c.look(r, s, f, &d) {
		return c.blind(r, s, f, d)
	}
	net, need := c.weigh(s, f, &d)
	d.Value = [4]float64{net, need}
	if net < need {
		return c.beyond(r, s, f, d)
	}
	c.shut = false
	c.taken += (1 - c.taken) / takenMemory
	d.Admit, d.Propensity, d.Reason = true, 1, admission.Fits
	switch {
	case !c.cal.enough():
		d.Reason = admission.Uncalibrated
	case f.regime == admission.Empty:
		d.Reason = admission.IdlePath
	}
	c.take(f, s.Now)
	return d
}

// weigh returns the chance of a newcomer less what it costs, and what it must have. It
// notes in d what it was held against.
func (c *Policy) weigh(s *admission.Snapshot, f *flight, d *admission.Decision) (net, need float64) {
	fits, chance := true, d.Chance
	defer func() { c.scarce += (boolean(!fits) - c.scarce) / predict.ScarceMemory }()
	if f.regime == admission.Empty { // nobody is harmed, and nothing else needs the engine
		f.account = &c.idle
		need = level(c.idle.Threshold())
		d.Threshold = thresholdOf(f.account, c.idle.Threshold())
		note(&d.Threshold, chance < need, f.account.Min, chance, 0, 0)
		return chance, need
	}
	f.account = &c.main
	open, late, harm := c.exposure(s, f.regime)
	th := c.main.With(open, late)
	// What is foreseen above alpha brakes at once and releases as soon as it is gone,
	// without a part in the sum that θ is.
	if surplus := late + harm + 1 - chance - c.cfg.alpha*float64(open+1); surplus > 0 {
		th = min(th+c.cfg.brake*c.main.Eta*surplus, c.main.Max)
	}
	need = level(th)
	net = chance - harm
	fits = net >= need
	cost := c.floors.price() * c.cost()
	need = c.hold(need)
	d.Threshold = thresholdOf(f.account, th)
	note(&d.Threshold, net-cost < need, f.account.Min, chance, harm, cost)
	return net - cost, need
}

// exposure is as foreseer.Exposure. Where nobody foresees, open requests are expected to be
// late as often as the latest were.
func (c *Policy) exposure(s *admission.Snapshot, r admission.Regime) (open int, late, harm float64) {
	if c.foreseer != nil {
		return c.foreseer.Exposure(s, c.cal.margins[r][:], c.main.Enough(len(s.Queue)+len(s.Batch)-c.left))
	}
	for i := range c.flights {
		if !c.flights[i].labelled && c.flights[i].account != nil {
			open++
		}
	}
	return open, float64(open) * c.late, 0
}

// hold asks for more after a refusal, so that the gate does not chatter.
func (c *Policy) hold(need float64) float64 {
	if c.shut {
		need += c.cfg.hysteresis * (1 - need)
	}
	return need
}

// cost is what the work of the last prediction's request is worth elsewhere: engine time
// is worth nothing while everything fits, and the more the more does not.
func (c *Policy) cost() float64 {
	if c.foreseer == nil {
		return 0
	}
	w := c.foreseer.Work()
	c.work += (w - c.work) / min(float64(c.decisions), predict.WorkMemory)
	return c.cfg.price * c.scarce * w / max(c.work, 1e-9)
}

// blind decides while there is nothing to predict by: as many are taken as can start.
func (c *Policy) blind(r *admission.Request, s *admission.Snapshot, f *flight, d admission.Decision) admission.Decision {
	d.Admit, d.Propensity, d.Reason = true, 1, admission.Uncalibrated
	f.account = &c.main
	if len(s.Queue) > 0 || len(s.Batch) >= s.MaxBatch {
		if !c.silent(r, s) {
			d.Admit, d.Propensity, d.Reason = false, 0, admission.OverLimit
			d.RetryAfter = c.jittered((r.Deadline - r.Arrived).Seconds())
			return d
		}
		d.Reason, d.Forced = admission.Alive, true
		f.account = nil
	}
	c.take(f, s.Now)
	return d
}

// beyond decides about a request whose bound does not fit: to keep alive, or to learn,
// it is taken in spite of it, and else refused.
func (c *Policy) beyond(r *admission.Request, s *admission.Snapshot, f *flight, d admission.Decision) admission.Decision {
	odds := min(1, c.cfg.explore*c.taken/max(1-c.taken, 1e-3))
	c.taken -= c.taken / takenMemory
	// Requests that find the engine idle may be all that is taken: θ of the others must
	// find its way back all the same.
	if s.Now-c.lastMain >= mainSilence*(r.Deadline-r.Arrived) {
		c.main.Theta += aliveDecay * (c.main.Min - c.main.Theta)
		c.lastMain = s.Now
	}
	switch {
	case c.silent(r, s):
		d.Admit, d.Forced, d.Propensity, d.Reason = true, true, 1, admission.Alive
		c.idle.Theta += aliveDecay * (c.idle.Min - c.idle.Theta)
	case odds > 0 && c.coin.Float64() < odds:
		d.Admit, d.Forced, d.Propensity, d.Reason = true, true, odds, admission.Explore
	default:
		c.shut = true
		d.Propensity, d.Reason = odds, admission.TooLate
		if c.infeasible(r, s, d.Value[1]) {
			d.Reason = admission.Infeasible
		}
		over := c.cal.within(&f.predict) + c.behind - (r.Deadline - r.Arrived).Seconds()
		d.RetryAfter = c.jittered(max(over, s.StepTime.Seconds(), leastRetry))
		return d
	}
	c.lookAgain(r, s, f, &d)
	f.account = nil
	c.take(f, s.Now)
	return d
}

// silent says that nothing was taken for a whole SLO.
func (c *Policy) silent(r *admission.Request, s *admission.Snapshot) bool {
	return s.Now-c.lastTaken >= r.Deadline-r.Arrived
}

// infeasible says that not even an idle engine would answer r in time as often as it
// must be.
func (c *Policy) infeasible(r *admission.Request, s *admission.Snapshot, need float64) bool {
	if c.foreseer == nil || !c.foreseer.Alone(r, s, &c.alone) {
		return false
	}
	return !c.cal.atLeast(admission.Empty, &c.alone, (r.Deadline - r.Arrived).Seconds(), min(need, 1-c.cfg.alpha))
}

// leastRetry is the shortest time in seconds that a refused client is told.
const leastRetry = 0.05

// jittered adds up to half to a time to come back after, which is how long the engine
// has to work off what is too much: those who were refused together should not come
// back together.
func (c *Policy) jittered(s float64) time.Duration {
	return admission.Seconds(s * (1 + c.coin.Float64()/2))
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
