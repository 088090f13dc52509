package chart

import (
	"bytes"
	"fmt"
	"html"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pngDPI draws a 640-point figure 1,600 pixels wide: sharp at README width on
// dense screens.
const pngDPI = 180

// PNG renders the figure as pixels. Equal figures give equal bytes.
func (f *Figure) PNG() ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(pngDPI))
	f.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart %s: %w", f.Name, err)
	}
	return b.Bytes(), nil
}

// SVG renders the figure as a document that needs no font of its own: Arial and
// Helvetica have the metrics of Liberation Sans. Equal figures give equal bytes.
func (f *Figure) SVG() ([]byte, error) {
	c := vgsvg.New(f.Width, f.Height)
	f.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart %s: %w", f.Name, err)
	}
	_, body, found := bytes.Cut(b.Bytes(), []byte("xlink\">\n"))
	if !found {
		return nil, fmt.Errorf("chart %s: the SVG has no header that this version knows", f.Name)
	}
	body = bytes.ReplaceAll(body, []byte("font-family:Liberation Sans;font-variant:none;"), nil)
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" role="img" aria-labelledby="%[3]s-title %[3]s-desc" font-family="Liberation Sans, Arial, Helvetica, sans-serif">
<title id="%[3]s-title">%[4]s</title>
<desc id="%[3]s-desc">%[5]s</desc>
`, f.Width.Points(), f.Height.Points(), f.Name, html.EscapeString(f.Title), html.EscapeString(f.Summary))
	out.Write(body)
	return out.Bytes(), nil
}
