package paired

import (
	"math"
	"slices"
)

// walsh returns the averages of all pairs of numbers, each with itself too, ascending:
// n(n+1)/2 of them.
func walsh(d []float64) []float64 {
	all := make([]float64, 0, len(d)*(len(d)+1)/2)
	for i, a := range d {
		for _, b := range d[i:] {
			all = append(all, a/2+b/2)
		}
	}
	slices.Sort(all)
	return all
}

// middle is the median of ascending numbers: with an even count the mean of the two in
// the middle, so that A and B may change places.
func middle(ascending []float64) float64 {
	n := len(ascending)
	if n == 0 {
		return math.NaN()
	}
	return ascending[(n-1)/2]/2 + ascending[n/2]/2
}

// criticalRank is how many Walsh averages a one-sided bound leaves out on its side: the
// largest c with P(W < c) ≤ alpha, where W is the sum of the ranks of the positive
// numbers among n that are positive or negative with equal chance. 0 says that n are
// too few for a bound: with 4 the smallest chance is 1/16.
func criticalRank(n int, alpha float64) int {
	// chance[w] is P(W = w): rank r is in the sum or not, with equal chance.
	chance := make([]float64, n*(n+1)/2+1)
	chance[0] = 1
	top := 0
	for r := 1; r <= n; r++ {
		for w := top + r; w >= 0; w-- {
			with := 0.0
			if w >= r {
				with = chance[w-r]
			}
			chance[w] = (chance[w] + with) / 2
		}
		top += r
	}
	below := 0.0
	for c, p := range chance {
		if below+p > alpha {
			return c
		}
		below += p
	}
	return len(chance)
}

// Interval is a Hodges–Lehmann estimate with one-sided bounds, each of which holds with
// the confidence that was asked for. A bound that so few numbers cannot give is infinite.
type Interval struct{ Estimate, Lower, Upper float64 }

// Estimate gives the centre of the numbers with one-sided bounds of a confidence, such
// as 0.95: together they are a two-sided interval of 90%.
func Estimate(d []float64, confidence float64) Interval {
	all := walsh(d)
	i := Interval{middle(all), math.Inf(-1), math.Inf(1)}
	if c := criticalRank(len(d), 1-confidence); c > 0 {
		i.Lower, i.Upper = all[c-1], all[len(all)-c]
	}
	return i
}
