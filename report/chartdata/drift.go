package chartdata

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// maxProbed bounds how many cells drift draws.
const maxProbed = 1000

// drift is the machine's speed by the probes before and after every cell, invalid ones
// and anchors included, over the time since the sweep began or, where the cells have no date, over
// their order. It is absent when no cell has a probe.
func (b *builder) drift() Chart {
	c := Chart{Name: "probes", Title: "The machine's speed before and after each cell", Columns: 1}
	var probed []*analysis.CellMetrics
	for _, c := range b.s.All() {
		if c.Cell.ProbeBefore.OK {
			probed = append(probed, &c)
		}
	}
	if len(probed) == 0 {
		c.Absent = "no cell has a probe of the machine's speed"
		return c
	}
	step := stride(len(probed), maxProbed)
	c.Facts = thinned(step, "cell")
	var shown []*analysis.CellMetrics
	for i := 0; i < len(probed); i += step {
		shown = append(shown, probed[i])
	}
	x := clockOf(shown)
	for _, of := range []struct {
		name  string
		speed func(results.Probe) float64
	}{
		{"decode", func(p results.Probe) float64 { return p.DecodeTokensPerS }},
		{"prefill", func(p results.Probe) float64 { return p.PrefillTokensPerS }},
	} {
		p := Panel{X: x.axis, Series: b.driftOf(shown, x, of.name, of.speed)}
		p.Y = linearAxis(of.name+" (tok/s)", TokensPerS, p.Series, 1)
		c.Panels = append(c.Panels, p)
	}
	return c
}

// clock places the probes of a cell on the x axis.
type clock struct {
	axis          Axis
	before, after func(*analysis.CellMetrics) float64
}

func clockOf(cells []*analysis.CellMetrics) clock {
	dated := true
	for _, c := range cells {
		dated = dated && !c.Cell.StartedAt.IsZero()
	}
	first, last := cells[0], cells[len(cells)-1]
	if !dated {
		k := clock{axis: Axis{Label: "cell, in the order of the sweep", Min: float64(first.Cell.Order) - 0.5, Max: float64(last.Cell.Order) + 1}}
		k.before = func(c *analysis.CellMetrics) float64 { return float64(c.Cell.Order) }
		k.after = func(c *analysis.CellMetrics) float64 { return float64(c.Cell.Order) + 0.5 }
		return k
	}
	began := first.Cell.StartedAt
	for _, c := range cells {
		if c.Cell.StartedAt.Before(began) {
			began = c.Cell.StartedAt
		}
	}
	k := clock{axis: Axis{Label: "minutes since the first cell began"}}
	k.before = func(c *analysis.CellMetrics) float64 { return c.Cell.StartedAt.Sub(began).Minutes() }
	k.after = func(c *analysis.CellMetrics) float64 { return k.before(c) + c.Cell.EndedS/60 }
	for _, c := range cells {
		k.axis.Max = max(k.axis.Max, k.after(c))
	}
	k.axis.Min, k.axis.Max = -0.02*k.axis.Max, 1.02*k.axis.Max
	return k
}

// driftOf has two points for each cell, or one where no probe followed it.
func (b *builder) driftOf(cells []*analysis.CellMetrics, x clock, name string, speed func(results.Probe) float64) []Series {
	all := make([]Series, len(b.s.Rungs))
	for i, rung := range b.s.Rungs {
		all[i] = Series{Kind: Probes, Rung: rung, Look: b.looks[rung], Name: name}
		for _, c := range cells {
			if c.Cell.Rung != rung {
				continue
			}
			label := fmt.Sprintf("cell %d, %s rps, seed %d", c.Cell.Order, number(c.Cell.OfferedRPS), c.Cell.Seed)
			if c.Cell.Anchor {
				label += ", measured again"
			}
			all[i].Points = append(all[i].Points, Point{X: x.before(c), Y: speed(c.Cell.ProbeBefore.V), Label: label})
			if c.Cell.ProbeAfter.OK {
				all[i].Points = append(all[i].Points, Point{X: x.after(c), Y: speed(c.Cell.ProbeAfter.V), Label: label})
			}
		}
	}
	return all
}
