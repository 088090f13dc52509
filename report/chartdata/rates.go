package chartdata

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
)

const rateLabel = "offered rate (requests per second)"

// tail is p99 E2E against offered rate.
func (b *builder) tail() Chart {
	return b.latency("e2e-p99", "p99 end-to-end latency against offered rate", Panel{Y: Axis{Label: "p99 E2E latency (s)"}}, analysis.E2EP99)
}

// median is median E2E against offered rate.
func (b *builder) median() Chart {
	return b.latency("e2e-p50", "Median end-to-end latency against offered rate", Panel{Y: Axis{Label: "median E2E latency (s)"}}, analysis.E2EP50)
}

// firstToken is median and p99 TTFT against offered rate, on equal axes.
func (b *builder) firstToken() Chart {
	c := b.latency("ttft", "Time to first token against offered rate", Panel{Title: "median", Y: Axis{Label: "TTFT (s)"}}, analysis.TTFTP50)
	tail := b.latency("", "", Panel{Title: "p99", Y: Axis{Label: "TTFT (s)"}}, analysis.TTFTP99)
	c.Panels = append(c.Panels, tail.Panels...)
	c.Columns = 2
	commonAxes(c.Panels)
	return c
}

// latency is a quantile of a duration against offered rate, on a log scale, with
// the SLO when it is of E2E, the timeout when a value is bounded by it, and where the
// rungs saturate.
func (b *builder) latency(name, title string, p Panel, m analysis.Metric) Chart {
	p.X = rateAxis(b.s)
	p.Series = b.lines(m)
	p.Y = logAxis(p.Y.Label, p.Series)
	p.Rules = slices.Clone(b.knees)
	if slo, ok := only(b.s, sloOf); ok && (m.Key == analysis.E2EP99.Key || m.Key == analysis.E2EP50.Key) {
		p.Y.Min, p.Y.Max = min(p.Y.Min, slo/1.5), max(p.Y.Max, slo*1.5)
		p.Rules = append(p.Rules, Rule{Kind: SLO, At: slo, Name: "SLO " + number(slo) + " s"})
	}
	if timeout, ok := only(b.s, timeoutOf); ok && hasBound(p.Series) {
		p.Y.Max = max(p.Y.Max, timeout*1.7)
		p.Rules = append(p.Rules, Rule{Kind: Timeout, At: timeout, Name: "client timeout " + number(timeout) + " s"})
	}
	return Chart{Name: name, Title: title, Facts: b.unsaturated, Columns: 1, Panels: []Panel{p}}
}

// goodput is goodput against offered rate, beside the line on which every arrival
// would be answered within the SLO.
func (b *builder) goodput() Chart {
	return Chart{Name: "goodput", Title: "Goodput against offered rate", Facts: b.unsaturated, Columns: 1, Panels: []Panel{b.goodputPanel()}}
}

func (b *builder) goodputPanel() Panel {
	p := Panel{X: rateAxis(b.s), Series: b.lines(analysis.Goodput)}
	p.Y = linearAxis("goodput (requests per second)", RPS, p.Series, lastRate(b.s))
	p.Rules = append(slices.Clone(b.knees), Rule{Kind: Ideal, Name: "every arrival within the SLO"})
	return p
}

// refusals is goodput beside the share of arrivals that were refused. It is absent
// when nothing was.
func (b *builder) refusals() Chart {
	c := Chart{Name: "refused", Title: "Goodput and refused arrivals against offered rate", Columns: 2}
	refused := Panel{Title: "refused arrivals", X: rateAxis(b.s), Series: b.lines(refusedShare)}
	refused.X.Label = "offered rate (rps)"
	if _, most, ok := extent(refused.Series, false); !ok || most == 0 {
		c.Absent = "no rung refused a request"
		return c
	}
	refused.Y = Axis{Label: "share of arrivals refused", Unit: Share, Max: 1}
	kept := b.goodputPanel()
	kept.Title, kept.X, kept.Y.Label = "goodput", refused.X, "goodput (rps)"
	c.Panels, c.Facts = []Panel{kept, refused}, b.unsaturated
	return c
}

// refusedShare is the refused share of the arrivals of the steady window.
var refusedShare = analysis.Metric{Label: "refused", Unit: unit.Fraction, Of: func(m *analysis.CellMetrics) analysis.Value {
	if m.Arrivals == 0 {
		return analysis.Value{}
	}
	return analysis.Value{V: float64(m.Shed) / float64(m.Arrivals), OK: true}
}}

// hits is the prefix cache's hit rate against offered rate, beside what a cache
// without bounds could have had of the same requests. It is absent when no rung has a
// cache.
func (b *builder) hits() Chart {
	c := Chart{Name: "hits", Title: "Prefix-cache hit rate and its ceiling against offered rate", Columns: 1}
	ceilings, rates := withPoints(b.lines(analysis.HitCeiling)), withPoints(b.lines(analysis.HitRate))
	if len(rates) == 0 {
		c.Absent = "no rung has a prefix cache"
		return c
	}
	for i := range ceilings {
		ceilings[i].Kind = Ceiling
	}
	c.Panels = []Panel{{
		X: rateAxis(b.s), Y: Axis{Label: "share of prompt tokens from the cache", Unit: Share, Max: 1}, Series: append(ceilings, rates...),
	}}
	return c
}

// withPoints leaves out the series that have none.
func withPoints(all []Series) []Series {
	return slices.DeleteFunc(all, func(l Series) bool { return len(l.Points) == 0 })
}

// lines is a metric against offered rate, a Line for every rung.
func (b *builder) lines(m analysis.Metric) []Series {
	all := make([]Series, len(b.s.Rungs))
	for i, rung := range b.s.Rungs {
		all[i] = Series{Kind: Line, Rung: rung, Look: b.looks[rung], Name: m.Label}
		for _, p := range b.s.Of(rung) {
			if r := p.Range(m); r.N > 0 {
				all[i].Points = append(all[i].Points, ratePoint(p, r))
			}
		}
	}
	return all
}

func ratePoint(p *analysis.Point, r analysis.Range) Point {
	pt := Point{X: p.OfferedRPS, Y: r.Mean, Bound: r.Bounds > 0, Invalid: !p.Valid(), Requests: p.Total(analysis.Arrivals)}
	if r.N > 1 {
		pt.Band = &Band{Min: r.Min, Max: r.Max, Seeds: r.N}
	}
	return pt
}

func hasBound(all []Series) bool {
	return slices.ContainsFunc(all, func(l Series) bool {
		return slices.ContainsFunc(l.Points, func(p Point) bool { return p.Bound })
	})
}

// only returns the value that every cell shares.
func only(s *analysis.Sweep, of func(*analysis.CellMetrics) float64) (float64, bool) {
	if len(s.Cells) == 0 {
		return 0, false
	}
	v := of(&s.Cells[0])
	for i := range s.Cells {
		if of(&s.Cells[i]) != v {
			return 0, false
		}
	}
	return v, v > 0
}

func sloOf(m *analysis.CellMetrics) float64     { return m.SLOS }
func timeoutOf(m *analysis.CellMetrics) float64 { return m.Cell.TimeoutS }
