package admission

import "github.com/cadence-bench/cadence-bench/admission/conformal"

// Constant expects of every request the median of the latest E2E: it knows nothing of
// the request or the engine. What a policy makes of it shows what a predictor is worth.
type Constant struct {
	recent *conformal.Window
}

// constantWindow is how many of the latest requests it looks at.
const constantWindow = 200

// NewConstant returns one that has seen nothing.
func NewConstant(Env) *Constant {
	return &Constant{recent: conformal.NewWindow(constantWindow)}
}

// Stepped implements Predictor.
func (c *Constant) Stepped(Step) {}

// Learn implements Predictor.
func (c *Constant) Learn(o *Outcome, _ *Prediction) { c.recent.Add(o.E2E().Seconds()) }

// Predict implements Predictor.
func (c *Constant) Predict(_ *Request, _ *Snapshot, p *Prediction) bool {
	m := max(c.recent.Middle(0.5), 1e-6)
	p.point(m, m)
	return c.recent.Len() > 0
}
