package predict

import (
	"github.com/cadence-bench/cadence-bench/admission"
)

// Arithmetic expects a request after the tokens ahead of it and its own at the rate at
// which tokens are computed: what a server without a model of its steps would do.
type Arithmetic struct {
	rate float64 // rows per second while busy, moving average
}

// rateWeight is the weight of a second of steps in the average.
const rateWeight = 0.1

// NewArithmetic returns one that has seen nothing but what it was fitted on.
func NewArithmetic(e admission.Env) *Arithmetic {
	if e.Fitted == nil || e.Fitted.Arithmetic == nil {
		return &Arithmetic{}
	}
	return &Arithmetic{rate: e.Fitted.Arithmetic.Rate}
}

// Stepped implements Predictor.
func (a *Arithmetic) Stepped(st admission.Step) {
	d := st.Duration.Seconds()
	if d <= 0 || st.Prefill+st.Decode == 0 {
		return
	}
	r := float64(st.Prefill+st.Decode) / d
	if a.rate == 0 {
		a.rate = r
	}
	a.rate += (r - a.rate) * min(1, rateWeight*d)
}

// Learn implements Predictor.
func (a *Arithmetic) Learn(*admission.Outcome, *Prediction) {}

// Predict implements Predictor.
func (a *Arithmetic) Predict(r *admission.Request, s *admission.Snapshot, p *Prediction) bool {
	tokens := float64(r.Fresh() + r.MaxTokens)
	for i := range s.Batch {
		tokens += float64(s.Batch[i].Prefill + s.Batch[i].Left())
	}
	for i := range s.Queue {
		tokens += float64(s.Queue[i].Prefill + s.Queue[i].Left())
	}
	seconds := (s.Now - r.Arrived).Seconds() + tokens/max(a.rate, 1e-9)
	p.Point(seconds, seconds)
	return a.rate > 0
}
