package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// Observation is one measured value or, when Censored, a lower bound of one.
type Observation struct {
	Value    float64
	Censored bool
}

// Sample is a set of observations, ready for quantiles.
type Sample struct {
	exact []float64 // uncensored values, ascending
	lower []float64 // every value at its lower bound, ascending
}

// Upper is the value, or infinity where it is only a bound.
func (o Observation) Upper() float64 {
	if o.Censored {
		return math.Inf(1)
	}
	return o.Value
}

// NewSample sorts the observations. It does not keep the slice.
func NewSample(obs []Observation) Sample {
	exact := make([]float64, 0, len(obs))
	for _, o := range obs {
		if !o.Censored {
			exact = append(exact, o.Value)
		}
	}
	if len(exact) == len(obs) {
		return NewExact(exact)
	}
	slices.Sort(exact)
	lower := make([]float64, len(obs))
	for i, o := range obs {
		lower[i] = o.Value
	}
	slices.Sort(lower)
	return Sample{exact: exact, lower: lower}
}

// NewExact sorts and keeps values, none of them censored.
func NewExact(values []float64) Sample {
	slices.Sort(values)
	return Sample{exact: values, lower: values}
}

// Censored returns how many of the observations are censored.
func (s Sample) Censored() int { return len(s.lower) - len(s.exact) }

// Len returns the number of observations, censored ones included.
func (s Sample) Len() int { return len(s.lower) }

// Quantile is an order statistic with its uncertainty, in the unit of the sample.
type Quantile struct {
	P float64
	N int // observations; 0 means that nothing was measured and the rest means nothing
	// Value is the observation of rank ⌈P·N⌉ in ascending order, censored ones
	// last. There is no interpolation: it is always a latency that occurred.
	Value float64
	// Censored says that the rank falls on a censored observation. The quantile
	// is then above Value, the largest bound that the sample proves: the rank's
	// value with every censored observation at its own bound.
	Censored bool
	// Lo and Hi bound the population's quantile with 95% confidence for
	// independent observations: the order statistics whose ranks enclose the
	// binomial count of observations below it. Lo is 0 and Hi is +Inf when the
	// sample is too small to bound that side, or the bound is censored.
	// Requests that queue behind each other are not independent, so the interval
	// within one cell is too narrow; the spread over seeds is the other witness.
	Lo, Hi float64
	// Supported is false when there are fewer than Need observations. Then the sample
	// says nothing of how large the population's quantile may be: Hi is +Inf even if
	// all were answered. Below about a quarter of that, for a p99 below 100, the value
	// is merely the maximum.
	Supported bool
	Need      int
}

// Quantile returns the p-quantile, 0 < p < 1.
func (s Sample) Quantile(p float64) Quantile {
	n := s.Len()
	q := Quantile{P: p, N: n, Need: Need(p)}
	if n == 0 {
		return q
	}
	k := Rank(p, n)
	q.Supported = n >= q.Need
	q.Censored = k > len(s.exact)
	q.Value = s.at(k)
	q.Lo, q.Hi = 0, math.Inf(1)
	lo, hi := intervalRanks(p, n)
	if lo > 0 {
		q.Lo = s.lower[lo-1]
	}
	if hi <= len(s.exact) {
		q.Hi = s.exact[hi-1]
	}
	return q
}

// at returns the observation of rank k, from 1: exact below the censored ones,
// and a lower bound from there on.
func (s Sample) at(k int) float64 {
	if k <= len(s.exact) {
		return s.exact[k-1]
	}
	return s.lower[k-1]
}

// rankSlack absorbs the rounding of p·n, as in 0.07·100 = 7.000000000000001.
const rankSlack = 1e-9

// Rank returns ⌈p·n⌉, within 1 … n: the nearest-rank definition.
func Rank(p float64, n int) int {
	return min(max(int(math.Ceil(p*float64(n)-rankSlack)), 1), n)
}

// NotMaximum returns the smallest n whose rank ⌈p·n⌉ is below n.
func NotMaximum(p float64) int {
	n := int(math.Floor(1/(1-p))) - 1
	for n < 1 || Rank(p, n) >= n {
		n++
	}
	return n
}

// Need returns how many independent observations it takes until one of them is above
// the p-quantile of the population with the confidence of an interval's upper end:
// the smallest n with 1 − pⁿ ≥ 97.5%. A smaller sample has no upper end.
func Need(p float64) int {
	n := int(math.Ceil(math.Log((1-Confidence)/2) / math.Log(p)))
	for n > 1 && -math.Expm1(float64(n-1)*math.Log(p)) >= (1+Confidence)/2 {
		n-- // the logarithms' quotient was rounded up
	}
	return n
}

// NeedOf returns the same when a share of the observations is censored and thus above
// all others: the smallest n at which the upper end falls on an uncensored one. It is
// 0 when no number will do, as the quantile itself is censored then.
func NeedOf(p, censored float64) int {
	if censored >= 1-p {
		return 0
	}
	fits := func(n int) bool {
		_, hi := intervalRanks(p, n)
		return hi <= n-int(math.Ceil(censored*float64(n)-rankSlack))
	}
	above := Need(p)
	for !fits(above) {
		if above *= 2; above > 1<<30 {
			return 0
		}
	}
	return sort.Search(above, fits)
}

// intervalRanks returns the ranks of the order statistics that bound the
// p-quantile of n independent observations, each side with 97.5% confidence:
// with B ~ Binomial(n, p), the largest lo with P(B < lo) ≤ 2.5% and the smallest
// hi with P(B < hi) ≥ 97.5%. lo is 0 and hi is n+1 when there is none. (David
// and Nagaraja, Order Statistics, section 7.1.)
func intervalRanks(p float64, n int) (lo, hi int) {
	const tail = (1 - Confidence) / 2
	b := distuv.Binomial{N: float64(n), P: p}
	below := func(k int) float64 { return b.CDF(float64(k - 1)) } // P(B < k)
	lo = sort.Search(n, func(i int) bool { return below(i+1) > tail })
	hi = 1 + sort.Search(n, func(i int) bool { return below(i+1) >= 1-tail })
	return lo, hi
}

// Pool puts samples together.
func Pool(samples []Sample) Sample {
	var all []Observation
	for _, s := range samples {
		for _, v := range s.exact {
			all = append(all, Observation{Value: v})
		}
		for _, v := range s.bounds() {
			all = append(all, Observation{Value: v, Censored: true})
		}
	}
	return NewSample(all)
}

// bounds returns the bounds of the censored observations: what lower has over exact.
func (s Sample) bounds() []float64 {
	if len(s.exact) == len(s.lower) {
		return nil
	}
	open := make([]float64, 0, len(s.lower)-len(s.exact))
	i := 0
	for _, v := range s.lower {
		if i < len(s.exact) && s.exact[i] == v {
			i++
			continue
		}
		open = append(open, v)
	}
	return open
}
