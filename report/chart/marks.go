package chart

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/chart/websvg"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/palette"
)

// MaxNamed bounds how many points of a series the page names one by one: requests there may
// be thousands of.
const MaxNamed = 250

// marking draws one mark of a series, named unless there are too many.
type marking func(where vg.Point, p chartdata.Point, drawing func())

func drawMarks(c draw.Canvas, d chartdata.Panel, i int, at placed) {
	l := d.Series[i]
	look := seriesOf(l.Look)
	one := func(where vg.Point, p chartdata.Point, drawing func()) {
		if len(l.Points) > MaxNamed && l.Kind != chartdata.Steps {
			drawing()
			return
		}
		websvg.Group(c, websvg.Part{Series: l.Rung, Label: pointTip(d, l, p), At: where}, drawing)
	}
	switch l.Kind {
	case chartdata.Steps:
		for _, q := range chartdata.Quantiles {
			if j := l.Quantile(q); j < len(l.Points) {
				where := at(i, j, l.Points[j].Y)
				one(where, l.Points[j], func() { look.mark(c, where, markRadius, false) })
			}
		}
		return
	case chartdata.Probes:
		drawProbes(c, l, i, at, one)
		return
	}
	for j, p := range l.Points {
		where := at(i, j, p.Y)
		switch l.Kind {
		case chartdata.Line:
			one(where, p, func() { drawPoint(c, look, where, p) })
		case chartdata.Dots:
			one(where, p, func() {
				c.SetColor(palette.Alpha(look.color, 0xB0))
				c.Fill(markers[0].path(where, 2))
			})
		case chartdata.Crosses:
			one(where, p, func() { cross(c, where, 2.6, look.color) })
		case chartdata.Ticks:
			where.Y = c.Min.Y + 5
			one(where, p, func() { tick(c, where, 3.5, look.color) })
		}
	}
}

func drawPoint(c draw.Canvas, look series, where vg.Point, p chartdata.Point) {
	look.mark(c, where, markRadius, p.Bound || p.Invalid)
	if p.Bound {
		look.arrow(c, where, 10)
	}
	if p.Invalid {
		cross(c, where, markRadius+3, palette.Ink)
	}
}

// drawProbes links the probe before a cell, filled, with the one after it, hollow.
func drawProbes(c draw.Canvas, l chartdata.Series, i int, at placed, one marking) {
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
		where := at(i, j, p.Y)
		one(where, p, func() { look.mark(c, where, size, after(j)) })
	}
}
