// Package fit fits the predictors of admission on recorded decisions, and says how
// well bounds that are calibrated on some runs hold on others.
package fit

import (
	"errors"
	"fmt"
	"math"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/gbm"
	"github.com/cadence-bench/cadence-bench/admission/predict"
	"github.com/cadence-bench/cadence-bench/admission/record"
)

// Learn fits every predictor on blocks. Those that learn on-line are told everything in
// order, block after block; the trees are trained on the requests that finished.
func Learn(blocks []record.Block) (*admission.Fitted, error) {
	env := envOf(blocks)
	work, arithmetic, quantile := predict.NewWorkModel(env), predict.NewArithmetic(env), predict.NewConstant(env)
	for i := range blocks {
		for _, p := range []predict.Predictor{work, arithmetic, quantile} {
			hear(&blocks[i], p, func(int, bool, *predict.Prediction) {})
		}
	}
	pair, err := boost(blocks)
	if err != nil {
		return nil, err
	}
	return &admission.Fitted{Work: work.State(), Arithmetic: arithmetic.State(), Quantile: quantile.State(), Boosted: pair}, nil
}

// envOf is where the first decision of blocks was made.
func envOf(blocks []record.Block) admission.Env {
	for i := range blocks {
		if len(blocks[i].Rows) > 0 {
			r := &blocks[i].Rows[0]
			return admission.Env{
				SLO:      r.Request.Deadline - r.Request.Arrived,
				MaxBatch: r.Snapshot.MaxBatch, StepTokens: r.Snapshot.StepTokens,
			}
		}
	}
	return admission.Env{}
}

// hear tells a predictor everything in a block, asks it at every decision, and tells
// said of the answer. The prediction is valid during the call.
func hear(b *record.Block, p predict.Predictor, said func(row int, known bool, pred *predict.Prediction)) {
	preds := make(map[int]*predict.Prediction, 64)
	b.Replay(record.Listener{
		Step: p.Stepped,
		Decide: func(i int, row *record.Row) {
			var pred predict.Prediction
			known := p.Predict(&row.Request, &row.Snapshot, &pred)
			said(i, known, &pred)
			if row.Ended {
				preds[i] = &pred
			}
		},
		End: func(i int, row *record.Row) {
			p.Learn(&row.Outcome, preds[i])
			delete(preds, i)
		},
	})
}

// ErrFew is wrapped by the errors about too little to fit on.
var ErrFew = errors.New("requests finished in the runs to fit on")

// leastRows is how many requests must have finished for trees to be trained.
const leastRows = 100

// boost trains the pair of quantile models.
func boost(blocks []record.Block) (*admission.QuantilePair, error) {
	var x [][]float64
	var y []float64
	for i := range blocks {
		for j := range blocks[i].Rows {
			row := &blocks[i].Rows[j]
			left := (row.Outcome.At - row.Snapshot.Now).Seconds()
			if !row.Finished() || left <= 0 {
				continue
			}
			f := make([]float64, predict.NumFeatures)
			predict.FeaturesOf(&row.Request, &row.Snapshot, f)
			x, y = append(x, f), append(y, math.Log(left))
		}
	}
	if len(x) < leastRows {
		return nil, fmt.Errorf("%d %w: at least %d are needed", len(x), ErrFew, leastRows)
	}
	pair := &admission.QuantilePair{Features: predict.FeatureNames(), Upper: predict.UpperQuantile}
	for _, m := range []struct {
		into     *gbm.Model
		quantile float64
	}{{&pair.Median, 0.5}, {&pair.High, pair.Upper}} {
		params := gbm.Defaults(m.quantile)
		params.Monotone = predict.FeatureConstraints()
		model, err := gbm.Train(x, y, params)
		if err != nil {
			return nil, err
		}
		*m.into = *model
	}
	return pair, nil
}
