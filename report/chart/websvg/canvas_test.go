package websvg

import (
	"testing"

	"github.com/stretchr/testify/require"
	_ "gonum.org/v1/plot" // its fonts
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/palette"
)

// TestCanvas: coordinates run from the top left, paths of one look are one element,
// and text turns around its own place.
func TestCanvas(t *testing.T) {
	c := New(100, 50)
	dc := draw.New(c)
	dc.SetColor(palette.Series[1])
	dc.Fill(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 1, Y: 2}}, {Type: vg.LineComp, Pos: vg.Point{X: 3, Y: 2}}, {Type: vg.CloseComp}})
	dc.Fill(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 5, Y: 50}}, {Type: vg.LineComp, Pos: vg.Point{X: 6.126, Y: 0}}, {Type: vg.CloseComp}})
	Group(draw.Crop(dc, 1, -1, 1, -1), Part{Series: "a<b", Label: "one\ntwo", At: vg.Point{X: 10, Y: 10}}, func() {
		dc.StrokeLine2(draw.LineStyle{Color: palette.Alpha(palette.Ink, 0x80), Width: 2, Dashes: []vg.Length{3, 1.5}}, 0, 0, 10, 10)
	})
	require.Equal(t, `<path class="f-s1" d="M1 48L3 48ZM5 0L6.13 50Z"/>
<g class="point" data-s="a&lt;b"><title>one
two</title><circle class="hit" cx="10" cy="40" r="8"/><path class="k-ink" stroke-opacity="0.5" stroke-width="2" stroke-dasharray="3 1.5" d="M0 50L10 40"/>
</g>
`, c.String())

	c = New(100, 50)
	sty := text.Style{
		Color: palette.Ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: 10}, Handler: text.Plain{Fonts: font.DefaultCache},
	}
	dc = draw.New(c)
	dc.FillText(sty, vg.Point{X: 20, Y: 10}, "R&D")
	require.Regexp(t, `^<text class="f-ink" x="20" y="\d[\d.]*" font-size="10">R&amp;D</text>\n$`, c.String())
	c = New(100, 50)
	sty.Rotation = 3.14159265358979 / 2
	dc = draw.New(c)
	dc.FillText(sty, vg.Point{X: 20, Y: 10}, "up")
	require.Regexp(t, `transform="rotate\(-90 `, c.String())
}
