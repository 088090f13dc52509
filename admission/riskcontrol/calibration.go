package riskcontrol

import (
	"math"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
	"github.com/cadence-bench/cadence-bench/admission/predict"
)

const (
	// enoughScores is how many outcomes of any regime a promise takes.
	enoughScores = 30
	// poolPull is how many scores of all regimes together count with those of one, and
	// startPull how many the start counts for.
	poolPull, startPull = 10, 4
	// startBias and startScale are the start's: a logistic distribution of
	// log(actual/predicted). It expects later arrivals to cost a tenth.
	startBias, startScale = 0.1, 0.12
	// adaptStep is γ of adaptive conformal inference, the least that Gibbs and Candès
	// use: the bound is for the record, and the threshold reacts by itself.
	adaptStep = 0.005
)

// calibration learns how far actual E2E lie from predicted ones, by regime, given the
// length of the answer. What is uncertain before the answer is known comes from the
// prediction's own knots.
type calibration struct {
	score   conformal.Score
	alpha   float64
	given   [admission.Regimes]*conformal.Window // scores given the length
	pool    *conformal.Window                    // of all regimes
	whole   [admission.Regimes]*conformal.Window // scores against the prediction's own bound
	adapt   [admission.Regimes]conformal.Adaptive
	margins [admission.Regimes][3]float64 // see predict.WorkModel.Exposure
}

func newCalibration(score conformal.Score, alpha float64, window int) *calibration {
	c := &calibration{score: score, alpha: alpha, pool: conformal.NewWindow(window)}
	for r := range c.given {
		c.given[r], c.whole[r] = conformal.NewWindow(window), conformal.NewWindow(window)
		c.adapt[r] = conformal.Adaptive{Alpha: alpha, Gamma: adaptStep, Now: alpha}
		c.remargin(admission.Regime(r))
	}
	return c
}

// enough says whether there are outcomes to promise something by.
func (c *calibration) enough() bool { return c.pool.Len() >= enoughScores }

// below is the probability that a score of the regime is at most x. Few scores are
// helped out by those of all regimes, and those by the start; with many that
// vanishes and it is the empirical distribution.
func (c *calibration) below(r admission.Regime, x, scale float64) float64 {
	if c.score == conformal.Absolute {
		scale = max(scale, 1e-9)
	} else {
		scale = 1
	}
	start := 1 / (1 + math.Exp(-(x/scale-startBias)/startScale))
	pool := (float64(c.pool.AtMost(x)) + startPull*start) / (float64(c.pool.Len()) + startPull)
	w := c.given[r]
	return (float64(w.AtMost(x)) + poolPull*pool) / float64(w.Len()+poolPull)
}

// chance is the probability that a request ends within so many seconds.
func (c *calibration) chance(r admission.Regime, p *predict.Prediction, seconds float64) float64 {
	sum := 0.0
	for k := range p.N {
		if p.Weight[k] <= 0 {
			continue
		}
		f := c.below(r, c.score.Of(seconds, max(p.E2E[k], 1e-9), max(p.Spread, 1e-9)), p.E2E[k])
		sum += p.Weight[k] * f
		if f < 1e-4 { // longer answers fit even less
			break
		}
	}
	return sum
}

// atLeast says whether the chance is at least so much. Mostly that of the longest answer is,
// and no other has less.
func (c *calibration) atLeast(r admission.Regime, p *predict.Prediction, seconds, chance float64) bool {
	const rounding = 1e-9
	last := p.N - 1
	f := c.below(r, c.score.Of(seconds, max(p.E2E[last], 1e-9), max(p.Spread, 1e-9)), p.E2E[last])
	return f > chance+rounding || c.chance(r, p, seconds) >= chance
}

// horizon is how far, in seconds, is looked to see that a request with so many seconds has
// next to no chance: beyond it neither it nor anybody before it can be expected in time.
func (c *calibration) horizon(r admission.Regime, seconds float64) float64 {
	return seconds * max(1.5, 1.1/c.margins[r][0])
}

// within is the prediction's own bound at the level: its E2E at that quantile of the
// length.
func (c *calibration) within(p *predict.Prediction) float64 { return p.Quantile(1 - c.alpha) }

// bound is the conformal bound on the E2E, in seconds; +Inf, and false, when there are
// too few outcomes for the level: then it promises nothing.
func (c *calibration) bound(r admission.Regime, p *predict.Prediction) (float64, bool) {
	w := c.whole[r]
	if _, ok := conformal.Rank(w.Len(), c.alpha); !ok {
		return math.Inf(1), false
	}
	q, _ := w.Quantile(c.adapt[r].Level(1 / float64(w.Len()+1)))
	return c.score.Bound(q, c.within(p), max(p.Spread, 1e-9)), true
}

// learn adds an outcome: it took so many seconds for output tokens. bound is what it
// was promised.
func (c *calibration) learn(r admission.Regime, p *predict.Prediction, seconds float64, output int, finished bool, bound float64) {
	s := c.score.Of(seconds, max(p.Given(max(output, 1)), 1e-9), max(p.Spread, 1e-9))
	c.given[r].Add(s)
	c.pool.Add(s)
	c.whole[r].Add(c.score.Of(seconds, max(c.within(p), 1e-9), max(p.Spread, 1e-9)))
	if !math.IsInf(bound, 1) {
		c.adapt[r].Update(!finished || seconds > bound)
	}
	c.remargin(r)
}

// remargin keeps a few equally likely factors of the time that is left.
func (c *calibration) remargin(r admission.Regime) {
	w := c.given[r]
	for i := range c.margins[r] {
		c.margins[r][i] = 1 + startBias
		if w.Len() >= enoughScores && c.score == conformal.LogRatio {
			c.margins[r][i] = math.Exp(w.Middle((float64(i) + 0.5) / float64(len(c.margins[r]))))
		}
	}
}
