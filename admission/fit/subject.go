package fit

import (
	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
	"github.com/cadence-bench/cadence-bench/admission/predict"
	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/admission/riskcontrol"
)

// Subject is a predictor with a score: what is calibrated and judged.
type Subject struct {
	Name      string // in tables
	Predictor string
	Score     string
}

// Subjects are all of them: each predictor with its own score, and the
// predecessor's bound, whose scores are seconds above the trees' upper quantile, of all
// regimes together.
func Subjects() []Subject {
	var all []Subject
	for _, p := range predict.Names() {
		all = append(all, Subject{p, p, riskcontrol.DefaultScore(p)})
	}
	return append(all, Subject{"static-conformal", "gbm", riskcontrol.UpperScore})
}

// pooled says that regimes share their scores.
func (s Subject) pooled() bool { return s.Score == riskcontrol.UpperScore }

// of is the score of an outcome.
func (s Subject) of(x *sample, level float64) float64 {
	if s.pooled() {
		return x.actual - riskcontrol.UpperBound(&x.pred, 0)
	}
	score, _ := conformal.ParseScore(s.Score)
	return score.Of(x.actual, max(x.pred.Quantile(level), 1e-9), x.pred.Spread)
}

// bound is the E2E in seconds that has score q.
func (s Subject) bound(x *sample, level, q float64) float64 {
	if s.pooled() {
		return riskcontrol.UpperBound(&x.pred, q)
	}
	score, _ := conformal.ParseScore(s.Score)
	return score.Bound(q, max(x.pred.Quantile(level), 1e-9), x.pred.Spread)
}

// given is the score of an outcome given its length, as a policy keeps it.
func (s Subject) given(x *sample) float64 {
	score, _ := conformal.ParseScore(s.Score)
	return score.Of(x.actual, max(x.pred.Given(max(x.output, 1)), 1e-9), max(x.pred.Spread, 1e-9))
}

// sample is a request that finished, with what was predicted of it.
type sample struct {
	block  int
	regime admission.Regime
	actual float64 // E2E in seconds
	output int     // tokens
	pred   predict.Prediction
}

// samples tells a predictor that starts from a fit of the blocks at these indices, each
// from the same start, and keeps what it said of the requests that finished. unknown counts those of which it could
// say nothing.
func samples(predictor string, fitted *admission.Fitted, blocks []record.Block, at []int) (all []sample, unknown int, err error) {
	env := envOf(blocks)
	env.Fitted = fitted
	for _, i := range at {
		p, err := predict.New(predictor, env)
		if err != nil {
			return nil, 0, err
		}
		b := &blocks[i]
		hear(b, p, func(row int, known bool, pred *predict.Prediction) {
			r := &b.Rows[row]
			switch {
			case !r.Finished():
			case !known:
				unknown++
			default:
				all = append(all, sample{i, r.Snapshot.Regime(), r.E2E(), r.Outcome.Output, *pred})
			}
		})
	}
	return all, unknown, nil
}
