package paired

import "github.com/cadence-bench/cadence-bench/analysis/stats"

// Share is a share of gates with its Clopper–Pearson interval.
type Share struct {
	Of, All int
	Lo, Hi  float64
}

// ShareOf gives k of n with its interval of a confidence: the values that neither k or
// more of n, nor k or fewer, make unlikelier than half of what the confidence leaves
// (Clopper and Pearson, Biometrika 26, 1934). It is never too narrow. n must be above 0.
func ShareOf(k, n int, confidence float64) Share {
	s := Share{Of: k, All: n}
	s.Lo, s.Hi = stats.ClopperPearson(k, n, (1-confidence)/2)
	return s
}

// Value is the share itself.
func (s Share) Value() float64 { return float64(s.Of) / float64(s.All) }
