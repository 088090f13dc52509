// Package palette has the colours of every drawing: charts, the page and flame graphs.
//
// The page shows a chart in the dark by giving these exact colours other values (see
// page.css), so a chart uses no other.
package palette

import (
	"fmt"
	"image/color"
)

// The colours of what is not data.
var (
	Paper  = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
	Ink    = color.NRGBA{0x1F, 0x23, 0x28, 0xFF}
	Muted  = color.NRGBA{0x59, 0x63, 0x6E, 0xFF}
	Faint  = color.NRGBA{0xB7, 0xBD, 0xC4, 0xFF}
	Grid   = color.NRGBA{0xE6, 0xE9, 0xED, 0xFF}
	Shaded = color.NRGBA{0xF2, 0xF4, 0xF6, 0xFF}
)

// Series are the colours of rungs: those of Okabe and Ito (Color Universal Design, 2008),
// which readers with any common colour vision tell apart, in an order that keeps
// neighbours of a ladder far apart.
var Series = []color.NRGBA{
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0x6B, 0x5B, 0x4B, 0xFF}, // brown, for want of an eighth that is not ink
	{0x99, 0x99, 0x33, 0xFF}, // olive, of Tol's muted scheme
}

// Alpha is a colour with another opacity.
func Alpha(c color.NRGBA, a uint8) color.NRGBA {
	c.A = a
	return c
}

// Hex writes a colour as SVG does, without its opacity.
func Hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
