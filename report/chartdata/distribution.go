package chartdata

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/results"
)

const (
	// maxCells bounds how many cells a curve pools.
	maxCells = 8
	// maxRanks bounds how many points a curve has: more than a screen has rows for.
	maxRanks = 200
)

// distributions are those of E2E and of ITL over the steady window, pooled
// over seeds, in a panel for the rate at which the best rung's goodput peaks and one
// for the next rate, where every rung is overloaded.
//
// That of E2E is over all arrivals: a request that was refused or had no answer never
// comes in, so that the curve ends below 1 and crosses the SLO at the attainment. They
// are absent when the rungs share no rate.
func (b *builder) distributions() (e2e, itl Chart, err error) {
	e2e = Chart{Name: "e2e-cdf", Title: "Distribution of end-to-end latency", Columns: 2}
	itl = Chart{Name: "itl-cdf", Title: "Distribution of the gaps between output tokens (ITL)", Columns: 2}
	most := 0
	for _, at := range kneeAndBeyond(b.s) {
		title := fmt.Sprintf("%s rps: %s", number(at.rate), at.why)
		left := Panel{Title: title, X: Axis{Label: "E2E latency (s)", Unit: Seconds}, Y: Axis{Label: "share of arrivals answered", Unit: Share, Max: 1}}
		right := Panel{Title: title, X: Axis{Label: "ITL (ms)", Unit: Millis}, Y: Axis{Label: "share of gaps", Unit: Share, Max: 1}}
		for _, rung := range b.s.Rungs {
			cells := b.s.Find(rung, at.rate).Used()
			most = max(most, len(cells))
			d, err := distributionOf(cells[:min(len(cells), maxCells)], b.src)
			if err != nil {
				return Chart{}, Chart{}, err
			}
			left.Series = append(left.Series, Series{Kind: Steps, Rung: rung, Look: b.looks[rung], Name: "E2E", Points: curve(d.e2e, d.arrivals)})
			right.Series = append(right.Series, Series{Kind: Steps, Rung: rung, Look: b.looks[rung], Name: "ITL", Points: curve(d.itl, len(d.itl))})
		}
		left.Series, right.Series = withPoints(left.Series), withPoints(right.Series)
		if slo, ok := only(b.s, sloOf); ok {
			left.Rules = []Rule{{Kind: SLO, OnX: true, At: slo, Name: "SLO " + number(slo) + " s"}}
		}
		e2e.Panels, itl.Panels = append(e2e.Panels, left), append(itl.Panels, right)
	}
	for _, c := range []*Chart{&e2e, &itl} {
		c.finish(most)
	}
	e2e.Facts = append(e2e.Facts, "of all arrivals: those refused or unanswered never come in")
	return e2e, itl, nil
}

// finish gives the panels of distributions one time axis.
func (c *Chart) finish(cells int) {
	if len(c.Panels) == 0 {
		c.Absent = "the rungs share no offered rate at which each has a valid cell"
		return
	}
	c.Columns = len(c.Panels)
	c.Facts = append(c.Facts, "markers at the median, p90 and p99")
	if cells > maxCells {
		c.Facts = append(c.Facts, fmt.Sprintf("the first %d of %d cells of a rung", maxCells, cells))
	}
	x := c.Panels[0].X
	x.Log, x.Min = true, math.Inf(1)
	for _, p := range c.Panels {
		for _, l := range p.Series {
			for _, pt := range l.Points {
				if pt.X > 0 {
					x.Min, x.Max = min(x.Min, pt.X), max(x.Max, pt.X)
				}
			}
		}
		for _, r := range p.Rules {
			x.Min, x.Max = min(x.Min, r.At), max(x.Max, r.At)
		}
	}
	if x.Max == 0 {
		x.Min, x.Max = 0.1, 10
	}
	x.Min, x.Max = x.Min/1.2, x.Max*1.3
	for i := range c.Panels {
		c.Panels[i].X = x
	}
}

// distribution is what the cells of one point say.
type distribution struct {
	arrivals int
	e2e      []float64 // of the answered, in seconds
	itl      []float64 // in milliseconds
}

func distributionOf(cells []*analysis.CellMetrics, src Source) (d distribution, err error) {
	for _, c := range cells {
		rows, err := src.Records(c.Cell.Key)
		if err != nil {
			return distribution{}, err
		}
		for i := range rows {
			if r := &rows[i]; c.Window.Holds(r.Intended) {
				d.add(r, c.Cell.TimeoutS)
			}
		}
	}
	slices.Sort(d.e2e)
	slices.Sort(d.itl)
	return d, nil
}

func (d *distribution) add(r *results.Record, timeoutS float64) {
	d.arrivals++
	if r.Outcome == results.Shed {
		return
	}
	if o := latency.E2EOf(r, timeoutS); !o.Censored {
		d.e2e = append(d.e2e, o.Value)
	}
	for i := 1; i < len(r.Tokens); i++ {
		d.itl = append(d.itl, 1e3*(r.Tokens[i]-r.Tokens[i-1]).Seconds())
	}
}

// Quantiles are those at which a curve of a distribution has a marker.
var Quantiles = []float64{0.5, 0.9, 0.99}

// Quantile returns the index of the first point of a distribution that reaches a share, or
// their number when none does.
func (l Series) Quantile(q float64) int {
	return sort.Search(len(l.Points), func(i int) bool { return l.Points[i].Y >= q-1e-9 })
}

// curve is the distribution of sorted values among total, at evenly spaced ranks, the
// first, the last, and the exact ranks of Quantiles.
func curve(values []float64, total int) []Point {
	n := len(values)
	if n == 0 {
		return nil
	}
	var ranks []int
	for k := range min(n, maxRanks) {
		ranks = append(ranks, 1+k*(n-1)/max(1, min(n, maxRanks)-1))
	}
	for _, q := range Quantiles {
		if r := int(math.Ceil(q*float64(total) - 1e-9)); r >= 1 && r <= n {
			ranks = append(ranks, r)
		}
	}
	slices.Sort(ranks)
	var points []Point
	for _, r := range slices.Compact(ranks) {
		points = append(points, Point{X: values[r-1], Y: float64(r) / float64(total)})
	}
	return points
}
