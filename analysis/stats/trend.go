package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence of every interval.
const Confidence = 0.95

// Trend is the straight line through a series whose values may depend on those
// before them.
type Trend struct {
	N      int // values
	Blocks int // into which they were averaged, so that neighbours no longer depend on each other
	// Slope is the median slope between two blocks, per unit of time (Theil 1950, Sen,
	// JASA 63, 1968), and Lo and Hi its 95% interval from the distribution of Kendall's
	// S; infinite when there are too few blocks for one.
	Slope, Lo, Hi float64
	// P is the chance of so large a Kendall's S, in either direction, without a trend
	// (Mann, Econometrica 13, 1945); exact up to exactBlocks blocks.
	P float64
}

const (
	// fewestBlocks is the least number of values with an interval for their slope: of
	// the 5! orders of five, one rises throughout, which is within 2.5%.
	fewestBlocks = 5
	// exactBlocks is up to where the distribution of S is counted. Its normal
	// approximation is already good from ten on.
	exactBlocks = 50
)

// TrendOf fits a trend to values at ascending times. Queues and machine speeds are
// correlated in time, which makes tests for a trend see one everywhere. So adjacent
// values are averaged in pairs, again and again, until the correlation of neighbours
// about the line is gone (the batch means of simulation, after Fishman, Management
// Science 24, 1978) or no more than fewestBlocks to twice that are left. ok is false
// when there are fewer than fewestBlocks.
func TrendOf(at, values []float64) (t Trend, ok bool) {
	t.N = len(values)
	if t.N < fewestBlocks {
		return t, false
	}
	for {
		slopes := slopesOf(at, values)
		t.Blocks, t.Slope = len(values), Median(slopes)
		if len(values)/2 < fewestBlocks || !dependent(at, values, t.Slope) {
			t.P, t.Lo, t.Hi = kendall(slopes, len(values))
			return t, true
		}
		at, values = pairwise(at), pairwise(values)
	}
}

// pairwise averages neighbours; a last one without a neighbour is averaged with the
// pair before it.
func pairwise(values []float64) []float64 {
	means := make([]float64, len(values)/2)
	for i := range means {
		end := 2*i + 2
		if i == len(means)-1 {
			end = len(values)
		}
		means[i] = stat.Mean(values[2*i:end], nil)
	}
	return means
}

// slopesOf returns the slopes of all pairs, ascending. Values of one time have none.
func slopesOf(at, values []float64) []float64 {
	slopes := make([]float64, 0, len(values)*(len(values)-1)/2)
	for j := range values {
		for i := range j {
			if at[j] > at[i] {
				slopes = append(slopes, (values[j]-values[i])/(at[j]-at[i]))
			}
		}
	}
	slices.Sort(slopes)
	return slopes
}

// Median is the mean of the two middle values, 0 of none.
func Median(ascending []float64) float64 {
	n := len(ascending)
	if n == 0 {
		return 0
	}
	return (ascending[(n-1)/2] + ascending[n/2]) / 2
}

// dependent reports whether neighbours about a line are more alike than one standard
// error of independent ones, after the small-sample bias of about −2/n that a fitted
// line leaves. One error and not two: to average once too often costs a wider
// interval, once too little a false trend.
func dependent(at, values []float64, slope float64) bool {
	n := len(values)
	off := make([]float64, n)
	for i := range off {
		off[i] = values[i] - slope*at[i]
	}
	mean := stat.Mean(off, nil)
	var variance, covariance float64
	for i := range off {
		variance += (off[i] - mean) * (off[i] - mean)
		if i > 0 {
			covariance += (off[i] - mean) * (off[i-1] - mean)
		}
	}
	size := float64(n)
	return variance > 0 && covariance/variance+2/size > 1/math.Sqrt(size)
}

// kendall tests the sorted slopes of n values for a trend and bounds their median.
func kendall(slopes []float64, n int) (p, lo, hi float64) {
	s := 0
	for _, slope := range slopes {
		switch {
		case slope > 0:
			s++
		case slope < 0:
			s--
		}
	}
	upper := upperTail(n)
	p = min(1, 2*upper(max(s, -s)))
	critical, pairs := 0, len(slopes)
	for critical <= pairs && upper(critical) > (1-Confidence)/2 {
		critical++
	}
	if (pairs-critical)%2 != 0 {
		critical++
	}
	if critical > pairs {
		return p, math.Inf(-1), math.Inf(1)
	}
	k := (pairs - critical) / 2
	return p, slopes[k], slopes[pairs-1-k]
}

// upperTail returns P(S ≥ s) of n values in random order. S = pairs − 2·(inversions),
// and inversions are counted by inserting one value after the other.
func upperTail(n int) func(s int) float64 {
	pairs := n * (n - 1) / 2
	if n > exactBlocks {
		size := float64(n)
		sd := math.Sqrt(size * (size - 1) * (2*size + 5) / 18)
		return func(s int) float64 { return distuv.UnitNormal.Survival((float64(s) - 1) / sd) }
	}
	chance := make([]float64, pairs+1) // of so many inversions
	chance[0] = 1
	for k := 2; k <= n; k++ {
		next := make([]float64, pairs+1)
		for i, c := range chance {
			for j := 0; j < k && c > 0 && i+j <= pairs; j++ {
				next[i+j] += c / float64(k)
			}
		}
		chance = next
	}
	for i := 1; i <= pairs; i++ {
		chance[i] += chance[i-1]
	}
	return func(s int) float64 { return chance[min(max((pairs-s)/2, 0), pairs)] }
}

// Autocorrelation of a series with itself lag places on; not ok when it is constant.
func Autocorrelation(x []float64, lag int) (c float64, ok bool) {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	var with, all float64
	for i, v := range x {
		all += (v - mean) * (v - mean)
		if i >= lag {
			with += (v - mean) * (x[i-lag] - mean)
		}
	}
	if all == 0 {
		return 0, false
	}
	return with / all, true
}
