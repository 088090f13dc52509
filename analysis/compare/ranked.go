package compare

import (
	"cmp"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
)

// owned are observations with the pair that each belongs to.
type owned []ownedObservation

type ownedObservation struct {
	stats.Observation
	of int32
}

func (o *owned) add(pair int, obs ...stats.Observation) {
	for _, one := range obs {
		*o = append(*o, ownedObservation{one, int32(pair)})
	}
}

// ranked are observations in the order of Sample: for quantiles of resampled pairs,
// where each observation counts as often as its pair was drawn.
type ranked struct {
	exact []ownedObservation // uncensored, ascending
	lower []ownedObservation // all at their lower bounds, ascending
	of    []int32            // how many observations a pair has; pairs beyond its end have none
}

func (o owned) rank() ranked {
	var r ranked
	ascending := func(a, b ownedObservation) int { return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.of, b.of)) }
	for _, one := range o {
		for len(r.of) <= int(one.of) {
			r.of = append(r.of, 0)
		}
		r.of[one.of]++
		if !one.Censored {
			r.exact = append(r.exact, one)
		}
	}
	slices.SortFunc(r.exact, ascending)
	if r.lower = r.exact; len(r.exact) < len(o) {
		r.lower = slices.Clone(o)
		slices.SortFunc(r.lower, ascending)
	}
	return r
}

// quantile is Sample.Quantile's value with pair i counted times[i] times.
func (r *ranked) quantile(p float64, times []int32) analysis.Value {
	n := 0
	for i, count := range r.of {
		n += int(count) * int(times[i])
	}
	if n == 0 {
		return analysis.Value{}
	}
	k := stats.Rank(p, n)
	v := analysis.Value{OK: true, Thin: k == n}
	exact := n
	if len(r.exact) < len(r.lower) {
		exact = 0
		for _, o := range r.exact {
			exact += int(times[o.of])
		}
	}
	if v.Bound = k > exact; v.Bound {
		v.V = nth(r.lower, k, n, times)
	} else {
		v.V = nth(r.exact, k, exact, times)
	}
	return v
}

// nth returns the value of rank k of n, from 1. It goes from the nearer end, since a
// p99 of many gaps is near the top.
func nth(ascending []ownedObservation, k, n int, times []int32) float64 {
	if k <= n/2 {
		for _, o := range ascending {
			if k -= int(times[o.of]); k <= 0 {
				return o.Value
			}
		}
	}
	k = n - k + 1
	for i := len(ascending) - 1; ; i-- {
		if k -= int(times[ascending[i].of]); k <= 0 {
			return ascending[i].Value
		}
	}
}
