package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/chart/websvg"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/palette"
)

var ruleLines = map[chartdata.RuleKind]draw.LineStyle{
	chartdata.SLO:     {Color: palette.Ink, Width: 1.2, Dashes: dashed},
	chartdata.Timeout: {Color: palette.Muted, Width: 1, Dashes: dotted},
	chartdata.Ideal:   {Color: palette.Faint, Width: 1.4, Dashes: dashed},
}

// saturationLine is thinner than a line of data, and dotted.
func saturationLine(s series) draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: 1.1, Dashes: []vg.Length{1.5, 2.5}}
}

// underlay draws what lies under the data: shades, gridlines and rules.
func underlay(p *plot.Plot, d chartdata.Panel) layer {
	lines := plotter.Grid{Horizontal: draw.LineStyle{Color: palette.Grid, Width: 0.7}}
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		for _, s := range d.Shades {
			fillBox(c, palette.Shaded, x(s.From), x(s.To), c.Min.Y, c.Max.Y)
		}
		if d.Gantt == nil {
			lines.Plot(c, p)
		}
		var knees []chartdata.Rule
		for _, r := range d.Rules {
			sty := ruleLines[r.Kind]
			switch {
			case r.Kind == chartdata.Saturation:
				knees = append(knees, r)
			case r.Kind == chartdata.Ideal:
				end := min(p.X.Max, p.Y.Max)
				c.StrokeLine2(sty, x(0), y(0), x(end), y(end))
			case r.OnX:
				c.StrokeLine2(sty, x(r.At), c.Min.Y, x(r.At), c.Max.Y)
			default:
				c.StrokeLine2(sty, c.Min.X, y(r.At), c.Max.X, y(r.At))
			}
		}
		drawSaturations(c, knees, x)
	}
}

// drawSaturations draws an upright line with the rung's marker on top. Where several
// rungs saturate at one rate, it is of no rung's color.Color, and has the markers of all.
func drawSaturations(c draw.Canvas, knees []chartdata.Rule, x func(float64) vg.Length) {
	const apart = 9
	for len(knees) > 0 {
		at := knees[0].At
		var of, rest []chartdata.Rule
		for _, k := range knees {
			if k.At == at {
				of = append(of, k)
			} else {
				rest = append(rest, k)
			}
		}
		knees = rest
		upright := func(look series) { c.StrokeLine2(saturationLine(look), x(at), c.Min.Y, x(at), c.Max.Y) }
		if len(of) == 1 {
			websvg.Group(c, websvg.Part{Series: of[0].Rung}, func() { upright(seriesOf(of[0].Look)) })
		} else {
			upright(neutral)
		}
		for i, k := range of {
			top := vg.Point{X: x(at) + (vg.Length(i)-vg.Length(len(of)-1)/2)*apart, Y: c.Max.Y}
			websvg.Group(c, websvg.Part{Series: k.Rung, Label: kneeTip(k), At: top}, func() { seriesOf(k.Look).mark(c, top, markRadius-0.6, false) })
		}
	}
}

func fillBox(c draw.Canvas, col color.Color, left, right, bottom, top vg.Length) {
	if right > left {
		c.FillPolygon(col, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
	}
}

const markRadius = 3.6

// seriesLayer draws bands under lines under markers.
func seriesLayer(d chartdata.Panel) layer {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		at := placing(d, x, y)
		for i, l := range d.Series {
			if l.Kind == chartdata.Line && hasBand(l.Points) {
				websvg.Group(c, websvg.Part{Series: l.Rung}, func() { drawBand(c, l, i, at) })
			}
		}
		for i, l := range d.Series {
			websvg.Group(c, websvg.Part{Series: l.Rung}, func() { drawLines(c, l, i, at) })
		}
		for i, l := range d.Series {
			websvg.Group(c, websvg.Part{Series: l.Rung}, func() { drawMarks(c, d, i, at) })
		}
	}
}

// placed gives where the j-th point of the i-th series is, its Y replaced by v.
type placed func(i, j int, v float64) vg.Point

// placing puts points where they are, but for the bounds of several lines at one X,
// which it sets side by side: on the line of the timeout they would hide each other.
func placing(d chartdata.Panel, x, y func(float64) vg.Length) placed {
	const apart = 10
	type where struct{ i, j int }
	bounds := map[float64][]where{}
	for i, l := range d.Series {
		for j, p := range l.Points {
			if l.Kind == chartdata.Line && p.Bound {
				bounds[p.X] = append(bounds[p.X], where{i, j})
			}
		}
	}
	nudges := map[where]vg.Length{}
	for _, all := range bounds {
		for n, w := range all {
			nudges[w] = (vg.Length(n) - vg.Length(len(all)-1)/2) * apart
		}
	}
	return func(i, j int, v float64) vg.Point { // below its least value a log axis has no place
		return vg.Point{X: x(max(d.Series[i].Points[j].X, d.X.Min)) + nudges[where{i, j}], Y: y(max(v, d.Y.Min))}
	}
}

// stretches returns the runs of valid points, as first and last+1. An invalid one is
// marked, but no line leads to it: a line is a claim.
func stretches(points []chartdata.Point) (runs [][2]int) {
	start := 0
	for i, p := range points {
		if !p.Invalid {
			continue
		}
		runs = append(runs, [2]int{start, i})
		start = i + 1
	}
	return append(runs, [2]int{start, len(points)})
}

func drawBand(c draw.Canvas, l chartdata.Series, i int, at placed) {
	for _, run := range stretches(l.Points) {
		var up, down []vg.Point
		for j := run[0]; j < run[1]; j++ {
			lo, hi := l.Points[j].Y, l.Points[j].Y
			if b := l.Points[j].Band; b != nil {
				lo, hi = b.Min, b.Max
			}
			up = append(up, at(i, j, hi))
			down = append([]vg.Point{at(i, j, lo)}, down...)
		}
		if len(up) > 1 && hasBand(l.Points[run[0]:run[1]]) {
			c.FillPolygon(palette.Alpha(seriesOf(l.Look).color, 0x2E), append(up, down...))
		}
	}
}

func drawLines(c draw.Canvas, l chartdata.Series, i int, at placed) {
	look := seriesOf(l.Look)
	switch l.Kind {
	case chartdata.Line, chartdata.Ceiling:
		for _, run := range stretches(l.Points) {
			var pts []vg.Point
			for j := run[0]; j < run[1]; j++ {
				pts = append(pts, at(i, j, l.Points[j].Y))
			}
			if len(pts) > 1 {
				c.StrokeLines(look.line(l.Kind == chartdata.Ceiling), pts)
			}
		}
	case chartdata.Steps:
		c.StrokeLines(look.line(false), staircase(c, l.Points, i, at))
	}
}

// staircase rises from the foot of the panel at the first point, and goes on to its
// end when it stops short of everything.
func staircase(c draw.Canvas, points []chartdata.Point, i int, at placed) []vg.Point {
	if len(points) == 0 {
		return nil
	}
	pts := []vg.Point{{X: at(i, 0, 0).X, Y: c.Min.Y}}
	for j, p := range points {
		here := at(i, j, p.Y)
		pts = append(pts, vg.Point{X: here.X, Y: pts[len(pts)-1].Y}, here)
	}
	if points[len(points)-1].Y < 1 {
		pts = append(pts, vg.Point{X: c.Max.X, Y: pts[len(pts)-1].Y})
	}
	return pts
}
