package conformal

import (
	"math"
	"slices"
)

// Rank is which of n scores, counted from 1 in ascending order, a new score stays at
// or below with probability at least 1 − alpha: ⌈(n+1)(1−alpha)⌉. With fewer than
// 1/alpha − 1 scores there is none, ok is false, and nothing can be promised.
func Rank(n int, alpha float64) (k int, ok bool) {
	// The product is rounded first: (99+1)·(1−0.01) is 99, not a little more.
	x := float64(n+1) * (1 - alpha)
	k = max(1, int(math.Ceil(x-1e-9*float64(n+1))))
	return k, k <= n
}

// Quantile is the score of that rank; ok as in Rank. scores need not be sorted.
func Quantile(scores []float64, alpha float64) (q float64, ok bool) {
	k, ok := Rank(len(scores), alpha)
	if !ok {
		return math.Inf(1), false
	}
	sorted := slices.Clone(scores)
	slices.Sort(sorted)
	return sorted[k-1], true
}
