package riskcontrol

import (
	"math"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
	"github.com/cadence-bench/cadence-bench/admission/predict"
)

// staticKind is the policy of this engine's predecessor.
var staticKind = admission.Kind{
	Name:   "static-conformal",
	Source: "the predecessor's fifth rung: conformalised quantile regression (Romano, Patterson and Candès, NeurIPS 2019), calibrated once",
	Doc:    "takes a request iff an upper quantile of its latency, raised by what calibration missed, fits its SLO; needs an artifact",
	Params: []admission.Param{
		{Name: "alpha", Default: 0.05, Min: 0.001, Max: 0.5, Doc: "share of the requests that the bound may miss"},
	},
	New: func(p admission.Params, _ admission.Spec, env admission.Env) (admission.Policy, error) {
		return NewStatic(p["alpha"], env), nil
	},
}

// UpperScore names the scores of Static in Fitted: seconds above the pair's upper
// quantile, pooled in the first level, whatever that is.
const UpperScore = "upper"

// Static admits by a bound that was calibrated before and does not change. It has no
// control, no quota and no way out: where the bound is above the SLO it refuses,
// idle or not. Without a fit it takes everything.
type Static struct {
	admission.Base
	model *predict.Boosted
	add   float64 // seconds on top of the upper quantile
	known bool
	p     predict.Prediction
}

// NewStatic returns the policy for a level, with the fit of env.
func NewStatic(alpha float64, env admission.Env) *Static {
	s := &Static{model: predict.NewBoosted(env)}
	if env.Fitted == nil {
		return s
	}
	kept := env.Fitted.ScoresOf("gbm", UpperScore)
	if kept == nil || len(kept.Levels) == 0 {
		return s
	}
	var all []float64
	for _, scores := range kept.Levels[0].Scores {
		all = append(all, scores...)
	}
	s.add, s.known = conformal.Quantile(all, alpha)
	return s
}

// UpperBound is the bound of a pair's prediction with a score of UpperScore on top.
func UpperBound(p *predict.Prediction, add float64) float64 { return p.E2E[0] + p.Spread + add }

// Decide implements Policy.
func (s *Static) Decide(r *admission.Request, snap *admission.Snapshot) admission.Decision {
	d := admission.Decision{Admit: true, Reason: admission.Uncalibrated, Regime: snap.Regime(), Propensity: 1}
	if !s.model.Predict(r, snap, &s.p) || !s.known {
		return d
	}
	bound := math.Max(UpperBound(&s.p, s.add), 1e-9)
	d.Estimate, d.Bound, d.Reason = admission.Seconds(s.p.E2E[0]), admission.Seconds(bound), admission.Fits
	if slo := r.Deadline - r.Arrived; d.Bound > slo {
		d.Admit, d.Reason, d.Propensity = false, admission.TooLate, 0
		d.RetryAfter = max(d.Bound-slo, time.Millisecond)
	}
	return d
}
