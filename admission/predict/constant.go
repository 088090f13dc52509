package predict

import (
	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/conformal"
)

// Constant expects of every request the median of the latest E2E: it knows nothing of
// the request or the engine. What a policy makes of it shows what a predictor is worth.
type Constant struct {
	recent *conformal.Window
}

// constantWindow is how many of the latest requests it looks at.
const constantWindow = 200

// NewConstant returns one that has seen nothing but what it was fitted on.
func NewConstant(e admission.Env) *Constant {
	c := &Constant{recent: conformal.NewWindow(constantWindow)}
	if e.Fitted != nil && e.Fitted.Quantile != nil {
		for _, x := range e.Fitted.Quantile.Recent {
			c.recent.Add(x)
		}
	}
	return c
}

// Stepped implements Predictor.
func (c *Constant) Stepped(admission.Step) {}

// Learn implements Predictor.
func (c *Constant) Learn(o *admission.Outcome, _ *Prediction) { c.recent.Add(o.E2E().Seconds()) }

// Predict implements Predictor.
func (c *Constant) Predict(_ *admission.Request, _ *admission.Snapshot, p *Prediction) bool {
	m := max(c.recent.Middle(0.5), 1e-6)
	p.Point(m, m)
	return c.recent.Len() > 0
}
