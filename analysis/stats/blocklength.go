package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Ranks replaces values by their ranks from 0; equal ones share their mean rank.
func Ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	r := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			r[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return r
}

// BlockLength is the length of blocks that makes the circular block bootstrap's
// variance of the mean of such a series most accurate, rounded up: Politis and White,
// Automatic block-length selection for the dependent bootstrap, Econometric Reviews
// 23 (2004), as corrected by Patton, Politis and White (2009), with their constants
// (c = 2, K = max(5, √log₁₀ n), at most min(3√n, n/3)). It is at least n^(1/3), the
// order of the optimum (Hall, Horowitz and Jing, Biometrika 82, 1995), since a short
// series hides its dependence. A constant series has no more than that.
func BlockLength(series []float64) int {
	n := len(series)
	if n < 2 {
		return 1
	}
	size := float64(n)
	least := int(math.Ceil(math.Cbrt(size)))
	most := max(int(math.Ceil(min(3*math.Sqrt(size), size/3))), 1)
	r := autocovariances(series)
	if r[0] == 0 {
		return min(least, most)
	}
	last := lastCorrelated(r, n)
	window := 2 * last
	var g, spectrum float64 // ĝ(0), and its weighting by lag
	for k := -window; k <= window; k++ {
		lag := max(k, -k)
		if lag >= n {
			continue
		}
		flat := 1.0
		if window > 0 {
			flat = min(1, 2*(1-float64(lag)/float64(window)))
		}
		spectrum += flat * r[lag]
		g += flat * float64(lag) * r[lag]
	}
	d := 4.0 / 3 * spectrum * spectrum
	if d == 0 {
		return most
	}
	return min(max(int(math.Ceil(math.Cbrt(2*g*g/d*size))), least), most)
}

// lastCorrelated is m̂: the lag after which K correlations in a row are within the
// noise of no correlation.
func lastCorrelated(r []float64, n int) int {
	noise := 2 * math.Sqrt(math.Log10(float64(n))/float64(n))
	run := max(5, int(math.Ceil(math.Sqrt(math.Log10(float64(n))))))
	quiet, last := 0, 0
	for lag := 1; lag < n && quiet < run; lag++ {
		if math.Abs(r[lag]/r[0]) < noise {
			quiet++
		} else {
			quiet, last = 0, lag
		}
	}
	return max(last, 1)
}

func autocovariances(series []float64) []float64 {
	mean, n := stat.Mean(series, nil), len(series)
	r := make([]float64, n)
	most := min(n, 6*int(math.Ceil(math.Sqrt(float64(n))))+12)
	for lag := range most {
		for i := lag; i < n; i++ {
			r[lag] += (series[i] - mean) * (series[i-lag] - mean)
		}
		r[lag] /= float64(n)
	}
	return r
}
