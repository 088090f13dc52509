package conformal

import (
	"fmt"
	"math"
	"strings"
)

// Score is how far an outcome lay above what was predicted, in units in which one
// prediction is comparable with another.
type Score uint8

const (
	// LogRatio is log(actual/predicted): errors in proportion.
	LogRatio Score = iota
	// Absolute is actual − predicted.
	Absolute
	// Scaled is (actual − predicted)/spread, with the predictor's own spread.
	Scaled
)

var scoreNames = [...]string{"log-ratio", "absolute", "scaled"}

// ParseScore reads a score's name; "" is LogRatio.
func ParseScore(s string) (Score, error) {
	for i, name := range scoreNames {
		if s == name || s == "" && i == 0 {
			return Score(i), nil
		}
	}
	return 0, fmt.Errorf("conformal: no score is called %q; choose from %s", s, strings.Join(scoreNames[:], ", "))
}

// String is the score's name.
func (s Score) String() string { return scoreNames[s] }

// Of is the score of an outcome; actual, predicted and spread are in one unit and
// above 0.
func (s Score) Of(actual, predicted, spread float64) float64 {
	switch s {
	case Absolute:
		return actual - predicted
	case Scaled:
		return (actual - predicted) / spread
	}
	return math.Log(actual / predicted)
}

// Bound is the outcome that has score q.
func (s Score) Bound(q, predicted, spread float64) float64 {
	switch s {
	case Absolute:
		return predicted + q
	case Scaled:
		return predicted + q*spread
	}
	return predicted * math.Exp(q)
}
