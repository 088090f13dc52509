// Package websvg draws SVG that is part of a web page. Colours are classes, so that the
// page's style decides what they are in the dark. Nothing has a style attribute, which a
// strict content security policy forbids. Parts of the drawing are groups that a script
// finds by their series, and points carry a title and an area that the pointer meets.
package websvg

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/palette"
)

// Part is a piece of a drawing that a script can address: what belongs to a series or,
// with a Label, one of its points.
type Part struct {
	Series string
	// Label says what a point shows; its first line names it.
	Label string
	At    vg.Point // of a point
	// Box, unless it is empty, is where the pointer meets the point, instead of around At.
	Box vg.Rectangle
}

// Group draws a part. On any other canvas than this package's it only draws.
func Group(c draw.Canvas, p Part, drawing func()) {
	under := c.Canvas
	for cropped, ok := under.(draw.Canvas); ok; cropped, ok = under.(draw.Canvas) {
		under = cropped.Canvas
	}
	web, ok := under.(*Canvas)
	if !ok {
		drawing()
		return
	}
	web.begin(p)
	drawing()
	web.flush()
	web.b.WriteString("</g>\n")
}

// Canvas is a drawing under way. Its sizes are in points.
type Canvas struct {
	b     bytes.Buffer
	w, h  vg.Length
	state []penState
	// paths are of one look, which is pending: they become one element.
	pending string
	paths   bytes.Buffer
	series  map[string]bool
}

// penState is what Push keeps.
type penState struct {
	color  color.NRGBA
	width  vg.Length
	dashes []vg.Length
	shift  vg.Point
	turn   float64 // radians; text turns, nothing else does
}

var _ vg.CanvasSizer = (*Canvas)(nil)

// New returns an empty canvas.
func New(w, h vg.Length) *Canvas {
	c := &Canvas{w: w, h: h, state: []penState{{}}, series: map[string]bool{}}
	vg.Initialize(c)
	return c
}

// hitRadius is around a point, in points, where the pointer meets it.
const hitRadius = 8

func (c *Canvas) begin(p Part) {
	c.flush()
	c.series[p.Series] = true
	if p.Label == "" {
		fmt.Fprintf(&c.b, `<g data-s="%s">`, html.EscapeString(p.Series))
		return
	}
	fmt.Fprintf(&c.b, `<g class="point" data-s="%s"><title>%s</title>`, html.EscapeString(p.Series), html.EscapeString(p.Label))
	if size := p.Box.Size(); size.X > 0 {
		x, y := c.place(vg.Point{X: p.Box.Min.X, Y: p.Box.Max.Y})
		fmt.Fprintf(&c.b, `<rect class="hit" x="%s" y="%s" width="%s" height="%s"/>`, x, y, Decimal(size.X), Decimal(size.Y))
		return
	}
	x, y := c.place(p.At)
	fmt.Fprintf(&c.b, `<circle class="hit" cx="%s" cy="%s" r="%d"/>`, x, y, hitRadius)
}

// add draws a path of a look.
func (c *Canvas) add(look string, p vg.Path) {
	if look != c.pending {
		c.flush()
	}
	c.pending = look
	c.paths.Write(c.data(p))
}

// flush writes the paths that are pending.
func (c *Canvas) flush() {
	if c.paths.Len() > 0 {
		fmt.Fprintf(&c.b, `<path %s d="%s"/>`+"\n", c.pending, c.paths.Bytes())
	}
	c.paths.Reset()
}

// String returns what was drawn.
func (c *Canvas) String() string {
	c.flush()
	return c.b.String()
}

// Has reports whether a part of a series was drawn.
func (c *Canvas) Has(series string) bool { return c.series[series] }

func (c *Canvas) pen() *penState { return &c.state[len(c.state)-1] }

// Size implements vg.CanvasSizer.
func (c *Canvas) Size() (w, h vg.Length) { return c.w, c.h }

// SetLineWidth implements vg.Canvas.
func (c *Canvas) SetLineWidth(w vg.Length) { c.pen().width = w }

// SetLineDash implements vg.Canvas. No chart shifts its dashes.
func (c *Canvas) SetLineDash(pattern []vg.Length, _ vg.Length) { c.pen().dashes = pattern }

// SetColor implements vg.Canvas.
func (c *Canvas) SetColor(col color.Color) {
	c.pen().color = color.NRGBA{A: 0xFF}
	if col != nil {
		c.pen().color = color.NRGBAModel.Convert(col).(color.NRGBA)
	}
}

// Rotate implements vg.Canvas, for text that is drawn at the origin.
func (c *Canvas) Rotate(rad float64) { c.pen().turn += rad }

// Translate implements vg.Canvas.
func (c *Canvas) Translate(pt vg.Point) {
	sin, cos := math.Sincos(c.pen().turn)
	c.pen().shift = c.pen().shift.Add(vg.Point{
		X: pt.X*vg.Length(cos) - pt.Y*vg.Length(sin), Y: pt.X*vg.Length(sin) + pt.Y*vg.Length(cos),
	})
}

// Scale implements vg.Canvas. The charts do not scale.
func (c *Canvas) Scale(x, y float64) { panic("websvg: the canvas does not scale") }

// Push implements vg.Canvas.
func (c *Canvas) Push() { c.state = append(c.state, *c.pen()) }

// Pop implements vg.Canvas.
func (c *Canvas) Pop() { c.state = c.state[:len(c.state)-1] }

// place is where a point is, from the top left corner.
func (c *Canvas) place(p vg.Point) (x, y string) {
	p = c.turned(p)
	return Decimal(p.X), Decimal(c.h - p.Y)
}

func (c *Canvas) turned(p vg.Point) vg.Point {
	s := c.pen()
	sin, cos := math.Sincos(s.turn)
	return vg.Point{
		X: s.shift.X + p.X*vg.Length(cos) - p.Y*vg.Length(sin),
		Y: s.shift.Y + p.X*vg.Length(sin) + p.Y*vg.Length(cos),
	}
}

// Stroke implements vg.Canvas.
func (c *Canvas) Stroke(p vg.Path) {
	s := c.pen()
	if s.width <= 0 {
		return
	}
	look := fmt.Sprintf(`%s stroke-width="%s"`, paint("stroke", s.color), Decimal(s.width))
	if len(s.dashes) > 0 {
		var dashes []string
		for _, d := range s.dashes {
			dashes = append(dashes, Decimal(d))
		}
		look += fmt.Sprintf(` stroke-dasharray="%s"`, strings.Join(dashes, " "))
	}
	c.add(look, p)
}

// Fill implements vg.Canvas.
func (c *Canvas) Fill(p vg.Path) { c.add(paint("fill", c.pen().color), p) }

// FillString implements vg.Canvas.
func (c *Canvas) FillString(f font.Face, pt vg.Point, text string) {
	c.flush()
	x, y := c.place(pt)
	fmt.Fprintf(&c.b, `<text %s x="%s" y="%s" font-size="%s"`, paint("fill", c.pen().color), x, y, Decimal(f.Font.Size))
	if f.Font.Weight > 0 {
		c.b.WriteString(` font-weight="bold"`)
	}
	if turn := c.pen().turn; turn != 0 {
		fmt.Fprintf(&c.b, ` transform="rotate(%s %s %s)"`, Decimal(vg.Length(-turn*180/math.Pi)), x, y)
	}
	fmt.Fprintf(&c.b, `>%s</text>`+"\n", html.EscapeString(text))
}

// DrawImage implements vg.Canvas. The charts have no images.
func (c *Canvas) DrawImage(vg.Rectangle, image.Image) {
	panic("websvg: the canvas draws no images")
}

// data is a path's d attribute.
func (c *Canvas) data(p vg.Path) []byte {
	var b bytes.Buffer
	to := func(command byte, pt vg.Point) {
		x, y := c.place(pt)
		b.WriteByte(command)
		b.WriteString(x)
		b.WriteByte(' ')
		b.WriteString(y)
	}
	for _, comp := range p {
		switch comp.Type {
		case vg.MoveComp:
			to('M', comp.Pos)
		case vg.LineComp:
			to('L', comp.Pos)
		case vg.CloseComp:
			b.WriteByte('Z')
		case vg.ArcComp:
			c.arc(&b, comp, to)
		default:
			panic("websvg: the canvas draws no curves")
		}
	}
	return b.Bytes()
}

// arc goes straight to the arc's start and around it, in two halves: SVG has no arc
// that ends where it began.
func (c *Canvas) arc(b *bytes.Buffer, a vg.PathComp, to func(byte, vg.Point)) {
	on := func(angle float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: a.Pos.X + a.Radius*vg.Length(cos), Y: a.Pos.Y + a.Radius*vg.Length(sin)}
	}
	if b.Len() == 0 {
		to('M', on(a.Start))
	} else {
		to('L', on(a.Start))
	}
	sweep := 0 // counter-clockwise in a plane whose y points down
	if a.Angle < 0 {
		sweep = 1
	}
	for _, share := range []float64{0.5, 1} {
		x, y := c.place(on(a.Start + a.Angle*share))
		fmt.Fprintf(b, "A%[1]s %[1]s 0 0 %[2]d %[3]s %[4]s", Decimal(a.Radius), sweep, x, y)
	}
}

// Decimal writes a length with two decimals at most.
func Decimal(l vg.Length) string {
	v := math.Round(l.Points()*100)/100 + 0 // the sum makes −0 a 0
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// names are the classes of the colours, after "f-" for a fill and "k-" for a stroke.
var names = func() map[color.NRGBA]string {
	names := map[color.NRGBA]string{
		palette.Paper: "paper", palette.Ink: "ink", palette.Muted: "muted",
		palette.Faint: "faint", palette.Grid: "grid", palette.Shaded: "shaded",
	}
	for i, c := range palette.Series {
		names[c] = "s" + strconv.Itoa(i)
	}
	return names
}()

// paint is the attributes that set a fill or a stroke. A colour without a name stays as
// it is in the dark.
func paint(what string, c color.NRGBA) string {
	opaque := palette.Alpha(c, 0xFF)
	text := fmt.Sprintf(`%s="%s"`, what, palette.Hex(opaque))
	if name, ok := names[opaque]; ok {
		text = fmt.Sprintf(`class="%c-%s"`, map[string]byte{"fill": 'f', "stroke": 'k'}[what], name)
	}
	if c.A != 0xFF {
		text += fmt.Sprintf(` %s-opacity="%s"`, what, Decimal(vg.Length(float64(c.A)/0xFF)))
	}
	return text
}
