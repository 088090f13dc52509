package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// Load reads the rows of a cell.
type Load func(results.Key) ([]results.Record, error)

// TimelineChart is E2E over arrival time of one cell per rung, at the rate that
// analysis.Sweep.Contrast chooses and the lowest seed that every rung has there.
// ok is false when the rungs share no rate and seed.
func TimelineChart(s *analysis.Sweep, f Facts, load Load) (fig Figure, ok bool, err error) {
	rate, why, ok := s.Contrast()
	if !ok {
		return Figure{}, false, nil
	}
	cells := sharedSeed(s, rate)
	if cells == nil {
		return Figure{}, false, nil
	}
	title := f.title(fmt.Sprintf("End-to-end latency over arrival time at %s rps", short(rate)))
	fig = Figure{Name: "e2e-over-time", Title: title, Width: figureWidth}
	fig.facts = append(f.measured(), fmt.Sprintf("seed %d", cells[0].Cell.Seed), why)
	fig.panelTitles = true
	fig.Alt = title + ", " + why + "."
	panels := make([]*timelinePanel, len(cells))
	for i, c := range cells {
		rows, err := load(c.Cell.Key)
		if err != nil {
			return Figure{}, false, err
		}
		panels[i] = newTimelinePanel(c, seriesOf(slices.Index(s.Rungs, c.Cell.Rung)), rows)
		fig.Alt += fmt.Sprintf(" %s: %d answered, %d unanswered, %d refused.", c.Cell.Rung, len(panels[i].answered), len(panels[i].cut), len(panels[i].shed))
	}
	fig.key = timelineKey(panels, cells[0])
	fig.rows = layOut(panels)
	fig.Height = vg.Length(110 + 195*len(fig.rows))
	return fig, true, nil
}

// sharedSeed returns each rung's valid cell at a rate, all of one seed, the
// lowest that there is; nil if there is none.
func sharedSeed(s *analysis.Sweep, rate float64) []*analysis.CellMetrics {
	for _, first := range s.Find(s.Rungs[0], rate).Used() {
		var cells []*analysis.CellMetrics
		for _, rung := range s.Rungs {
			for _, c := range s.Find(rung, rate).Used() {
				if c.Cell.Seed == first.Cell.Seed {
					cells = append(cells, c)
					break
				}
			}
		}
		if len(cells) == len(s.Rungs) {
			return cells
		}
	}
	return nil
}

type instant struct{ at, e2e float64 } // seconds

// timelinePanel is one rung's panel. It has every row, warm-up included.
type timelinePanel struct {
	cell     *analysis.CellMetrics
	look     series
	answered []instant
	cut      []instant // at the bound
	shed     []float64
}

func newTimelinePanel(c *analysis.CellMetrics, look series, rows []results.Record) *timelinePanel {
	p := &timelinePanel{cell: c, look: look}
	for i := range rows {
		r := &rows[i]
		at := r.Intended.Seconds()
		if r.Outcome == results.Shed {
			p.shed = append(p.shed, at)
			continue
		}
		o := analysis.E2EOf(r, c.Cell.TimeoutS)
		if o.Censored {
			p.cut = append(p.cut, instant{at, o.Value})
		} else {
			p.answered = append(p.answered, instant{at, o.Value})
		}
	}
	return p
}

func (t *timelinePanel) draw(p *plot.Plot) layer {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		for _, span := range [][2]float64{{p.X.Min, t.cell.Window.WarmupS}, {t.cell.Window.EndS, p.X.Max}} {
			if from, to := x(span[0]), x(span[1]); to > from {
				c.FillPolygon(shaded, []vg.Point{{X: from, Y: c.Min.Y}, {X: to, Y: c.Min.Y}, {X: to, Y: c.Max.Y}, {X: from, Y: c.Max.Y}})
			}
		}
		gridlines(p)(c, x, y)
		if t.cell.SLOS > 0 {
			rule(t.cell.SLOS, sloLine)(c, x, y)
		}
		for _, at := range t.shed {
			tick(c, vg.Point{X: x(at), Y: c.Min.Y + 5}, 3.5, t.look.color)
		}
		for _, i := range t.answered {
			t.dot(c, vg.Point{X: x(i.at), Y: y(i.e2e)})
		}
		for _, i := range t.cut {
			cross(c, vg.Point{X: x(i.at), Y: y(i.e2e)}, 2.6, t.look.color)
		}
	}
}

func (t *timelinePanel) dot(c draw.Canvas, at vg.Point) {
	c.SetColor(alpha(t.look.color, 0xB0))
	c.Fill(markers[0].path(at, 2))
}

// layOut sets the panels in rows of at most three with common axes.
func layOut(panels []*timelinePanel) [][]*plot.Plot {
	columns := min(len(panels), 3)
	if len(panels) == 4 {
		columns = 2
	}
	lo, hi, end := 1.0, 1.0, 0.0
	for _, t := range panels {
		end = max(end, t.cell.Cell.DurationS)
		lo, hi = min(lo, t.cell.SLOS/2), max(hi, t.cell.SLOS*2)
		for _, i := range slices.Concat(t.answered, t.cut) {
			if i.e2e > 0 {
				lo, hi = min(lo, i.e2e), max(hi, i.e2e)
			}
		}
	}
	var rows [][]*plot.Plot
	for i, t := range panels {
		if i%columns == 0 {
			rows = append(rows, make([]*plot.Plot, columns))
		}
		x := ""
		if i/columns == (len(panels)-1)/columns {
			x = "intended arrival (s)"
		}
		p := newPlot(x, "")
		p.X.Min, p.X.Max = 0, end
		p.X.Tick.Marker = linearTicks{4}
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		p.Y.Min, p.Y.Max = lo/1.5, hi*1.4
		p.Add(t.draw(p), panelTitle(fmt.Sprintf("%s: goodput %s rps", t.cell.Cell.Rung, sig3(t.cell.GoodputRPS.V))))
		if i%columns == 0 {
			p.Add(panelLabel("E2E latency (s)"))
		}
		rows[len(rows)-1][i%columns] = p
	}
	return rows
}

func timelineKey(panels []*timelinePanel, c *analysis.CellMetrics) []keyEntry {
	key := []keyEntry{{"answered", func(c draw.Canvas, at vg.Point) {
		c.SetColor(muted)
		c.Fill(markers[0].path(at, 2.4))
	}}}
	if slices.ContainsFunc(panels, func(p *timelinePanel) bool { return len(p.cut) > 0 }) {
		key = append(key, keyEntry{"no answer by then", func(c draw.Canvas, at vg.Point) { cross(c, at, 2.6, muted) }})
	}
	if slices.ContainsFunc(panels, func(p *timelinePanel) bool { return len(p.shed) > 0 }) {
		key = append(key, keyEntry{"refused", func(c draw.Canvas, at vg.Point) { tick(c, at, 3.5, muted) }})
	}
	if c.SLOS > 0 {
		key = append(key, lineKey("SLO "+short(c.SLOS)+" s", sloLine))
	}
	return append(key, keyEntry{"outside the steady window", func(c draw.Canvas, at vg.Point) {
		const w, h = sampleWidth / 2, 5
		box := []vg.Point{{X: at.X - w, Y: at.Y - h}, {X: at.X + w, Y: at.Y - h}, {X: at.X + w, Y: at.Y + h}, {X: at.X - w, Y: at.Y + h}}
		c.FillPolygon(shaded, box)
		c.StrokeLines(draw.LineStyle{Color: faint, Width: 0.6}, append(box, box[0]))
	}})
}
