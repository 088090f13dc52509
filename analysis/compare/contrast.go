package compare

import (
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
)

// Contrast is a metric as two arms are compared by it.
type Contrast struct {
	analysis.Metric
	// Relative contrasts are natural logarithms of B over A, the others B − A in the
	// metric's unit. Either changes its sign when A and B change places.
	Relative bool

	of func(*arm, []int32) analysis.Value // each side by itself
	// per is the difference within each pair, for a contrast that is the median of
	// those; level is the quantile of each side that its size is judged by.
	per   func(*requestPairs, int) stats.Interval
	level func(*arm) *ranked
}

// Contrasts returns what can be compared, in the order of tables. A quantile's value
// is that of the tables; a paired median is of what each request gained or lost.
func Contrasts() []Contrast {
	absolute := func(m analysis.Metric, of func(*arm, []int32) analysis.Value) Contrast {
		return Contrast{Metric: m, of: of}
	}
	relative := func(m analysis.Metric, of func(*arm, []int32) analysis.Value) Contrast {
		return Contrast{Metric: m, Relative: true, of: of}
	}
	quantile := func(m analysis.Metric, p float64, of func(*arm) *ranked) Contrast {
		return relative(m, func(a *arm, times []int32) analysis.Value { return of(a).quantile(p, times) })
	}
	ttft, e2e := func(a *arm) *ranked { return &a.ttft }, func(a *arm) *ranked { return &a.e2e }
	return []Contrast{
		absolute(analysis.Goodput, func(a *arm, times []int32) analysis.Value {
			return analysis.Value{V: a.goodOf(times) / a.length, OK: a.length > 0}
		}),
		absolute(analysis.Attainment, func(a *arm, times []int32) analysis.Value {
			return analysis.Value{V: a.goodOf(times) / float64(len(a.good)), OK: len(a.good) > 0}
		}),
		quantile(analysis.TTFTP50, 0.50, ttft), quantile(analysis.TTFTP99, 0.99, ttft),
		quantile(analysis.E2EP50, 0.50, e2e), quantile(analysis.E2EP99, 0.99, e2e),
		quantile(analysis.ITLP99, 0.99, func(a *arm) *ranked { return &a.itl }),
		quantile(analysis.TPOTP50, 0.50, func(a *arm) *ranked { return &a.tpot }),
		relative(analysis.Tokens, func(a *arm, times []int32) analysis.Value {
			return analysis.Value{V: (float64(a.outside) + weighted(a.tokens, times)) / a.length, OK: a.length > 0}
		}),
		absolute(analysis.HitRate, func(a *arm, times []int32) analysis.Value {
			prompt := weighted(a.prompt, times)
			return analysis.Value{V: weighted(a.cached, times) / prompt, OK: prompt > 0}
		}),
		paired("ttft_paired_s", "TTFT, paired median", ttft, func(a *arm) []stats.Observation { return a.ttftAll }),
		paired("e2e_paired_s", "E2E, paired median", e2e, func(a *arm) []stats.Observation { return a.e2eAll }),
	}
}

func paired(key, label string, level func(*arm) *ranked, of func(*arm) []stats.Observation) Contrast {
	return Contrast{
		Metric: analysis.Metric{Key: key, Label: label, Unit: unit.Seconds, Better: analysis.Lower}, level: level,
		per: func(p *requestPairs, i int) stats.Interval { return difference(of(&p.a)[i], of(&p.b)[i]) },
	}
}

func (a *arm) goodOf(times []int32) float64 {
	n := 0
	for i, good := range a.good {
		if good {
			n += int(times[i])
		}
	}
	return float64(n)
}

func weighted(counts []int, times []int32) float64 {
	n := 0
	for i, count := range counts {
		n += count * int(times[i])
	}
	return float64(n)
}

// resolution is the clock's: a shorter duration is taken as that long in a ratio.
const resolution = 1e-9

// Interval is what a value says in the contrast's scale.
func (c *Contrast) Interval(v analysis.Value) stats.Interval {
	s := stats.Interval{Lo: v.V, Hi: v.V}
	if c.Relative {
		s.Lo = math.Log(max(v.V, resolution))
		s.Hi = s.Lo
	}
	if v.Bound {
		s.Hi = math.Inf(1)
	}
	return s
}

// difference is the contrast of one pair of cells with its pairs counted as often as
// they were drawn. What was not measured may be anything.
func (c *Contrast) difference(p *pairStat, times []int32) stats.Interval {
	if c.per != nil {
		return p.medianOf(c, times)
	}
	a, b := c.of(&p.a, times), c.of(&p.b, times)
	if !a.OK || !b.OK {
		return stats.Unknown
	}
	x, y := c.Interval(a), c.Interval(b)
	return stats.Interval{Lo: y.Lo - x.Hi, Hi: y.Hi - x.Lo}
}

// pairStat is a pair of cells with the sorted differences of its requests.
type pairStat struct {
	*requestPairs
	sorted map[string][2]ranked // by the contrast's key: lower ends and upper ends
}

func newPairStat(p *requestPairs, contrasts []Contrast) *pairStat {
	s := &pairStat{requestPairs: p, sorted: map[string][2]ranked{}}
	for _, c := range contrasts {
		if c.per == nil {
			continue
		}
		var lower, upper owned
		for i := range p.n {
			d := c.per(p, i)
			lower.add(i, stats.Observation{Value: d.Lo})
			upper.add(i, stats.Observation{Value: d.Hi})
		}
		s.sorted[c.Key] = [2]ranked{lower.rank(), upper.rank()}
	}
	return s
}

// medianOf bounds the median of the paired differences by the medians of their lower
// and of their upper ends. With an even number it is the mean of the two in the
// middle, so that A and B may change places.
func (p *pairStat) medianOf(c *Contrast, times []int32) stats.Interval {
	ends := p.sorted[c.Key]
	return stats.Interval{Lo: middle(&ends[0], times), Hi: middle(&ends[1], times)}
}

func middle(r *ranked, times []int32) float64 {
	n := 0
	for i := range r.of {
		n += int(times[i])
	}
	if n == 0 {
		return math.NaN()
	}
	low, high := nth(r.exact, (n+1)/2, n, times), nth(r.exact, n/2+1, n, times)
	if low == high {
		return low // also when both are infinite
	}
	return (low + high) / 2
}

// unitCounts counts every pair once.
func unitCounts(n int) []int32 { return slices.Repeat([]int32{1}, n) }
