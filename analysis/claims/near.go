package claims

import "github.com/cadence-bench/cadence-bench/analysis/stats"

// NearPoints is how far from alpha the late share may be where θ is interior.
const NearPoints = 0.02

// Near says whether a share is within so much of a value: it holds when the whole interval
// is, and does not when none of it is. An interval that is not over seeds is too narrow
// to tell; one over seeds that agree by luck is widened to that of as many independent
// requests.
func Near(p stats.Proportion, value, within float64) Verdict {
	if p.N == 0 || !p.BySeeds {
		return Open
	}
	lo, hi := stats.ClopperPearson(p.Of, p.N, 0.025)
	lo, hi = min(lo, p.Lo), max(hi, p.Hi)
	switch {
	case max(hi-value, value-lo) <= within:
		return Holds
	case lo > value+within || hi < value-within:
		return DoesNotHold
	}
	return Open
}
