package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"image/color"
	"strings"
	"unicode/utf8"

	"github.com/cadence-bench/cadence-bench/analysis"
)

// The flame graph's measures, in pixels at a README's width. Its text is set in
// a monospaced face, whose glyphs are 0.6 of the size wide or a little less, so
// that it can be cut to fit without knowing which face the viewer has.
const (
	flameWidth   = 830.0
	flameMargin  = 10.0
	flameRow     = 18.0
	flameText    = 11.0
	flameGlyph   = 0.61 * flameText
	flamePad     = 4.0 // on each side of a box's text
	flameHeader  = 58.0
	flameNarrow  = 0.4 // narrower boxes are not drawn
	flameMinimum = 3   // glyphs; shorter labels say nothing
)

// FlameGraph draws a profile as SVG: a box per function, as wide as the time in
// it and in what it calls, above its caller. The same profile gives the same
// bytes.
func FlameGraph(p *analysis.Profile, load ProfileLoad) []byte {
	total := p.Samples()
	perSample := (flameWidth - 2*flameMargin) / float64(max(total, 1))
	least := int64(flameNarrow/perSample) + 1
	boxes := flameTree(p).layout(least)
	depth := 0
	for _, b := range boxes {
		depth = max(depth, b.depth)
	}
	bottom := flameHeader + float64(depth+1)*flameRow
	height := bottom + flameMargin

	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]g" height="%[2]g" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace" font-size="%[3]g">`+"\n",
		flameWidth, height, flameText)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="%s"/>`+"\n", flameWidth, height, hexOf(paper))
	const sans = `font-family="Liberation Sans,Arial,Helvetica,sans-serif"`
	fmt.Fprintf(&b, `<text x="%g" y="26" %s font-size="17" font-weight="bold" fill="%s">%s</text>`+"\n",
		flameMargin, sans, hexOf(ink), escapeXML(flameTitle(load)))
	fmt.Fprintf(&b, `<text x="%g" y="46" %s font-size="12.5" fill="%s">%s</text>`+"\n",
		flameMargin, sans, hexOf(muted), escapeXML(fmt.Sprintf("%d samples of %s ms CPU time · width: share of busy time · a function stands on its caller", total, short(p.Period.Seconds()*1e3))))
	for _, box := range boxes {
		x, w := flameMargin+float64(box.from)*perSample, float64(box.samples)*perSample
		y := bottom - float64(box.depth+1)*flameRow
		fmt.Fprintf(&b, `<g><title>%s: %s%% of busy time, %d samples</title><rect x="%.2f" y="%g" width="%.2f" height="%g" fill="%s" stroke="%s" stroke-width="0.5"/>`,
			escapeXML(box.name), sig3(100*float64(box.samples)/float64(total)), box.samples, x, y, w, flameRow, hexOf(warm(box.name)), hexOf(paper))
		if label := fitLabel(shortFunction(box.name), w-2*flamePad); label != "" {
			fmt.Fprintf(&b, `<text x="%.2f" y="%g" fill="%s">%s</text>`, x+flamePad, y+flameRow-5.5, hexOf(ink), escapeXML(label))
		}
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func flameTitle(load ProfileLoad) string {
	return fmt.Sprintf("Where busy time goes: %s at %s requests/s", load.Rung, short(load.OfferedRPS))
}

// fitLabel cuts a label to a width in pixels, to nothing if too little is left.
func fitLabel(s string, width float64) string {
	room := int(width / flameGlyph)
	if utf8.RuneCountInString(s) <= room {
		return s
	}
	if room < flameMinimum {
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

func hexOf(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

func escapeXML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}
