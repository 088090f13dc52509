package chart

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/palette"
)

// keyOf has an entry for each rung and for each kind of mark that occurs.
func keyOf(c chartdata.Chart) []keyEntry {
	k := &key{}
	for _, p := range c.Panels {
		for _, l := range p.Series {
			k.addRung(l)
		}
	}
	for _, p := range c.Panels {
		for _, l := range p.Series {
			k.addSeries(l)
		}
		if p.Gantt != nil {
			k.addGantt(p.Gantt)
		}
	}
	for _, p := range c.Panels {
		for _, r := range p.Rules {
			k.addRule(r)
		}
		for _, s := range p.Shades {
			k.add(s.Name, boxSample(palette.Shaded, palette.Faint))
		}
	}
	return k.entries
}

// key collects entries, one of each name.
type key struct{ entries []keyEntry }

func (k *key) add(name string, draw sample) {
	if !slices.ContainsFunc(k.entries, func(e keyEntry) bool { return e.name == name }) {
		k.entries = append(k.entries, keyEntry{name, draw})
	}
}

// neutral is how a mark of any rung looks in the key.
var neutral = series{color: palette.Muted, marker: markers[0]}

func (k *key) addRung(l chartdata.Series) {
	look := seriesOf(l.Look)
	switch l.Kind {
	case chartdata.Line, chartdata.Steps:
		k.add(l.Rung, func(c draw.Canvas, at vg.Point) {
			strokeSample(look.line(false))(c, at)
			look.mark(c, at, markRadius, false)
		})
	case chartdata.Probes:
		k.add(l.Rung, func(c draw.Canvas, at vg.Point) { look.mark(c, at, markRadius, false) })
	}
}

func (k *key) addSeries(l chartdata.Series) {
	some := func(cond func(chartdata.Point) bool) bool { return slices.ContainsFunc(l.Points, cond) }
	switch l.Kind {
	case chartdata.Line:
		if hasBand(l.Points) {
			k.add("min–max over seeds", boxSample(palette.Grid, palette.Grid))
		}
		if some(func(p chartdata.Point) bool { return p.Bound }) {
			k.add("a lower bound", func(c draw.Canvas, at vg.Point) {
				at.Y -= 4
				neutral.mark(c, at, markRadius-0.4, true)
				neutral.arrow(c, at, 6.5)
			})
		}
		if some(func(p chartdata.Point) bool { return p.Invalid }) {
			k.add("invalid", func(c draw.Canvas, at vg.Point) {
				neutral.mark(c, at, markRadius, true)
				cross(c, at, markRadius+3, palette.Ink)
			})
		}
	case chartdata.Ceiling:
		k.add("its ceiling", strokeSample(neutral.line(true)))
	case chartdata.Dots:
		k.add(l.Name, func(c draw.Canvas, at vg.Point) {
			c.SetColor(palette.Muted)
			c.Fill(markers[0].path(at, 2.4))
		})
	case chartdata.Crosses:
		k.add(l.Name, crossSample(palette.Muted))
	case chartdata.Ticks:
		k.add(l.Name, tickSample(palette.Muted))
	case chartdata.Probes:
		k.add("before the cell", func(c draw.Canvas, at vg.Point) { neutral.mark(c, at, markRadius, false) })
		k.add("after it", func(c draw.Canvas, at vg.Point) { neutral.mark(c, at, markRadius, true) })
	}
}

func (k *key) addRule(r chartdata.Rule) {
	switch r.Kind {
	case chartdata.Saturation:
		k.add(r.Name, func(c draw.Canvas, at vg.Point) {
			c.StrokeLine2(saturationLine(neutral), at.X, at.Y-7, at.X, at.Y+5)
			neutral.mark(c, vg.Point{X: at.X, Y: at.Y + 5}, markRadius-0.8, false)
		})
	default:
		k.add(r.Name, strokeSample(ruleLines[r.Kind]))
	}
}

func (k *key) addGantt(g *chartdata.Gantt) {
	has := func(kind chartdata.SpanKind) bool {
		return slices.ContainsFunc(g.Spans, func(s chartdata.Span) bool { return s.Kind == kind })
	}
	marked := func(kind chartdata.MarkKind) bool {
		return slices.ContainsFunc(g.Marks, func(m chartdata.Mark) bool { return m.Kind == kind })
	}
	for _, e := range []struct {
		occurs bool
		keyEntry
	}{
		{has(chartdata.Queued), keyEntry{"queued", strokeSample(queuedLine)}},
		{has(chartdata.Prefill), keyEntry{"prefill", boxSample(palette.Muted, palette.Muted)}},
		{has(chartdata.Decode), keyEntry{"decode", boxSample(palette.Alpha(palette.Muted, 0x66), nil)}},
		{marked(chartdata.Refused), keyEntry{"refused", tickSample(palette.Ink)}},
		{marked(chartdata.Unanswered), keyEntry{"no answer by then", crossSample(palette.Ink)}},
		{len(g.Steps) > 0, keyEntry{"a step with prompt tokens", stripSample(palette.Muted)}},
		{len(g.Steps) > 0, keyEntry{"one of decoding alone", stripSample(palette.Faint)}},
	} {
		if e.occurs {
			k.add(e.name, e.sample)
		}
	}
}

func hasBand(points []chartdata.Point) bool {
	return slices.ContainsFunc(points, func(p chartdata.Point) bool { return p.Band != nil })
}

func strokeSample(sty draw.LineStyle) sample {
	return func(c draw.Canvas, at vg.Point) {
		c.StrokeLine2(sty, at.X-sampleWidth/2, at.Y, at.X+sampleWidth/2, at.Y)
	}
}

func crossSample(col color.Color) sample {
	return func(c draw.Canvas, at vg.Point) { cross(c, at, 2.6, col) }
}

func tickSample(col color.Color) sample {
	return func(c draw.Canvas, at vg.Point) { tick(c, at, 3.5, col) }
}

// boxSample is a filled box with an edge, unless that is nil.
func boxSample(fill, edge color.Color) sample {
	const w, h = sampleWidth / 2, 5
	return func(c draw.Canvas, at vg.Point) {
		box := []vg.Point{{X: at.X - w, Y: at.Y - h}, {X: at.X + w, Y: at.Y - h}, {X: at.X + w, Y: at.Y + h}, {X: at.X - w, Y: at.Y + h}}
		c.FillPolygon(fill, box)
		if edge != nil {
			c.StrokeLines(draw.LineStyle{Color: edge, Width: 0.6}, append(box, box[0]))
		}
	}
}

// stripSample is three steps of the strip.
func stripSample(col color.Color) sample {
	return func(c draw.Canvas, at vg.Point) {
		for i := range 3 {
			left := at.X + vg.Length(i-1)*9 - 4
			fillBox(c, col, left, left+8, at.Y-5, at.Y+5)
		}
	}
}
