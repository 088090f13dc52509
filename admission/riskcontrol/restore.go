package riskcontrol

import (
	"math"

	"github.com/cadence-bench/cadence-bench/admission"
)

// restore puts scores that were kept into c, as far as there are any of its predictor, its
// score and its level.
func (c *calibration) restore(f *admission.Fitted, predictor string) {
	s := f.ScoresOf(predictor, c.score.String())
	if s == nil {
		return
	}
	inTurn(s.Given, func(r int, x float64) {
		c.given[r].Add(x)
		c.pool.Add(x)
	})
	for r := range s.Given {
		c.remargin(admission.Regime(r))
	}
	for _, l := range s.Levels {
		if math.Abs(l.Alpha-c.alpha) < 1e-9 {
			inTurn(l.Scores, func(r int, x float64) { c.whole[r].Add(x) })
		}
	}
}

// inTurn gives the scores of the regimes in turn, so that a window of all of them holds
// some of each.
func inTurn(by [admission.Regimes][]float64, add func(r int, x float64)) {
	for i := 0; ; i++ {
		more := false
		for r := range by {
			if i < len(by[r]) {
				more = true
				add(r, by[r][i])
			}
		}
		if !more {
			return
		}
	}
}
