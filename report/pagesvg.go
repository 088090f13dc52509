package report

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
)

// part is a piece of a drawing that the page can address: what belongs to a series
// or, with a label, one of its points.
type part struct {
	series string
	// label says what a point shows, its first line being what it is.
	label string
	at    vg.Point // of a point
	// box, where it is not empty, is where the pointer meets it instead of around at.
	box vg.Rectangle
}

// within draws a part. Only the page's canvas takes note of it.
func within(c draw.Canvas, p part, drawing func()) {
	under := c.Canvas
	for cropped, ok := under.(draw.Canvas); ok; cropped, ok = under.(draw.Canvas) {
		under = cropped.Canvas
	}
	page, ok := under.(*pageCanvas)
	if !ok {
		drawing()
		return
	}
	page.begin(p)
	drawing()
	page.flush()
	page.b.WriteString("</g>\n")
}

// pageCanvas draws SVG for the page: colours are classes, so that the page's style
// decides what they are in the dark, there is no style attribute, which the page's
// policy forbids, and parts are groups that a script finds.
type pageCanvas struct {
	b     bytes.Buffer
	w, h  vg.Length
	state []penState
	// paths are of one look, which is pending: they become one element.
	pending string
	paths   bytes.Buffer
	series  map[string]bool // that parts were drawn of
}

// penState is what Push keeps.
type penState struct {
	color  color.NRGBA
	width  vg.Length
	dashes []vg.Length
	shift  vg.Point
	turn   float64 // radians; text turns, nothing else does
}

var _ vg.CanvasSizer = (*pageCanvas)(nil)

func newPageCanvas(w, h vg.Length) *pageCanvas {
	c := &pageCanvas{w: w, h: h, state: []penState{{}}, series: map[string]bool{}}
	vg.Initialize(c)
	return c
}

// hitRadius is around a point, in points, where the pointer meets it.
const hitRadius = 8

func (c *pageCanvas) begin(p part) {
	c.flush()
	c.series[p.series] = true
	if p.label == "" {
		fmt.Fprintf(&c.b, `<g data-s="%s">`, html.EscapeString(p.series))
		return
	}
	fmt.Fprintf(&c.b, `<g class="point" data-s="%s"><title>%s</title>`, html.EscapeString(p.series), html.EscapeString(p.label))
	if size := p.box.Size(); size.X > 0 {
		x, y := c.place(vg.Point{X: p.box.Min.X, Y: p.box.Max.Y})
		fmt.Fprintf(&c.b, `<rect class="hit" x="%s" y="%s" width="%s" height="%s"/>`, x, y, decimal(size.X), decimal(size.Y))
		return
	}
	x, y := c.place(p.at)
	fmt.Fprintf(&c.b, `<circle class="hit" cx="%s" cy="%s" r="%d"/>`, x, y, hitRadius)
}

// add draws a path of a look.
func (c *pageCanvas) add(look string, p vg.Path) {
	if look != c.pending {
		c.flush()
	}
	c.pending = look
	c.paths.Write(c.data(p))
}

// flush writes the paths that are pending.
func (c *pageCanvas) flush() {
	if c.paths.Len() > 0 {
		fmt.Fprintf(&c.b, `<path %s d="%s"/>`+"\n", c.pending, c.paths.Bytes())
	}
	c.paths.Reset()
}

// String returns what was drawn.
func (c *pageCanvas) String() string {
	c.flush()
	return c.b.String()
}

func (c *pageCanvas) pen() *penState { return &c.state[len(c.state)-1] }

// Size implements vg.CanvasSizer.
func (c *pageCanvas) Size() (w, h vg.Length) { return c.w, c.h }

// SetLineWidth implements vg.Canvas.
func (c *pageCanvas) SetLineWidth(w vg.Length) { c.pen().width = w }

// SetLineDash implements vg.Canvas. No chart shifts its dashes.
func (c *pageCanvas) SetLineDash(pattern []vg.Length, _ vg.Length) { c.pen().dashes = pattern }

// SetColor implements vg.Canvas.
func (c *pageCanvas) SetColor(col color.Color) {
	c.pen().color = color.NRGBA{A: 0xFF}
	if col != nil {
		c.pen().color = color.NRGBAModel.Convert(col).(color.NRGBA)
	}
}

// Rotate implements vg.Canvas, for text that is drawn at the origin.
func (c *pageCanvas) Rotate(rad float64) { c.pen().turn += rad }

// Translate implements vg.Canvas.
func (c *pageCanvas) Translate(pt vg.Point) {
	sin, cos := math.Sincos(c.pen().turn)
	c.pen().shift = c.pen().shift.Add(vg.Point{
		X: pt.X*vg.Length(cos) - pt.Y*vg.Length(sin), Y: pt.X*vg.Length(sin) + pt.Y*vg.Length(cos),
	})
}

// Scale implements vg.Canvas. The charts do not scale.
func (c *pageCanvas) Scale(x, y float64) { panic("report: the page's canvas does not scale") }

// Push implements vg.Canvas.
func (c *pageCanvas) Push() { c.state = append(c.state, *c.pen()) }

// Pop implements vg.Canvas.
func (c *pageCanvas) Pop() { c.state = c.state[:len(c.state)-1] }

// place is where a point is, from the top left corner.
func (c *pageCanvas) place(p vg.Point) (x, y string) {
	p = c.turned(p)
	return decimal(p.X), decimal(c.h - p.Y)
}

func (c *pageCanvas) turned(p vg.Point) vg.Point {
	s := c.pen()
	sin, cos := math.Sincos(s.turn)
	return vg.Point{
		X: s.shift.X + p.X*vg.Length(cos) - p.Y*vg.Length(sin),
		Y: s.shift.Y + p.X*vg.Length(sin) + p.Y*vg.Length(cos),
	}
}

// Stroke implements vg.Canvas.
func (c *pageCanvas) Stroke(p vg.Path) {
	s := c.pen()
	if s.width <= 0 {
		return
	}
	look := fmt.Sprintf(`%s stroke-width="%s"`, paint("stroke", s.color), decimal(s.width))
	if len(s.dashes) > 0 {
		var dashes []string
		for _, d := range s.dashes {
			dashes = append(dashes, decimal(d))
		}
		look += fmt.Sprintf(` stroke-dasharray="%s"`, strings.Join(dashes, " "))
	}
	c.add(look, p)
}

// Fill implements vg.Canvas.
func (c *pageCanvas) Fill(p vg.Path) { c.add(paint("fill", c.pen().color), p) }

// FillString implements vg.Canvas.
func (c *pageCanvas) FillString(f font.Face, pt vg.Point, text string) {
	c.flush()
	x, y := c.place(pt)
	fmt.Fprintf(&c.b, `<text %s x="%s" y="%s" font-size="%s"`, paint("fill", c.pen().color), x, y, decimal(f.Font.Size))
	if f.Font.Weight > 0 {
		c.b.WriteString(` font-weight="bold"`)
	}
	if turn := c.pen().turn; turn != 0 {
		fmt.Fprintf(&c.b, ` transform="rotate(%s %s %s)"`, decimal(vg.Length(-turn*180/math.Pi)), x, y)
	}
	fmt.Fprintf(&c.b, `>%s</text>`+"\n", html.EscapeString(text))
}

// DrawImage implements vg.Canvas. The charts have no images.
func (c *pageCanvas) DrawImage(vg.Rectangle, image.Image) {
	panic("report: the page's canvas draws no images")
}

// data is a path's d attribute.
func (c *pageCanvas) data(p vg.Path) []byte {
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
			panic("report: the page's canvas draws no curves")
		}
	}
	return b.Bytes()
}

// arc goes straight to the arc's start and around it, in two halves: SVG has no arc
// that ends where it began.
func (c *pageCanvas) arc(b *bytes.Buffer, a vg.PathComp, to func(byte, vg.Point)) {
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
		fmt.Fprintf(b, "A%[1]s %[1]s 0 0 %[2]d %[3]s %[4]s", decimal(a.Radius), sweep, x, y)
	}
}

// decimal writes a length with two decimals at most.
func decimal(l vg.Length) string {
	v := math.Round(l.Points()*100)/100 + 0 // the sum makes −0 a 0
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// colourNames are the page's names of the colours that charts are drawn in.
var colourNames = func() map[color.NRGBA]string {
	names := map[color.NRGBA]string{paper: "paper", ink: "ink", muted: "muted", faint: "faint", grid: "grid", shaded: "shaded"}
	for i, c := range palette {
		names[c] = "s" + strconv.Itoa(i)
	}
	return names
}()

// paint is the attributes that set a fill or a stroke. A colour without a name stays as
// it is in the dark.
func paint(what string, c color.NRGBA) string {
	opaque := c
	opaque.A = 0xFF
	text := fmt.Sprintf(`%s="%s"`, what, hexOf(opaque))
	if name, ok := colourNames[opaque]; ok {
		text = fmt.Sprintf(`class="%c-%s"`, map[string]byte{"fill": 'f', "stroke": 'k'}[what], name)
	}
	if c.A != 0xFF {
		text += fmt.Sprintf(` %s-opacity="%s"`, what, decimal(vg.Length(float64(c.A)/0xFF)))
	}
	return text
}
