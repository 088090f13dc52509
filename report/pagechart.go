package report

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pageChart is a figure on the page: its title, facts and key are text there, so that
// the key can be pressed and the text reflows on a narrow screen.
type pageChart struct {
	Name  string
	Title string
	Facts string
	Keys  []pageKey
	SVG   template.HTML
}

// pageKey is an entry of the key. One with the name of a series shows and hides it.
type pageKey struct {
	Name   string
	Series string
	Sample template.HTML
}

func (f *Figure) onPage() pageChart {
	canvas := newPageCanvas(f.Width, f.Height-f.headerHeight()+margin)
	f.drawPanels(draw.Crop(draw.New(canvas), margin/2, -margin, margin/2, -margin/2))
	c := pageChart{Name: f.Name, Title: f.Title, Facts: strings.Join(f.facts, " · "), SVG: template.HTML(fmt.Sprintf(
		`<svg class="chart" viewBox="0 0 %s %s" role="img" aria-label="%[4]s" aria-describedby="%[3]s-desc">
<desc id="%[3]s-desc">%[5]s</desc>
%[6]s</svg>`, decimal(canvas.w), decimal(canvas.h), f.Name, html.EscapeString(f.Title), html.EscapeString(f.Alt), canvas.String()))}
	for _, e := range f.key {
		k := pageKey{Name: e.name, Sample: e.onPage()}
		if canvas.series[e.name] {
			k.Series = e.name
		}
		c.Keys = append(c.Keys, k)
	}
	return c
}

func (e keyEntry) onPage() template.HTML {
	const w, h = sampleWidth + 4, 24 // an arrow is taller than the line
	canvas := newPageCanvas(w, h)
	e.sample(draw.New(canvas), vg.Point{X: w / 2, Y: h / 2})
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %d %d" aria-hidden="true">%s</svg>`, w, h, canvas.String()))
}
