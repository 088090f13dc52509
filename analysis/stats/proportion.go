package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ClopperPearson bounds a proportion of which k of n independent trials were seen, with
// the chance tail of being beyond either end: the values that neither k or more of n,
// nor k or fewer, make unlikelier than tail (Clopper and Pearson, Biometrika 26, 1934).
// It is never too narrow. n must be above 0.
func ClopperPearson(k, n int, tail float64) (lo, hi float64) {
	hi = 1
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n-k) + 1}.Quantile(tail)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k) + 1, Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return lo, hi
}

// Wilson is the 95% score interval of a share of k in n (Wilson, 1927).
func Wilson(k, n float64) (lo, hi float64) {
	z := distuv.UnitNormal.Quantile(0.975)
	p, zz := k/n, z*z/n
	mid := (p + zz/2) / (1 + zz)
	half := z / (1 + zz) * math.Sqrt(p*(1-p)/n+zz/(4*n))
	return max(0, mid-half), min(1, mid+half)
}

// Proportion is a share with an interval of 95%.
type Proportion struct {
	Of, N  int // N of which Of
	P      float64
	Lo, Hi float64
	// BySeeds says that the interval is of the mean over seeds (Student's t) or, where all
	// have the same share, that of independent requests (Clopper and Pearson 1934). With
	// fewer than three seeds it is the latter too, and too narrow: requests of one queue
	// are late together.
	BySeeds bool
}

// Trials are N, of which Of those that are counted.
type Trials struct{ Of, N int }

// ProportionOf is the proportion over clusters of trials, such as the requests of one cell:
// clusters are independent of one another, trials of one cluster are not.
func ProportionOf(clusters []Trials) Proportion {
	var s Proportion
	var ratios, weights []float64
	for _, c := range clusters {
		s.Of, s.N = s.Of+c.Of, s.N+c.N
		if c.N > 0 {
			ratios, weights = append(ratios, float64(c.Of)/float64(c.N)), append(weights, float64(c.N))
		}
	}
	if s.N == 0 {
		return s
	}
	s.P = float64(s.Of) / float64(s.N)
	s.Lo, s.Hi = ClopperPearson(s.Of, s.N, 0.025)
	if len(ratios) < 3 {
		return s
	}
	s.BySeeds = true
	// The variance of the ratio of sums, by linearisation: each cluster's residual
	// k − P·n weighs as its trials do (Cochran, Sampling Techniques, 6.3).
	m := float64(len(ratios))
	residuals := make([]float64, len(ratios))
	for i := range ratios {
		residuals[i] = (ratios[i] - s.P) * weights[i]
	}
	se := math.Sqrt(m*stat.Variance(residuals, nil)) / float64(s.N)
	if se == 0 { // clusters that agree by luck, as when none has any, say nothing of their spread
		return s
	}
	t := distuv.StudentsT{Sigma: 1, Nu: m - 1}.Quantile(0.975)
	s.Lo, s.Hi = max(0, s.P-t*se), min(1, s.P+t*se)
	return s
}
