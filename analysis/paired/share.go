package paired

import "gonum.org/v1/gonum/stat/distuv"

// Share is a share of gates with its Clopper–Pearson interval.
type Share struct {
	Of, All int
	Lo, Hi  float64
}

// ShareOf gives k of n with its interval of a confidence: the values that neither k or
// more of n, nor k or fewer, make unlikelier than half of what the confidence leaves
// (Clopper and Pearson, Biometrika 26, 1934). It is never too narrow. n must be above 0.
func ShareOf(k, n int, confidence float64) Share {
	s := Share{Of: k, All: n, Hi: 1}
	tail := (1 - confidence) / 2
	if k > 0 {
		s.Lo = distuv.Beta{Alpha: float64(k), Beta: float64(n-k) + 1}.Quantile(tail)
	}
	if k < n {
		s.Hi = distuv.Beta{Alpha: float64(k) + 1, Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return s
}

// Value is the share itself.
func (s Share) Value() float64 { return float64(s.Of) / float64(s.All) }
