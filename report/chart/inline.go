package chart

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/chart/websvg"
)

// Inline is a figure as part of a web page: its title, facts and key are text there, so
// that the key can be pressed and the text reflows on a narrow screen.
type Inline struct {
	Name  string
	Title string
	Facts string
	Keys  []InlineKey
	SVG   template.HTML
}

// InlineKey is an entry of the key. One with the name of a series shows and hides it.
type InlineKey struct {
	Name   string
	Series string
	Sample template.HTML
}

// Inline draws the figure for a web page whose style has the classes of websvg.
func (f *Figure) Inline() Inline {
	canvas := websvg.New(f.Width, f.Height-f.headerHeight()+margin)
	f.drawPanels(draw.Crop(draw.New(canvas), margin/2, -margin, margin/2, -margin/2))
	w, h := canvas.Size()
	c := Inline{Name: f.Name, Title: f.Title, Facts: strings.Join(f.Facts, " · "), SVG: template.HTML(fmt.Sprintf(
		`<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%[4]s" aria-describedby="%[3]s-desc">
<desc id="%[3]s-desc">%[5]s</desc>
%[6]s</svg>`, websvg.Decimal(w), websvg.Decimal(h), f.Name, html.EscapeString(f.Title), html.EscapeString(f.Summary), canvas.String()))}
	for _, e := range f.key {
		k := InlineKey{Name: e.name, Sample: e.inline()}
		if canvas.Has(e.name) {
			k.Series = e.name
		}
		c.Keys = append(c.Keys, k)
	}
	return c
}

func (e keyEntry) inline() template.HTML {
	const w, h = sampleWidth + 4, 24 // an arrow is taller than the line
	canvas := websvg.New(w, h)
	e.sample(draw.New(canvas), vg.Point{X: w / 2, Y: h / 2})
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %d %d" aria-hidden="true">%s</svg>`, w, h, canvas.String()))
}
