package report

import (
	"image/color"
	"math"
	"strings"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure is one chart: a header of title, facts and key above one or more panels,
// so that the key never covers data.
type Figure struct {
	Name   string // file name without extension
	Title  string
	Alt    string // what the chart shows, for those who do not see it
	Width  vg.Length
	Height vg.Length

	facts []string
	key   []keyEntry
	rows  [][]*plot.Plot // panels, by row; a row's last ones may be nil
	// panelTitles keeps room above each panel for panelTitle.
	panelTitles bool
}

// keyEntry is one entry of the key: a sample, drawn at a point, and its name.
type keyEntry struct {
	name   string
	sample func(c draw.Canvas, at vg.Point)
}

const (
	figureWidth = 640
	margin      = 12
	sampleWidth = 26
)

func (f *Figure) draw(dc draw.Canvas) {
	dc.SetColor(paper)
	dc.Fill(dc.Rectangle.Path())
	dc = draw.Crop(dc, margin, -margin, margin, -margin)
	y := dc.Max.Y
	line := func(size vg.Length, bold bool, col color.Color, s string) {
		sty := textStyle(size, col, 0, -1)
		if bold {
			sty.Font.Weight = font.WeightBold
		}
		dc.FillText(sty, vg.Point{X: dc.Min.X, Y: y}, s)
		y -= size * 1.4
	}
	line(titleSize, true, ink, f.Title)
	for _, s := range wrap(f.facts, " · ", dc.Size().X, smallSize) {
		line(smallSize, false, muted, s)
	}
	y -= 4
	y = f.drawKey(dc, y)
	dc.Max.Y = y - 6
	f.drawPanels(dc)
}

// drawKey sets the key's entries in rows from y downwards and returns where it
// ended.
func (f *Figure) drawKey(dc draw.Canvas, y vg.Length) vg.Length {
	// centring lifts the text's box so that its lower-case letters are centred.
	const gap, lead, rowHeight, centring = 18, 6, 17, 1.5
	sty := textStyle(bodySize, ink, 0, -0.5)
	x := dc.Min.X
	mid := y - rowHeight/2
	for _, e := range f.key {
		width := sampleWidth + lead + sty.Width(e.name)
		if x > dc.Min.X && x+width > dc.Max.X {
			x, mid = dc.Min.X, mid-rowHeight
		}
		e.sample(dc, vg.Point{X: x + sampleWidth/2, Y: mid})
		dc.FillText(sty, vg.Point{X: x + sampleWidth + lead, Y: mid + centring}, e.name)
		x += width + gap
	}
	return mid - rowHeight/2
}

func (f *Figure) drawPanels(dc draw.Canvas) {
	tiles := draw.Tiles{Rows: len(f.rows), Cols: len(f.rows[0]), PadX: 14, PadY: 24}
	if f.panelTitles {
		tiles.PadTop, tiles.PadLeft = 20, 18
	}
	for i, canvases := range plot.Align(f.rows, tiles, dc) {
		for j, c := range canvases {
			if p := f.rows[i][j]; p != nil {
				p.Draw(c)
			}
		}
	}
}

// wrap joins parts into lines no wider than width.
func wrap(parts []string, sep string, width, size vg.Length) []string {
	sty := textStyle(size, muted, 0, 0)
	var lines []string
	for _, p := range parts {
		last := len(lines) - 1
		if last >= 0 && sty.Width(strings.Join([]string{lines[last], p}, sep)) <= width {
			lines[last] += sep + p
		} else {
			lines = append(lines, p)
		}
	}
	return lines
}

// newPlot is a plot in the house style.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: faint, Width: 0.8}
		a.Padding = 0
		a.Label.Padding = 4
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 4
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Label.TextStyle = textStyle(bodySize, ink, -0.5, 0)
	p.Y.Label.TextStyle = textStyle(bodySize, ink, -0.5, 0)
	p.X.Tick.Label = textStyle(smallSize, muted, -0.5, -1)
	p.Y.Tick.Label = textStyle(smallSize, muted, -1, -0.5)
	p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{7}, linearTicks{5}
	return p
}

// layer draws with the plot's transforms; its parts clip themselves.
type layer func(c draw.Canvas, x, y func(float64) vg.Length)

// Plot implements plot.Plotter.
func (l layer) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	l(c, x, y)
}

// panelTitle sets a title above a panel. It and panelLabel are drawn as data are,
// because plot.Align does not keep panels level when only some have the plot's own.
func panelTitle(s string) layer {
	return func(c draw.Canvas, _, _ func(float64) vg.Length) {
		sty := textStyle(bodySize, ink, 0, 0)
		sty.Font.Weight = font.WeightBold
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y + 6}, s)
	}
}

// panelLabel sets a label along a panel's y axis.
func panelLabel(s string) layer {
	return func(c draw.Canvas, _, _ func(float64) vg.Length) {
		sty := textStyle(bodySize, ink, -0.5, 0)
		sty.Rotation = math.Pi / 2
		c.FillText(sty, vg.Point{X: c.Min.X - 31, Y: c.Center().Y}, s)
	}
}

// gridlines draws a line at every labelled tick of the y axis.
func gridlines(p *plot.Plot) layer {
	return func(c draw.Canvas, _, y func(float64) vg.Length) {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if !t.IsMinor() {
				c.StrokeLine2(draw.LineStyle{Color: grid, Width: 0.7}, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
			}
		}
	}
}
