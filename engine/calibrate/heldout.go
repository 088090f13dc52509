package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Error is how far predictions are from steps that the fit did not see.
type Error struct {
	MedianAbsRel float64 // median of |predicted/measured − 1|
	P90AbsRel    float64
	R2           float64 // 1 − squared error over variance, of durations; NaN if these are all equal
	Bias         float64 // predicted over measured time in all, − 1
	RowsFit      int     // in the smallest fit
	RowsHeldOut  int
}

// HeldOut is the error by kind of source.
type HeldOut struct {
	All, Scripted, Scheduled Error
	// Transfer is that of a fit to the scripted rows alone on the scheduled ones.
	Transfer Error
}

// folds is how many parts the points are divided into; each is predicted by a fit to
// the others.
const folds = 5

// HoldOut divides the points (not the rows: those of a point are repetitions) into
// five parts and predicts each by a fit to the other four.
func HoldOut(rows []Row, seed uint64) (HeldOut, error) {
	fold := foldOf(rows, seed)
	y := totals(rows)
	predicted := make([]float64, len(rows))
	least := len(rows)
	for f := range folds {
		var seen []Row
		for i := range rows {
			if fold[i] != f {
				seen = append(seen, rows[i])
			}
		}
		cost, err := Fit(seen)
		if err != nil {
			return HeldOut{}, fmt.Errorf("held-out error: %w", err)
		}
		least = min(least, len(seen))
		for i := range rows {
			if fold[i] == f {
				predicted[i] = predict(&cost, &rows[i])
			}
		}
	}
	var h HeldOut
	h.All = errorOf(rows, y, predicted, least, func(*Row) bool { return true })
	h.Scripted = errorOf(rows, y, predicted, least, func(r *Row) bool { return r.Kind != Scheduled })
	h.Scheduled = errorOf(rows, y, predicted, least, func(r *Row) bool { return r.Kind == Scheduled })
	return h, h.transfer(rows, y)
}

func (h *HeldOut) transfer(rows []Row, y []float64) error {
	scripted, scheduled := split(rows)
	if len(scripted) == 0 || len(scheduled) == 0 {
		return nil
	}
	cost, err := Fit(scripted)
	if err != nil {
		return fmt.Errorf("held-out error: %w", err)
	}
	predicted := make([]float64, len(rows))
	for i := range rows {
		predicted[i] = predict(&cost, &rows[i])
	}
	h.Transfer = errorOf(rows, y, predicted, len(scripted), func(r *Row) bool { return r.Kind == Scheduled })
	return nil
}

// foldOf says which part each row is in.
func foldOf(rows []Row, seed uint64) []int {
	var points []string
	for i := range rows {
		points = append(points, rows[i].point())
	}
	slices.Sort(points)
	points = slices.Compact(points)
	of := map[string]int{}
	for k, i := range rand.New(rand.NewPCG(seed, 0xF01D)).Perm(len(points)) {
		of[points[i]] = k % folds
	}
	fold := make([]int, len(rows))
	for i := range rows {
		fold[i] = of[rows[i].point()]
	}
	return fold
}

func (l *Label) point() string { return string(l.Kind) + " " + l.Point }

func errorOf(rows []Row, y, predicted []float64, fit int, of func(*Row) bool) Error {
	e := Error{RowsFit: fit}
	var rel []float64
	var sum, sumP, squares, wrong float64
	for i := range rows {
		if of(&rows[i]) {
			rel = append(rel, math.Abs(predicted[i]/y[i]-1))
			sum, sumP, squares = sum+y[i], sumP+predicted[i], squares+y[i]*y[i]
			wrong += (y[i] - predicted[i]) * (y[i] - predicted[i])
		}
	}
	n := float64(len(rel))
	if n == 0 {
		return Error{}
	}
	e.RowsHeldOut, e.MedianAbsRel, e.P90AbsRel = len(rel), quantile(rel, 0.5), quantile(rel, 0.9)
	e.R2, e.Bias = 1-wrong/(squares-sum*sum/n), sumP/sum-1
	return e
}
