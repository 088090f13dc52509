package conformal

import "math"

// Sample is one prediction and its outcome, in one unit.
type Sample struct{ Actual, Predicted, Spread float64 }

// Fold is what one run says of bounds that were calibrated on the others.
type Fold struct {
	Run      int
	Scores   int     // that it was calibrated on
	Quantile float64 // of them; +Inf when they are too few
	Covered  int     // samples of the run at or below their bound
	Samples  int
	Width    float64 // mean of bound/predicted
}

// Folds calibrates on all runs but one and tests on that one, for each. Runs and not
// requests are held out: requests of one run shared a queue and are not
// exchangeable with each other.
func Folds(runs [][]Sample, s Score, alpha float64) []Fold {
	var folds []Fold
	for i, test := range runs {
		var scores []float64
		for j, run := range runs {
			if j == i {
				continue
			}
			for _, x := range run {
				scores = append(scores, s.Of(x.Actual, x.Predicted, x.Spread))
			}
		}
		f := Fold{Run: i, Scores: len(scores), Samples: len(test)}
		f.Quantile, _ = Quantile(scores, alpha)
		for _, x := range test {
			bound := s.Bound(f.Quantile, x.Predicted, x.Spread)
			if x.Actual <= bound {
				f.Covered++
			}
			f.Width += bound / x.Predicted / float64(len(test))
		}
		if math.IsInf(f.Quantile, 1) {
			f.Width = math.Inf(1)
		}
		folds = append(folds, f)
	}
	return folds
}
