package predict

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/admission"
)

// Boosted predicts with gradient-boosted trees, as this engine's predecessor did: one
// model of the median and one of an upper quantile of log E2E. It is fitted beforehand
// (Fitted) and learns nothing on-line; without a fit it knows nothing. Outside of the
// loads that it was fitted on it says what it said at their edge.
type Boosted struct {
	pair *admission.QuantilePair
	row  [NumFeatures]float64
}

// UpperQuantile is that of the second model where nothing else is asked for.
const UpperQuantile = 0.95

// leastSpread is the least distance that is believed between median and upper quantile,
// as a share of the median: two models may cross.
const leastSpread = 0.02

// checkPair says what is wrong with a pair that was read, if anything: it must be of these
// features, and its trees must be trees.
func checkPair(q *admission.QuantilePair) error {
	if !slices.Equal(q.Features, FeatureNames()) {
		return fmt.Errorf("its features are %q, and those of this version %q", q.Features, FeatureNames())
	}
	if !(q.Upper > 0.5 && q.Upper < 1) {
		return fmt.Errorf("its upper quantile is %v", q.Upper)
	}
	return errors.Join(q.Median.Check(NumFeatures), q.High.Check(NumFeatures))
}

// NewBoosted returns a predictor with the fit of env, if it has one.
func NewBoosted(env admission.Env) *Boosted {
	if env.Fitted == nil {
		return &Boosted{}
	}
	return &Boosted{pair: env.Fitted.Boosted}
}

// Stepped implements Predictor.
func (b *Boosted) Stepped(admission.Step) {}

// Learn implements Predictor.
func (b *Boosted) Learn(*admission.Outcome, *Prediction) {}

// Predict implements Predictor.
func (b *Boosted) Predict(r *admission.Request, s *admission.Snapshot, p *Prediction) bool {
	if b.pair == nil {
		p.Point(0, 1)
		return false
	}
	FeaturesOf(r, s, b.row[:])
	waited := (s.Now - r.Arrived).Seconds()
	median := math.Exp(b.pair.Median.Predict(b.row[:]))
	high := math.Exp(b.pair.High.Predict(b.row[:]))
	p.Point(waited+median, max(high-median, leastSpread*median))
	return true
}
