package paired

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Verdict is what a gate says of B.
type Verdict string

const (
	Pass         Verdict = "pass"
	Regression   Verdict = "regression"
	Inconclusive Verdict = "inconclusive"
)

// Verdicts in the order of tables.
func Verdicts() []Verdict { return []Verdict{Pass, Regression, Inconclusive} }

// Rule is how a gate judges. The three verdicts exclude each other, since an estimate
// lies between its bounds:
//
//   - pass: the upper bound of the slowdown is below the margin, so B is shown not to be
//     slower by as much as that. (This is the test of non-inferiority.)
//   - regression: the lower bound is above 0, so B is shown to be slower, and the estimate
//     is at least the margin, so the slowdown is more likely than not one that matters.
//   - inconclusive: neither is shown. More pairs narrow the interval.
//
// With B equal to A a regression is called with at most the chance 1 − Confidence,
// whatever the noise; and in fact far more seldom, since the estimate must reach the
// margin too.
type Rule struct {
	// Margin is the slowdown that is accepted, as a share: 0.05 is 5%.
	Margin float64 `json:"margin"`
	// Confidence of each one-sided bound.
	Confidence float64 `json:"confidence"`
	// Power is the chance with which the smallest detectable slowdown is called.
	Power float64 `json:"power"`
}

// DefaultRule accepts 5%, half of the slowdown of 10% that a gate must not let through:
// with a margin of 10% one of exactly 10% would be as likely found below the margin as above.
func DefaultRule() Rule { return Rule{Margin: 0.05, Confidence: 0.95, Power: 0.80} }

// Check says what is wrong with the rule, if anything.
func (r Rule) Check() error {
	switch {
	case !(r.Margin > 0 && r.Margin <= 1):
		return fmt.Errorf("margin %g: give a share above 0 and at most 1, such as 5%%", r.Margin)
	case !(r.Confidence >= 0.5 && r.Confidence < 1):
		return fmt.Errorf("confidence %g: give a share from 0.5 and below 1", r.Confidence)
	case !(r.Power > 0.5 && r.Power < 1):
		return errors.New("power: give a share above 0.5 and below 1")
	}
	return nil
}

// MinPairs is the least number of pairs that a bound of this confidence exists for:
// 2⁻ⁿ ≤ 1 − Confidence. It is 5 at 95%.
func (r Rule) MinPairs() int { return int(math.Ceil(-math.Log2(1-r.Confidence) - 1e-9)) }

// Judgement is a verdict with the figures that it rests on. Slowdowns are shares of A's
// time: 0.10 is 10% slower, a negative one faster.
type Judgement struct {
	Pairs    int
	Slowdown Interval
	// Smallest is the least slowdown that pairs which scatter like these call a
	// regression with the rule's Power; +Inf when there are too few pairs.
	Smallest float64
	Verdict  Verdict
	Reason   string // in words
}

// Judge judges the pairs' logarithms of B's time over A's. One that is not finite leaves
// nothing to judge.
func (r Rule) Judge(logs []float64) Judgement {
	j := Judgement{Pairs: len(logs), Smallest: math.Inf(1), Verdict: Inconclusive}
	for i, d := range logs {
		if math.IsNaN(d) || math.IsInf(d, 0) {
			j.Slowdown = Interval{math.NaN(), math.Inf(-1), math.Inf(1)}
			j.Reason = fmt.Sprintf("pair %d has no ratio", i+1)
			return j
		}
	}
	in := Estimate(logs, r.Confidence)
	j.Slowdown = Interval{math.Expm1(in.Estimate), math.Expm1(in.Lower), math.Expm1(in.Upper)}
	if len(logs) < r.MinPairs() {
		j.Reason = fmt.Sprintf("%d pairs; a bound of %g%% takes %d", len(logs), 100*r.Confidence, r.MinPairs())
		return j
	}
	j.Smallest = math.Expm1(r.smallest(in))
	switch at := math.Log1p(r.Margin); {
	case in.Upper < at:
		j.Verdict, j.Reason = Pass, fmt.Sprintf("slower by less than %g%%", 100*r.Margin)
	case in.Lower > 0 && in.Estimate >= at:
		j.Verdict, j.Reason = Regression, fmt.Sprintf("slower, and by %g%% or more in the estimate", 100*r.Margin)
	case in.Lower > 0:
		j.Reason = fmt.Sprintf("slower, but whether by less than %g%% is not shown", 100*r.Margin)
	default:
		j.Reason = fmt.Sprintf("neither shown to be slower, nor by less than %g%%", 100*r.Margin)
	}
	return j
}

// smallest is the least true slowdown (a logarithm) that is called a regression with the
// chance Power. The estimate is taken as normal with the standard error that the
// interval's width stands for (Lehmann, Nonparametrics, section 4.4). It must lie
// z(Confidence) errors above 0 and reach the margin, each with the chance Power (Bloom,
// Minimum detectable effects, Evaluation Review 19, 1995); one implies the other.
func (r Rule) smallest(in Interval) float64 {
	z, power := distuv.UnitNormal.Quantile(r.Confidence), distuv.UnitNormal.Quantile(r.Power)
	se := (in.Upper - in.Lower) / (2 * z)
	return max(z*se, math.Log1p(r.Margin)) + power*se
}

// PairsFor is how many pairs that scatter like those of j it takes for the gate to pass,
// with the rule's Power, a B that is as fast as A. 0 says that j cannot tell.
func (r Rule) PairsFor(j Judgement) int {
	if math.IsInf(j.Smallest, 0) {
		return 0
	}
	z, power := distuv.UnitNormal.Quantile(r.Confidence), distuv.UnitNormal.Quantile(r.Power)
	se := (math.Log1p(j.Slowdown.Upper) - math.Log1p(j.Slowdown.Lower)) / (2 * z)
	need := float64(j.Pairs) * math.Pow((z+power)*se/math.Log1p(r.Margin), 2)
	return max(r.MinPairs(), int(math.Ceil(need)))
}
