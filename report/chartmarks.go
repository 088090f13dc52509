package report

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/chartdata"
)

func drawMarks(c draw.Canvas, l chartdata.Series, i int, at placed) {
	look := seriesOf(l.Look)
	switch l.Kind {
	case chartdata.Line:
		for j, p := range l.Points {
			drawPoint(c, look, at(i, j, p.Y), p)
		}
	case chartdata.Steps:
		for _, q := range chartdata.Quantiles {
			for j, p := range l.Points {
				if p.Y >= q-1e-9 {
					look.mark(c, at(i, j, p.Y), markRadius, false)
					break
				}
			}
		}
	case chartdata.Dots:
		for j, p := range l.Points {
			c.SetColor(alpha(look.color, 0xB0))
			c.Fill(markers[0].path(at(i, j, p.Y), 2))
		}
	case chartdata.Crosses:
		for j, p := range l.Points {
			cross(c, at(i, j, p.Y), 2.6, look.color)
		}
	case chartdata.Ticks:
		for j := range l.Points {
			tick(c, vg.Point{X: at(i, j, 0).X, Y: c.Min.Y + 5}, 3.5, look.color)
		}
	case chartdata.Probes:
		drawProbes(c, l, i, at)
	}
}

func drawPoint(c draw.Canvas, look series, where vg.Point, p chartdata.Point) {
	look.mark(c, where, markRadius, p.Bound || p.Invalid)
	if p.Bound {
		look.arrow(c, where, 10)
	}
	if p.Invalid {
		cross(c, where, markRadius+3, ink)
	}
}

// drawProbes links the probe before a cell, filled, with the one after it, hollow.
func drawProbes(c draw.Canvas, l chartdata.Series, i int, at placed) {
	look := seriesOf(l.Look)
	size := vg.Length(markRadius)
	if len(l.Points) > 40 {
		size = 2
	}
	after := func(j int) bool { return j > 0 && l.Points[j].Label == l.Points[j-1].Label }
	for j, p := range l.Points {
		if after(j) {
			c.StrokeLines(draw.LineStyle{Color: look.color, Width: 1}, []vg.Point{at(i, j-1, l.Points[j-1].Y), at(i, j, p.Y)})
		}
	}
	for j, p := range l.Points {
		look.mark(c, at(i, j, p.Y), size, after(j))
	}
}
