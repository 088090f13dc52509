// Package chart draws the charts that chartdata describes, with gonum.org/v1/plot.
//
// New lays one out as a Figure: a header of title, facts and key above a grid of panels.
// A Figure renders itself as SVG, as PNG and, for a web page, as Inline SVG whose series
// can be hidden and whose points can be pointed at. Equal charts give equal bytes.
//
// A panel is layers, from the bottom: shades, grid and rules; bands, lines and marks of
// the series, or the requests and steps of a Gantt chart.
package chart

import (
	"math"
	"strings"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/palette"
)

// Figure is a chart that is laid out. Its header is above its panels, so that the key
// never covers data.
type Figure struct {
	chartdata.Chart // what it shows

	Width  vg.Length
	Height vg.Length

	key  []keyEntry
	rows [][]*plot.Plot // panels, by row; a row's last ones may be nil
}

// keyEntry is one entry of the key.
type keyEntry struct {
	name   string
	sample sample
}

// sample draws what a mark looks like.
type sample func(c draw.Canvas, at vg.Point)

const (
	figureWidth = 640
	margin      = 12
	sampleWidth = 26
)

func (f *Figure) draw(dc draw.Canvas) {
	dc.SetColor(palette.Paper)
	dc.Fill(dc.Rectangle.Path())
	dc = draw.Crop(dc, margin, -margin, margin, -margin)
	y := dc.Max.Y
	for _, l := range f.header() {
		dc.FillText(l.style, vg.Point{X: dc.Min.X, Y: y}, l.text)
		y -= l.style.Font.Size * lineSpacing
	}
	for _, p := range f.keyPlaces() {
		at := vg.Point{X: dc.Min.X + p.x, Y: y - keyLead - p.y}
		p.sample(dc, vg.Point{X: at.X + sampleWidth/2, Y: at.Y})
		// keyCentring lifts the text's box so that its lower-case letters are centred.
		dc.FillText(textStyle(bodySize, palette.Ink, 0, -0.5), vg.Point{X: at.X + sampleWidth + keyGap, Y: at.Y + keyCentring}, p.name)
	}
	dc.Max.Y = f.Height - f.headerHeight() + margin
	f.drawPanels(dc)
}

const (
	lineSpacing = 1.4
	keyLead     = 4
	keyGap      = 6
	keyRow      = 17
	keyCentring = 1.5
)

// headerLine is a line of the title or of the facts.
type headerLine struct {
	text  string
	style text.Style
}

func (f *Figure) header() (lines []headerLine) {
	width := f.Width - 2*margin
	title, small := textStyle(titleSize, palette.Ink, 0, -1), textStyle(smallSize, palette.Muted, 0, -1)
	title.Font.Weight = font.WeightBold
	for _, s := range wrap(strings.Fields(f.Title), " ", width, title) {
		lines = append(lines, headerLine{s, title})
	}
	var facts []string
	for _, s := range f.Facts {
		facts = append(facts, wrap(strings.Fields(s), " ", width, small)...) // most are one line
	}
	for _, s := range wrap(facts, " · ", width, small) {
		lines = append(lines, headerLine{s, small})
	}
	return lines
}

// headerHeight is how much of the figure is above its panels, margins included.
func (f *Figure) headerHeight() vg.Length {
	height := vg.Length(2*margin + keyLead + 6)
	for _, l := range f.header() {
		height += l.style.Font.Size * lineSpacing
	}
	places := f.keyPlaces()
	if len(places) > 0 {
		height += places[len(places)-1].y + keyRow/2
	}
	return height
}

// keyPlace is an entry of the key with where it begins: from the left, and from the
// top of the key down to its middle.
type keyPlace struct {
	keyEntry
	x, y vg.Length
}

func (f *Figure) keyPlaces() (places []keyPlace) {
	const apart = 18
	sty := textStyle(bodySize, palette.Ink, 0, -0.5)
	x, y := vg.Length(0), vg.Length(keyRow)/2
	for _, e := range f.key {
		width := sampleWidth + keyGap + sty.Width(e.name)
		if x > 0 && x+width > f.Width-2*margin {
			x, y = 0, y+keyRow
		}
		places = append(places, keyPlace{e, x, y})
		x += width + apart
	}
	return places
}

func (f *Figure) drawPanels(dc draw.Canvas) {
	tiles := draw.Tiles{Rows: len(f.rows), Cols: len(f.rows[0]), PadLeft: 18, PadX: 14, PadY: 24}
	if f.Panels[0].Title != "" { // drawn by panelTitle
		tiles.PadTop = 20
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
func wrap(parts []string, sep string, width vg.Length, sty text.Style) []string {
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

// newPlot is a plot in the house style, with a label of its x axis; panelLabel sets that
// of its y axis.
func newPlot(x string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: palette.Faint, Width: 0.8}
		a.Padding = 0
		a.Label.Padding = 4
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 4
	}
	p.X.Label.Text = x
	p.X.Label.TextStyle = textStyle(bodySize, palette.Ink, -0.5, 0)
	p.X.Tick.Label = textStyle(smallSize, palette.Muted, -0.5, -1)
	p.Y.Tick.Label = textStyle(smallSize, palette.Muted, -1, -0.5)
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
// because plot.Align does not keep panels level when only some have the plot's own, and
// because gonum makes room for the label of a logarithmic axis at the wrong height.
func panelTitle(s string) layer {
	return func(c draw.Canvas, _, _ func(float64) vg.Length) {
		sty := textStyle(bodySize, palette.Ink, 0, 0)
		sty.Font.Weight = font.WeightBold
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y + 6}, s)
	}
}

// panelLabel sets a label along a panel's y axis, beside tick labels of some width.
func panelLabel(s string, ticks vg.Length) layer {
	return func(c draw.Canvas, _, _ func(float64) vg.Length) {
		sty := textStyle(bodySize, palette.Ink, -0.5, 0)
		sty.Rotation = math.Pi / 2
		c.FillText(sty, vg.Point{X: c.Min.X - ticks - 11, Y: c.Center().Y}, s)
	}
}

// tickWidth is the width of the widest label of the y axis.
func tickWidth(p *plot.Plot) (width vg.Length) {
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		width = max(width, p.Y.Tick.Label.Width(t.Label))
	}
	return width
}
