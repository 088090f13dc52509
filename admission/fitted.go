package admission

import "github.com/cadence-bench/cadence-bench/admission/gbm"

// Fitted is what was learnt off-line, for an engine that starts: what each predictor
// knows, and how far off it was. A nil part starts from nothing.
type Fitted struct {
	Work       *WorkState       `json:"work,omitempty"`
	Arithmetic *ArithmeticState `json:"arithmetic,omitempty"`
	Quantile   *QuantileState   `json:"quantile,omitempty"`
	Boosted    *QuantilePair    `json:"gbm,omitempty"`
	// Scores are how far actual E2E lay from predicted ones, on runs that the
	// predictor was not fitted on.
	Scores []FittedScores `json:"scores,omitempty"`
}

// FittedScores are the scores of one predictor with one kind of score.
type FittedScores struct {
	Predictor string `json:"predictor"`
	Score     string `json:"score"`
	// Given are the scores given the length of the answer, by regime.
	Given [Regimes][]float64 `json:"given"`
	// Levels are the scores against the prediction's own bound, which depends on the
	// level.
	Levels []LevelScores `json:"levels"`
}

// LevelScores are the scores of one level, by regime.
type LevelScores struct {
	Alpha  float64            `json:"alpha"`
	Scores [Regimes][]float64 `json:"scores"`
}

// WorkState is what a WorkModel has learnt.
type WorkState struct {
	Cost    CostState     `json:"cost"`
	All     LengthState   `json:"lengths"`
	Classes []LengthState `json:"classes"`
}

// CostState is what steps cost: the normal equations of the terms so far and their
// solution, in the order step, few rows, decode rows, a prefill, prompt rows, thousands of
// context tokens, copies.
type CostState struct {
	Steps   float64     `json:"steps"`
	A       [][]float64 `json:"a"`
	B       []float64   `json:"b"`
	Seconds []float64   `json:"seconds"` // per unit
	Sum     float64     `json:"sum"`     // seconds of the first steps
	Guess   float64     `json:"guess"`   // what they were expected to take
}

// LengthState is the distribution of answers of one class over their limit.
type LengthState struct {
	Class string    `json:"class,omitempty"`
	Ended []float64 `json:"ended"`
	Risk  []float64 `json:"risk"`
	// Alive is the probability of getting as far as each bin, as it was when the class
	// last learnt.
	Alive []float64 `json:"alive"`
}

// ArithmeticState is what an Arithmetic has learnt.
type ArithmeticState struct {
	Rate float64 `json:"rate"`
}

// QuantileState is what a Constant has learnt: E2E in seconds, the oldest first.
type QuantileState struct {
	Recent []float64 `json:"recent"`
}

// QuantilePair are the models of Boosted. They predict the log of the seconds from the
// decision to the end.
type QuantilePair struct {
	Features []string  `json:"features"` // names, in the order of the models' rows
	Upper    float64   `json:"upper"`    // quantile of the second model
	Median   gbm.Model `json:"median"`
	High     gbm.Model `json:"high"`
}

// ScoresOf are those of a predictor with a score of this name; nil when there are none.
func (f *Fitted) ScoresOf(predictor, score string) *FittedScores {
	for i := range f.Scores {
		if s := &f.Scores[i]; s.Predictor == predictor && s.Score == score {
			return s
		}
	}
	return nil
}
