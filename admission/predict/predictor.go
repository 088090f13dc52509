package predict

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/admission"
)

// Knots is how many lengths of its own answer a prediction may be given for.
const Knots = lengthBins + 1

// Prediction is the E2E of one request as a predictor expects it, given how long its
// answer will be, which nobody knows: knot k has weight Weight[k] and lasts E2E[k].
// A predictor that does not part by length has one knot. It belongs to the caller
// and is small enough to be kept with the request.
type Prediction struct {
	N      int
	E2E    [Knots]float64 // seconds from the arrival; ascending
	Weight [Knots]float64 // sum to 1
	// Length[k] is the answer's length at knot k in tokens, ascending; 0 for one knot.
	Length [Knots]float64
	// Spread is the predictor's own measure of doubt in seconds, for scaled scores:
	// of a pair of quantiles their distance. Above 0.
	Spread float64
}

// Estimate is the expected E2E in seconds.
func (p *Prediction) Estimate() float64 {
	sum := 0.0
	for k := range p.N {
		sum += p.Weight[k] * p.E2E[k]
	}
	return sum
}

// Quantile is p's own bound at a level: its E2E at that quantile of the length.
func (p *Prediction) Quantile(level float64) float64 {
	for k := range p.N {
		if level -= p.Weight[k]; level <= 0 {
			return p.E2E[k]
		}
	}
	return p.E2E[p.N-1]
}

// Given is the E2E in seconds that p expects of an answer of output tokens.
func (p *Prediction) Given(output int) float64 {
	if p.N == 1 {
		return p.E2E[0]
	}
	x := float64(output)
	for k := 1; k < p.N; k++ {
		if x < p.Length[k] || k == p.N-1 {
			if d := p.Length[k] - p.Length[k-1]; d > 0 {
				at := p.E2E[k-1] + (p.E2E[k]-p.E2E[k-1])*(x-p.Length[k-1])/d
				return max(at, p.E2E[0]*min(1, x/max(p.Length[0], 1)))
			}
		}
	}
	return p.E2E[p.N-1]
}

// Point makes p a prediction that does not part by length.
func (p *Prediction) Point(seconds, spread float64) {
	p.N, p.E2E[0], p.Weight[0], p.Length[0], p.Spread = 1, seconds, 1, 0, spread
}

// Predictor expects how long a request will take. It learns from what a policy is
// told, and lives on the policy's loop. Predict must not keep its arguments, and must
// not change what a later call returns: it is a question.
type Predictor interface {
	// Predict fills in p. It reports whether it knows enough to predict at all.
	Predict(r *admission.Request, s *admission.Snapshot, p *Prediction) bool
	// Stepped tells of a step that ended.
	Stepped(st admission.Step)
	// Learn tells of a request that ended, with what Predict had said of it.
	Learn(o *admission.Outcome, p *Prediction)
}

// Names lists the predictors that a Spec may name, the default first.
func Names() []string {
	var all []string
	for _, p := range predictors {
		all = append(all, p.name)
	}
	return all
}

// predictors are those there are. Each is defined in a file of its own.
var predictors = []struct {
	name string
	make func(env admission.Env) Predictor
}{
	{"work", func(e admission.Env) Predictor { return NewWorkModel(e) }},
	{"gbm", func(e admission.Env) Predictor { return NewBoosted(e) }},
	{"arithmetic", func(e admission.Env) Predictor { return NewArithmetic(e) }},
	{"quantile", func(e admission.Env) Predictor { return NewConstant(e) }},
}

// New makes the predictor of this name; "" is the default.
func New(name string, env admission.Env) (Predictor, error) {
	for i, p := range predictors {
		if p.name == name || name == "" && i == 0 {
			return p.make(env), nil
		}
	}
	return nil, fmt.Errorf("admission: no predictor is called %q; choose from %s", name, strings.Join(Names(), ", "))
}
