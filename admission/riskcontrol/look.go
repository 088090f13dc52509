package riskcontrol

import (
	"github.com/cadence-bench/cadence-bench/admission"
)

// look predicts how r would do. A refusal is settled as soon as r could only start so late
// that its chance is below the least that is ever taken: then those who wait behind that
// moment are not looked at, and what is said of r's E2E goes on at the pace of those who
// start before it. The decision is the one that looking at all of them would give.
func (c *Policy) look(r *admission.Request, s *admission.Snapshot, f *flight, d *admission.Decision) (known bool) {
	c.left, c.behind = 0, 0
	slo := (r.Deadline - r.Arrived).Seconds()
	if c.foreseer == nil {
		known = c.model.Predict(r, s, &f.predict)
	} else {
		c.left, c.behind, known = c.foreseer.Within(r, s, c.cal.horizon(f.regime, slo), &f.predict)
		if c.left > 0 && !(known && c.cal.chance(f.regime, &f.predict, slo) < level(c.main.Min)) {
			c.left, c.behind = 0, 0
			known = c.model.Predict(r, s, &f.predict)
		}
	}
	if known {
		c.foretell(f, d, slo)
	}
	return known
}

// foretell fills in what the prediction says of the request.
func (c *Policy) foretell(f *flight, d *admission.Decision, slo float64) {
	d.Estimate = admission.Seconds(f.predict.Estimate() + c.behind)
	if bound, ok := c.cal.bound(f.regime, &f.predict); ok {
		f.bound, d.Bound = bound, admission.Seconds(bound+c.behind)
	}
	d.Chance, d.HasChance = c.cal.chance(f.regime, &f.predict, slo), true
}

// lookAgain looks at everybody who waits, before a request that look refused is taken all
// the same: what is learnt from it is compared with a whole prediction.
func (c *Policy) lookAgain(r *admission.Request, s *admission.Snapshot, f *flight, d *admission.Decision) {
	if c.left > 0 {
		c.left, c.behind = 0, 0
		c.model.Predict(r, s, &f.predict)
		c.foretell(f, d, (r.Deadline - r.Arrived).Seconds())
	}
}
