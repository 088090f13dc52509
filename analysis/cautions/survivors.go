package cautions

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/analysis"
)

const (
	// survivorP is the chance below which completed requests are not taken for a random
	// part of the offered ones: in a run of a hundred points one is warned of wrongly.
	survivorP = 0.01
	// survivorFloor is the least shortfall of their mean length that is worth a
	// warning: below it request and token throughput tell the same.
	survivorFloor = 0.05
)

// Survivors compares the lengths of what completed with those of what was offered, over
// a point's cells.
type Survivors struct {
	Offered, Completed int     // arrivals with a scripted length
	MeanOffered        float64 // tokens
	MeanCompleted      float64
	// P is the chance that so many of the offered requests, drawn at random, are as
	// short on average as the completed ones. In each cell their sum then has the
	// variance of drawing without replacement, and over the cells it is near normal.
	P float64
}

// Shortfall is by which share of the offered mean completed answers are shorter.
func (v Survivors) Shortfall() float64 { return 1 - v.MeanCompleted/v.MeanOffered }

// Biased reports whether request throughput counts the short ones: the completed are
// shorter by more than survivorFloor, beyond what chance explains.
func (v Survivors) Biased() bool {
	return v.Completed > 0 && v.P < survivorP && v.Shortfall() > survivorFloor
}

// SurvivorsOf compares lengths over the point's used cells; ok is false when no length is
// scripted.
func SurvivorsOf(p *analysis.Point) (v Survivors, ok bool) {
	var offered, completed, expected, variance float64
	for _, c := range p.Used() {
		l := c.Lengths
		if l.Offered == 0 {
			continue
		}
		n, k := float64(l.Offered), float64(l.Completed)
		mean := l.OfferedSum / n
		v.Offered, v.Completed = v.Offered+l.Offered, v.Completed+l.Completed
		offered, completed = offered+l.OfferedSum, completed+l.CompletedSum
		expected += k * mean
		if n > 1 {
			variance += k * (n - k) / (n - 1) * (l.OfferedSquares/n - mean*mean)
		}
	}
	if v.Offered == 0 {
		return v, false
	}
	v.MeanOffered, v.P = offered/float64(v.Offered), 1
	if v.Completed > 0 {
		v.MeanCompleted = completed / float64(v.Completed)
	}
	if variance > 0 {
		v.P = distuv.UnitNormal.CDF((completed - expected) / math.Sqrt(variance))
	}
	return v, true
}
