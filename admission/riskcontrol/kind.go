package riskcontrol

import (
	"math/rand/v2"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
	"github.com/cadence-bench/cadence-bench/admission/predict"
)

// controlledKind is our own policy.
var controlledKind = admission.Kind{
	Name:   "conformal",
	Source: "split conformal prediction and on-line risk control: docs/admission.md",
	Doc:    "takes a request iff the bound on its latency fits its SLO, so that a share alpha of those taken is late",
	Params: []admission.Param{
		{Name: "alpha", Default: 0.05, Min: 0.001, Max: 0.5, Doc: "share of the requests taken that may be late"},
		{Name: "eta", Default: 0, Min: 0, Max: 5, Doc: "step of the threshold at a violation; 0 is 0.005/alpha"},
		{Name: "margin", Default: 0.003, Min: 0, Max: 0.1, Doc: "how far below alpha is aimed, but no more than 0.3 alpha: a share of some hundreds is never exact"},
		{Name: "window", Default: 400, Min: 20, Max: 10000, Doc: "outcomes that calibrate a regime"},
		{Name: "least", Default: 0.2, Min: 0, Max: 0.9, Doc: "lowest chance that is ever taken"},
		{Name: "hysteresis", Default: 0, Min: 0, Max: 0.5, Doc: "share of the remaining risk that must be clear to take again after a refusal"},
		{Name: "explore", Default: 0.002, Min: 0, Max: 0.2, Doc: "forced requests per request taken by the bound"},
		{Name: "brake", Default: 3, Min: 0, Max: 10, Doc: "steps that the threshold is higher by for each violation that is foreseen above alpha of the open requests"},
		{Name: "price", Default: 2, Min: 0, Max: 100, Doc: "chance that a request of mean work must have to spare when nothing fits; less in proportion when less is refused"},
		{Name: "floor", Default: 0, Min: 0, Max: 1, Doc: "a third of the requests by longest answer is taken at least so many times as often as all are, at the cost of goodput; 0 is no floor"},
		{Name: "abort", Default: 0, Min: 0, Max: 1, Doc: "1 ends requests whose deadline has passed"},
	},
	New: func(p admission.Params, spec admission.Spec, env admission.Env) (admission.Policy, error) {
		model, err := predict.New(spec.Predictor, env)
		if err != nil {
			return nil, err
		}
		score, err := scoreOf(spec)
		if err != nil {
			return nil, err
		}
		c := New(p, model, score, env)
		if env.Fitted != nil {
			c.cal.restore(env.Fitted, predictorOf(spec))
		}
		return c, nil
	},
}

// DefaultScore is the score that a predictor has where none is named: the distance of a
// pair of quantiles says by itself how wide a bound must be, and what others miss is in
// proportion.
func DefaultScore(predictor string) string {
	if predictor == "gbm" {
		return conformal.Scaled.String()
	}
	return conformal.LogRatio.String()
}

// predictorOf is the name of the predictor that s has.
func predictorOf(s admission.Spec) string {
	if s.Predictor == "" {
		return predict.Names()[0]
	}
	return s.Predictor
}

// scoreOf is the score that s has: the one named, or its predictor's.
func scoreOf(s admission.Spec) (conformal.Score, error) {
	if s.Score == "" {
		return conformal.ParseScore(DefaultScore(predictorOf(s)))
	}
	return conformal.ParseScore(s.Score)
}

// startLate is how many late requests an account starts as if it had seen: what is held is
// (late+1)/n, which is what n requests say of the next by split conformal's rank. From
// Min it took the first violations to raise θ, and of 200 requests two are too many
// for alpha = 0.01.
const startLate = 1

// New returns the policy with a predictor of the caller's.
func New(p admission.Params, model predict.Predictor, score conformal.Score, env admission.Env) *Policy {
	alpha := p["alpha"]
	eta := p["eta"]
	if eta == 0 {
		eta = etaAlpha / alpha
	}
	risk := conformal.Risk{
		Alpha: alpha - min(p["margin"], 0.3*alpha), Eta: eta,
		// Beyond a fifth of alpha nothing is gained by being stricter, and the windows
		// cannot tell chances so near to 1 apart.
		Min: theta(p["least"]), Max: theta(1 - alpha/5),
	}
	risk.Theta = min(risk.Min+startLate*eta, risk.Max)
	c := &Policy{
		cfg: settings{
			alpha: alpha, hysteresis: p["hysteresis"], explore: p["explore"],
			price: p["price"], brake: p["brake"], abort: p["abort"] > 0,
		},
		env: env, model: model, main: risk, idle: risk,
		cal:  newCalibration(score, alpha, int(p["window"])),
		coin: rand.New(rand.NewPCG(env.Seed, 0x61646d69)),
	}
	c.floors.share = p["floor"]
	c.foreseer, _ = model.(foreseer)
	return c
}

// Kinds returns the policies of this package, in the order of the documentation.
func Kinds() []admission.Kind { return []admission.Kind{controlledKind, staticKind} }
