// Package flame draws a profile as a flame graph: a box for each function, as wide as the
// time in it and in what it calls, above its caller.
package flame

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html"
	"image/color"
	"unicode/utf8"

	"github.com/cadence-bench/cadence-bench/analysis/cpuprofile"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/palette"
)

// The flame graph's measures, in pixels at a README's width. Its text is set in
// a monospaced face, whose glyphs are 0.6 of the size wide or a little less, so
// that it can be cut to fit without knowing which face the viewer has.
const (
	width   = 830.0
	margin  = 10.0
	row     = 18.0
	text    = 11.0
	glyph   = 0.61 * text
	pad     = 4.0 // on each side of a box's text
	header  = 58.0
	narrow  = 0.4 // narrower boxes are not drawn
	minimum = 3   // glyphs; shorter labels say nothing
)

// Graph draws a profile as SVG. The same profile gives the same bytes.
func Graph(p *cpuprofile.Profile, title string) []byte {
	total := p.Samples()
	perSample := (width - 2*margin) / float64(max(total, 1))
	least := int64(narrow/perSample) + 1
	boxes := tree(p).layout(least)
	depth := 0
	for _, b := range boxes {
		depth = max(depth, b.depth)
	}
	bottom := header + float64(depth+1)*row
	height := bottom + margin

	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]g" height="%[2]g" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace" font-size="%[3]g">`+"\n",
		width, height, text)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="%s"/>`+"\n", width, height, palette.Hex(palette.Paper))
	const sans = `font-family="Liberation Sans,Arial,Helvetica,sans-serif"`
	fmt.Fprintf(&b, `<text x="%g" y="26" %s font-size="17" font-weight="bold" fill="%s">%s</text>`+"\n",
		margin, sans, palette.Hex(palette.Ink), html.EscapeString(title))
	fmt.Fprintf(&b, `<text x="%g" y="46" %s font-size="12.5" fill="%s">%s</text>`+"\n",
		margin, sans, palette.Hex(palette.Muted), html.EscapeString(fmt.Sprintf("%d samples of %s ms CPU time · width: share of busy time · a function stands on its caller", total, format.Short(p.Period.Seconds()*1e3))))
	for _, box := range boxes {
		x, w := margin+float64(box.from)*perSample, float64(box.samples)*perSample
		y := bottom - float64(box.depth+1)*row
		fmt.Fprintf(&b, `<g><title>%s: %s%% of busy time, %d samples</title><rect x="%.2f" y="%g" width="%.2f" height="%g" fill="%s" stroke="%s" stroke-width="0.5"/>`,
			html.EscapeString(box.name), format.Sig3(100*float64(box.samples)/float64(total)), box.samples, x, y, w, row, palette.Hex(warm(box.name)), palette.Hex(palette.Paper))
		if label := fitLabel(shortFunction(box.name), w-2*pad); label != "" {
			fmt.Fprintf(&b, `<text x="%.2f" y="%g" fill="%s">%s</text>`, x+pad, y+row-5.5, palette.Hex(palette.Ink), html.EscapeString(label))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// fitLabel cuts a label to a width in pixels, to nothing if too little is left.
func fitLabel(s string, width float64) string {
	room := int(width / glyph)
	if utf8.RuneCountInString(s) <= room {
		return s
	}
	if room < minimum {
		return ""
	}
	return string([]rune(s)[:room-1]) + "…"
}

// warm is a function's colour, from pale yellow to orange red: a hash of its
// name, so that it is the same in every flame graph. Ink is legible on all.
func warm(name string) color.NRGBA {
	h := fnv.New32a()
	h.Write([]byte(name))
	v := h.Sum32()
	return color.NRGBA{
		R: 0xF0 + uint8(v%16),
		G: 0x96 + uint8(v>>8%80),
		B: 0x4A + uint8(v>>20%48),
		A: 0xFF,
	}
}
