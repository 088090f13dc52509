package fit

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/results"
)

// Levels are those at which bounds are judged.
func Levels() []float64 { return []float64{0.80, 0.90, 0.95, 0.99} }

// Judgement says how the bounds of one subject at one level held, over all folds. What
// needs requests is null where there were none.
type Judgement struct {
	Subject string  `json:"subject"`
	Level   float64 `json:"level"`
	Regime  string  `json:"regime"` // "all", or of the requests
	// Requests were judged, and a share Coverage of them ended within their bounds.
	Requests int `json:"requests"`
	// Unbounded are requests that had no bound, for lack of scores; they are not judged.
	Unbounded int                  `json:"unbounded"`
	Coverage  results.Opt[float64] `json:"coverage"`
	// Low and High are its 95% interval: whole blocks are drawn again.
	Low  results.Opt[float64] `json:"coverage_low"`
	High results.Opt[float64] `json:"coverage_high"`
	// Width is the median of bound over actual E2E: 1 would be clairvoyant.
	Width results.Opt[float64] `json:"median_bound_over_actual"`
	// Pinball is the mean pinball loss of the bound at the level, in seconds: what a
	// quantile minimises.
	Pinball results.Opt[float64] `json:"pinball_s"`
}

// verdict is the bound of one request against its outcome.
type verdict struct {
	block         int
	regime        admission.Regime
	bound, actual float64
}

// Judge calibrates and tests every subject at every level, over all folds, all in the
// same way.
func Judge(blocks []record.Block, folds []Fold) ([]Judgement, error) {
	subjects, levels := Subjects(), Levels()
	verdicts := make([][]verdict, len(subjects)*len(levels))
	for _, f := range folds {
		fitted, err := Learn(pick(blocks, f.Fit))
		if err != nil {
			return nil, err
		}
		for i, s := range subjects {
			cal, _, err := samples(s.Predictor, fitted, blocks, f.Calibrate)
			if err != nil {
				return nil, err
			}
			test, _, err := samples(s.Predictor, fitted, blocks, f.Test)
			if err != nil {
				return nil, err
			}
			for j, level := range levels {
				at := &verdicts[i*len(levels)+j]
				*at = append(*at, s.verdicts(cal, test, level)...)
			}
		}
	}
	var all []Judgement
	for i, s := range subjects {
		for j, level := range levels {
			v := verdicts[i*len(levels)+j]
			all = append(all, judge(s, level, "all", v))
			for r := range admission.Regime(admission.Regimes) {
				var of []verdict
				for _, x := range v {
					if x.regime == r {
						of = append(of, x)
					}
				}
				all = append(all, judge(s, level, r.String(), of))
			}
		}
	}
	return all, nil
}

// verdicts bounds the tested requests by the scores of the others, those of a regime by
// the regime's where they suffice and by all otherwise.
func (s Subject) verdicts(cal, test []sample, level float64) []verdict {
	var by [admission.Regimes][]float64
	var pool []float64
	for i := range cal {
		x := s.of(&cal[i], level)
		by[cal[i].regime] = append(by[cal[i].regime], x)
		pool = append(pool, x)
	}
	var q [admission.Regimes]float64
	all, _ := conformal.Quantile(pool, 1-level)
	for r := range q {
		own, ok := conformal.Quantile(by[r], 1-level)
		if q[r] = own; !ok || s.pooled() {
			q[r] = all
		}
	}
	out := make([]verdict, len(test))
	for i := range test {
		x := &test[i]
		out[i] = verdict{x.block, x.regime, math.Inf(1), x.actual}
		if !math.IsInf(q[x.regime], 1) {
			out[i].bound = s.bound(x, level, q[x.regime])
		}
	}
	return out
}

// judge sums verdicts up.
func judge(s Subject, level float64, regime string, all []verdict) Judgement {
	j := Judgement{Subject: s.Name, Level: level, Regime: regime}
	covered, judged := map[int]int{}, map[int]int{}
	var widths []float64
	n, loss := 0, 0.0
	for _, v := range all {
		if math.IsInf(v.bound, 1) {
			j.Unbounded++
			continue
		}
		j.Requests++
		judged[v.block]++
		if v.actual <= v.bound {
			covered[v.block]++
			n++
		}
		widths = append(widths, v.bound/v.actual)
		loss += pinball(level, v.actual, v.bound)
	}
	if j.Requests == 0 {
		return j
	}
	slices.Sort(widths)
	low, high := interval(covered, judged)
	j.Coverage, j.Low, j.High = results.Some(float64(n)/float64(j.Requests)), results.Some(low), results.Some(high)
	j.Width, j.Pinball = results.Some(widths[len(widths)/2]), results.Some(loss/float64(j.Requests))
	return j
}

func pinball(level, actual, bound float64) float64 {
	if actual > bound {
		return level * (actual - bound)
	}
	return (1 - level) * (bound - actual)
}

// draws is how often blocks are drawn again.
const draws = 2000

// interval is the 95% percentile interval of covered over judged when whole blocks are
// drawn with replacement: requests of one block succeed and fail together.
func interval(covered, judged map[int]int) (low, high float64) {
	var blocks []int
	for b := range judged {
		blocks = append(blocks, b)
	}
	slices.Sort(blocks)
	rng := rand.New(rand.NewPCG(1, 0x666f6c6473))
	shares := make([]float64, draws)
	for i := range shares {
		c, n := 0, 0
		for range blocks {
			b := blocks[rng.IntN(len(blocks))]
			c, n = c+covered[b], n+judged[b]
		}
		shares[i] = float64(c) / float64(n)
	}
	slices.Sort(shares)
	return shares[draws/40], shares[draws-1-draws/40]
}
