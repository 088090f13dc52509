package chartdata

import (
	"fmt"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/results"
)

// maxDots bounds how many requests a panel of overTime draws: more of them cover each
// other.
const maxDots = 2000

// overTime is E2E over arrival time of one cell per rung, all on one tape, at an
// overloaded rate. It is absent when the rungs share no rate and seed.
func (b *builder) overTime() (Chart, error) {
	c := Chart{Name: "e2e-over-time", Title: "End-to-end latency over arrival time", OneSeed: true}
	at, ok := contrast(b.s)
	if !ok {
		c.Absent = "the rungs share no offered rate at which each has a valid cell"
		return c, nil
	}
	cells := sharedSeed(b.s, at.rate)
	if cells == nil {
		c.Absent = fmt.Sprintf("the rungs share no seed at %s rps", number(at.rate))
		return c, nil
	}
	c.Title = fmt.Sprintf("End-to-end latency over arrival time at %s rps", number(at.rate))
	c.Facts = append([]string{fmt.Sprintf("seed %d", cells[0].Cell.Seed), at.why}, overloadedFact(beyond(b.s, at.rate))...)
	step := 1
	for _, cell := range cells {
		rows, err := b.src.Records(cell.Cell.Key)
		if err != nil {
			return Chart{}, err
		}
		step = stride(len(rows), maxDots)
		c.Panels = append(c.Panels, overTimePanel(cell, b.looks[cell.Cell.Rung], rows, step))
	}
	c.Facts = append(c.Facts, thinned(step, "request")...)
	c.Columns = columnsOf(len(c.Panels))
	commonAxes(c.Panels)
	return c, nil
}

// columnsOf sets panels in rows of at most three, and four in two rows of two.
func columnsOf(panels int) int {
	if panels == 4 {
		return 2
	}
	return max(1, min(panels, 3))
}

// overTimePanel has the rows of a cell, warm-up included, or every step-th of them.
func overTimePanel(cell *analysis.CellMetrics, look int, rows []results.Record, step int) Panel {
	rung := cell.Cell.Rung
	answered := Series{Kind: Dots, Rung: rung, Look: look, Name: "answered"}
	cut := Series{Kind: Crosses, Rung: rung, Look: look, Name: "no answer by then"}
	refused := Series{Kind: Ticks, Rung: rung, Look: look, Name: "refused"}
	for i := 0; i < len(rows); i += step {
		r := &rows[i]
		at := r.Intended.Seconds()
		if r.Outcome == results.Shed {
			refused.Points = append(refused.Points, Point{X: at})
			continue
		}
		o := latency.E2EOf(r, cell.Cell.TimeoutS)
		if o.Censored {
			cut.Points = append(cut.Points, Point{X: at, Y: o.Value, Bound: true})
		} else {
			answered.Points = append(answered.Points, Point{X: at, Y: o.Value})
		}
	}
	p := Panel{
		Title:  fmt.Sprintf("%s: goodput %s rps", rung, strconv.FormatFloat(cell.GoodputRPS.V, 'g', 3, 64)),
		X:      Axis{Label: "intended arrival (s)", Unit: Seconds, Max: cell.Cell.DurationS},
		Shades: outside(cell),
	}
	p.Series = withPoints([]Series{answered, cut, refused})
	p.Y = logAxis("E2E latency (s)", []Series{answered, cut})
	if cell.SLOS > 0 {
		p.Rules = []Rule{{Kind: SLO, At: cell.SLOS, Name: "SLO " + number(cell.SLOS) + " s"}}
		p.Y.Min, p.Y.Max = min(p.Y.Min, cell.SLOS/2), max(p.Y.Max, cell.SLOS*2)
	}
	return p
}

// outside are the stretches of a cell that its metrics leave out.
func outside(cell *analysis.CellMetrics) (shades []Shade) {
	const name = "outside the steady window"
	if w := cell.Window.WarmupS; w > 0 {
		shades = append(shades, Shade{From: 0, To: w, Name: name})
	}
	if end := cell.Window.EndS; end < cell.Cell.DurationS {
		shades = append(shades, Shade{From: end, To: cell.Cell.DurationS, Name: name})
	}
	return shades
}

// commonAxes gives panels the same axes.
func commonAxes(panels []Panel) {
	if len(panels) == 0 {
		return
	}
	x, y := panels[0].X, panels[0].Y
	for _, p := range panels {
		x.Min, x.Max = min(x.Min, p.X.Min), max(x.Max, p.X.Max)
		y.Min, y.Max = min(y.Min, p.Y.Min), max(y.Max, p.Y.Max)
	}
	for i := range panels {
		panels[i].X, panels[i].Y = x, y
	}
}
