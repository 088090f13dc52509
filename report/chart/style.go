package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/palette"
)

// series is how one rung looks in every chart.
type series struct {
	color  color.NRGBA
	marker marker
	dashes []vg.Length
}

// seriesOf is the look of a number of chartdata.Looks. Where the colours come round
// again, lines are dashed.
func seriesOf(look int) series {
	s := series{color: palette.Series[look%len(palette.Series)], marker: markers[look%len(markers)]}
	if look >= len(palette.Series) {
		s.dashes = []vg.Length{8, 2}
	}
	return s
}

// line is the rung's, or that of what it could reach.
func (s series) line(ceiling bool) draw.LineStyle {
	if ceiling {
		return draw.LineStyle{Color: s.color, Width: 1.3, Dashes: []vg.Length{4, 3}}
	}
	return draw.LineStyle{Color: s.color, Width: 2, Dashes: s.dashes}
}

// marker is a regular polygon; with no sides it is a disc.
type marker struct {
	sides int
	turn  float64 // radians
	grow  float64 // radius relative to the disc's, for equal visual weight
}

var markers = []marker{
	{0, 0, 1},
	{4, math.Pi / 4, 1.25},
	{3, math.Pi / 2, 1.4},
	{4, 0, 1.3},
	{3, -math.Pi / 2, 1.4},
	{5, math.Pi / 2, 1.2},
	{6, 0, 1.15},
	{3, 0, 1.4},
}

func (m marker) path(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	r := radius * vg.Length(m.grow)
	if m.sides == 0 {
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
	for i := range m.sides {
		sin, cos := math.Sincos(m.turn + 2*math.Pi*float64(i)/float64(m.sides))
		corner := vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
		if i == 0 {
			p.Move(corner)
		} else {
			p.Line(corner)
		}
	}
	p.Close()
	return p
}

// mark draws a marker with a paper-coloured rim, or hollow.
func (s series) mark(c draw.Canvas, at vg.Point, radius vg.Length, hollow bool) {
	p := s.marker.path(at, radius)
	if hollow {
		c.SetColor(palette.Paper)
		c.Fill(p)
		c.SetLineStyle(draw.LineStyle{Color: s.color, Width: 1.5})
		c.Stroke(p)
		return
	}
	c.SetColor(s.color)
	c.Fill(p)
	c.SetLineStyle(draw.LineStyle{Color: palette.Paper, Width: 0.75})
	c.Stroke(p)
}

// arrow draws an arrow upwards from just above a marker: the value lies higher.
func (s series) arrow(c draw.Canvas, at vg.Point, length vg.Length) {
	const gap, head = 4.5, 3
	tip := vg.Point{X: at.X, Y: at.Y + gap + length}
	sty := draw.LineStyle{Color: s.color, Width: 1.4}
	c.StrokeLine2(sty, at.X, at.Y+gap, tip.X, tip.Y)
	c.StrokeLines(sty, []vg.Point{{X: tip.X - head, Y: tip.Y - head}, tip, {X: tip.X + head, Y: tip.Y - head}})
}

// cross draws a saltire: a request without an answer.
func cross(c draw.Canvas, at vg.Point, radius vg.Length, col color.Color) {
	sty := draw.LineStyle{Color: col, Width: 1.1}
	c.StrokeLine2(sty, at.X-radius, at.Y-radius, at.X+radius, at.Y+radius)
	c.StrokeLine2(sty, at.X-radius, at.Y+radius, at.X+radius, at.Y-radius)
}

// tick draws a short upright stroke: a refused request.
func tick(c draw.Canvas, at vg.Point, radius vg.Length, col color.Color) {
	c.StrokeLine2(draw.LineStyle{Color: col, Width: 1.1}, at.X, at.Y-radius, at.X, at.Y+radius)
}

var (
	dashed = []vg.Length{5, 4}
	dotted = []vg.Length{2, 3}
)

// Font sizes in points on a canvas 640 points wide. A README shows it at about
// 830 pixels, so 10.5 points are 13.6 pixels there.
const (
	titleSize = 15
	bodySize  = 11
	smallSize = 10.5
)

func textStyle(size vg.Length, col color.Color, x, y float64) text.Style {
	return text.Style{
		Color:   col,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign:  text.XAlignment(x),
		YAlign:  text.YAlignment(y),
		Handler: plainText,
	}
}

var plainText = text.Plain{Fonts: font.DefaultCache}
