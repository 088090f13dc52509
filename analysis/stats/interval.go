package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is what is known of a number: it lies in [Lo, Hi]. Bounds may be infinite.
type Interval struct{ Lo, Hi float64 }

// Unknown is what is known of a number that was not measured.
var Unknown = Interval{math.Inf(-1), math.Inf(1)}

// MeanInterval is the mean of intervals.
func MeanInterval(spans []Interval) Interval {
	var m Interval
	for _, s := range spans {
		m.Lo += s.Lo
		m.Hi += s.Hi
	}
	return Interval{orInfinite(m.Lo/float64(len(spans)), -1), orInfinite(m.Hi/float64(len(spans)), 1)}
}

// orInfinite replaces what is not a number by the infinity of that sign.
func orInfinite(v float64, sign int) float64 {
	if math.IsNaN(v) {
		return math.Inf(sign)
	}
	return v
}

// Percentile cuts (1 − confidence)/2 of the resampled means off each end.
func Percentile(drawn []Interval) Interval {
	lo, hi := make([]float64, len(drawn)), make([]float64, len(drawn))
	for i, d := range drawn {
		lo[i], hi[i] = orInfinite(d.Lo, -1), orInfinite(d.Hi, 1)
	}
	slices.Sort(lo)
	slices.Sort(hi)
	cut := max(int((1-Confidence)/2*float64(len(drawn)))-1, 0)
	return Interval{lo[cut], hi[len(hi)-1-cut]}
}

// Student is the t interval of the mean of independent values; with one value it has
// no width, and a side on which a value is infinite is infinite.
func Student(own []Interval) Interval {
	m := MeanInterval(own)
	if len(own) < 2 {
		return m
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(len(own) - 1)}.Quantile((1 + Confidence) / 2)
	half := func(of func(Interval) float64) float64 {
		values := make([]float64, len(own))
		for i, s := range own {
			values[i] = of(s)
		}
		return t * stat.StdErr(stat.StdDev(values, nil), float64(len(values)))
	}
	return Interval{
		orInfinite(m.Lo-half(func(s Interval) float64 { return s.Lo }), -1),
		orInfinite(m.Hi+half(func(s Interval) float64 { return s.Hi }), 1),
	}
}
