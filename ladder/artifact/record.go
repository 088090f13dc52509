package artifact

import (
	"math"

	"github.com/cadence-bench/cadence-bench/admission/fit"
	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/results"
)

// Record is what the judgement of a fit says: every number of its tables.
type Record struct {
	Backend  string    `json:"backend"`
	Model    string    `json:"model"`
	Workload string    `json:"workload"`
	SLOS     float64   `json:"slo_s"`
	Rates    []float64 `json:"rates"`
	Seeds    []uint64  `json:"seeds"`
	HeldOut  string    `json:"held_out"`
	Folds    int       `json:"folds"`
	Blocks   int       `json:"blocks"`
	Requests int       `json:"requests"`
	NotEnded int       `json:"not_ended"` // requests of which the whole E2E is not known; nothing is made of them

	Judgements []Judgement  `json:"judgements"`
	ByRate     []Judgement  `json:"by_rate,omitempty"`
	Importance []Importance `json:"importance"`
}

// Judgement is a fit.Judgement; null is what has no requests.
type Judgement struct {
	Subject   string               `json:"subject"`
	Level     float64              `json:"level"`
	Regime    string               `json:"regime"`
	Requests  int                  `json:"requests"`
	Unbounded int                  `json:"unbounded"`
	Coverage  results.Opt[float64] `json:"coverage"`
	Low       results.Opt[float64] `json:"coverage_low"`
	High      results.Opt[float64] `json:"coverage_high"`
	Width     results.Opt[float64] `json:"median_bound_over_actual"`
	Pinball   results.Opt[float64] `json:"pinball_s"`
}

func judgements(blocks []record.Block, folds []fit.Fold) (all []Judgement, err error) {
	js, err := fit.Judge(blocks, folds)
	some := func(x float64) (o results.Opt[float64]) {
		if !math.IsNaN(x) {
			o = results.Some(x)
		}
		return o
	}
	for _, j := range js {
		all = append(all, Judgement{
			j.Subject, j.Level, j.Regime, j.Requests, j.Unbounded,
			some(j.Coverage), some(j.Low), some(j.High), some(j.Width), some(j.Pinball),
		})
	}
	return all, err
}
