package report

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/analysis"
)

// ratePoint is one rung at one offered rate in a chart.
type ratePoint struct {
	rate  float64
	value analysis.Range
	valid bool
	// nudge shifts a bound sideways, in points, where several rungs have one at
	// the same rate: they would hide each other on the line of the timeout.
	nudge vg.Length
}

// rateLine is one rung's metric against offered rate.
type rateLine struct {
	rung   string
	look   series
	points []ratePoint
}

func rateLines(s *analysis.Sweep, m analysis.Metric) []rateLine {
	lines := make([]rateLine, len(s.Rungs))
	for i, rung := range s.Rungs {
		lines[i] = rateLine{rung: rung, look: seriesOf(i)}
		for _, p := range s.Of(rung) {
			if r := p.Range(m); r.N > 0 {
				lines[i].points = append(lines[i].points, ratePoint{rate: p.OfferedRPS, value: r, valid: p.Valid()})
			}
		}
	}
	for _, rate := range s.Rates {
		nudge(lines, rate)
	}
	return lines
}

func nudge(lines []rateLine, rate float64) {
	const apart = 10
	var bounds []*ratePoint
	for i := range lines {
		for j := range lines[i].points {
			if p := &lines[i].points[j]; p.rate == rate && p.value.Bounds > 0 {
				bounds = append(bounds, p)
			}
		}
	}
	for i, p := range bounds {
		p.nudge = (vg.Length(i) - vg.Length(len(bounds)-1)/2) * apart
	}
}

// has reports whether any point is as cond says.
func has(lines []rateLine, cond func(ratePoint) bool) bool {
	for _, l := range lines {
		for _, p := range l.points {
			if cond(p) {
				return true
			}
		}
	}
	return false
}

func isBand(p ratePoint) bool    { return p.value.N > 1 }
func isBound(p ratePoint) bool   { return p.value.Bounds > 0 }
func isInvalid(p ratePoint) bool { return !p.valid }

// stretches returns the runs of valid points. An invalid one is marked, but no
// line leads to it: a line is a claim.
func (l rateLine) stretches() (runs [][]ratePoint) {
	start := 0
	for i, p := range l.points {
		if p.valid {
			continue
		}
		runs = append(runs, l.points[start:i])
		start = i + 1
	}
	return append(runs, l.points[start:])
}

func (l rateLine) band(c draw.Canvas, x, y func(float64) vg.Length) {
	for _, run := range l.stretches() {
		var up, down []vg.Point
		for _, p := range run {
			up = append(up, vg.Point{X: x(p.rate) + p.nudge, Y: y(p.value.Max)})
			down = append([]vg.Point{{X: x(p.rate) + p.nudge, Y: y(p.value.Min)}}, down...)
		}
		if len(up) > 1 {
			c.FillPolygon(alpha(l.look.color, 0x2E), append(up, down...))
		}
	}
}

func (l rateLine) line(c draw.Canvas, x, y func(float64) vg.Length) {
	for _, run := range l.stretches() {
		var pts []vg.Point
		for _, p := range run {
			pts = append(pts, vg.Point{X: x(p.rate) + p.nudge, Y: y(p.value.Mean)})
		}
		if len(pts) > 1 {
			c.StrokeLines(draw.LineStyle{Color: l.look.color, Width: 2}, pts)
		}
	}
}

const markRadius = 3.6

func (l rateLine) marks(c draw.Canvas, x, y func(float64) vg.Length) {
	for _, p := range l.points {
		at := vg.Point{X: x(p.rate) + p.nudge, Y: y(p.value.Mean)}
		within(c, part{l.rung, l.label(p), at}, func() {
			l.look.mark(c, at, markRadius, p.value.Bounds > 0 || !p.valid)
			if p.value.Bounds > 0 {
				l.look.arrow(c, at)
			}
			if !p.valid {
				cross(c, at, markRadius+3, ink)
			}
		})
	}
}

func (l rateLine) label(p ratePoint) string {
	return fmt.Sprintf("%s at %s rps\n%s", l.rung, short(p.rate), short(p.value.Mean))
}

// layers draws bands under lines under markers.
func layers(lines []rateLine) layer {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		if has(lines, isBand) {
			for _, l := range lines {
				within(c, part{series: l.rung}, func() { l.band(c, x, y) })
			}
		}
		for _, l := range lines {
			within(c, part{series: l.rung}, func() { l.line(c, x, y) })
		}
		for _, l := range lines {
			l.marks(c, x, y)
		}
	}
}

func rule(value float64, sty draw.LineStyle) layer {
	return func(c draw.Canvas, _, y func(float64) vg.Length) {
		c.StrokeLine2(sty, c.Min.X, y(value), c.Max.X, y(value))
	}
}

// rungKey has an entry for each rung and for each kind of mark that occurs.
func rungKey(lines []rateLine) []keyEntry {
	var key []keyEntry
	for _, l := range lines {
		key = append(key, keyEntry{l.rung, func(c draw.Canvas, at vg.Point) {
			strokeSample(c, at, draw.LineStyle{Color: l.look.color, Width: 2})
			l.look.mark(c, at, markRadius, false)
		}})
	}
	neutral := series{muted, markers[0]}
	if has(lines, isBand) {
		key = append(key, keyEntry{"min–max over seeds", func(c draw.Canvas, at vg.Point) {
			const w, h = sampleWidth / 2, 5
			c.FillPolygon(grid, []vg.Point{{X: at.X - w, Y: at.Y - h}, {X: at.X + w, Y: at.Y - h}, {X: at.X + w, Y: at.Y + h}, {X: at.X - w, Y: at.Y + h}})
		}})
	}
	if has(lines, isBound) {
		key = append(key, keyEntry{"a lower bound", func(c draw.Canvas, at vg.Point) {
			at.Y -= 4
			neutral.mark(c, at, markRadius, true)
			neutral.arrow(c, at)
		}})
	}
	if has(lines, isInvalid) {
		key = append(key, keyEntry{"invalid", func(c draw.Canvas, at vg.Point) {
			neutral.mark(c, at, markRadius, true)
			cross(c, at, markRadius+3, ink)
		}})
	}
	return key
}

func lineKey(name string, sty draw.LineStyle) keyEntry {
	return keyEntry{name, func(c draw.Canvas, at vg.Point) { strokeSample(c, at, sty) }}
}

func strokeSample(c draw.Canvas, at vg.Point, sty draw.LineStyle) {
	c.StrokeLine2(sty, at.X-sampleWidth/2, at.Y, at.X+sampleWidth/2, at.Y)
}

var (
	sloLine     = draw.LineStyle{Color: ink, Width: 1.2, Dashes: dashed}
	timeoutLine = draw.LineStyle{Color: muted, Width: 1, Dashes: dotted}
	idealLine   = draw.LineStyle{Color: faint, Width: 1.4, Dashes: dashed}
)

// only returns the value that every cell shares.
func only(s *analysis.Sweep, of func(*analysis.CellMetrics) float64) (float64, bool) {
	if len(s.Cells) == 0 {
		return 0, false
	}
	v := of(&s.Cells[0])
	for i := range s.Cells {
		if of(&s.Cells[i]) != v {
			return 0, false
		}
	}
	return v, v > 0
}

func sloOf(m *analysis.CellMetrics) float64     { return m.SLOS }
func timeoutOf(m *analysis.CellMetrics) float64 { return m.Cell.TimeoutS }

// TailChart is p99 E2E against offered rate, on a log scale, with the SLO.
func TailChart(s *analysis.Sweep, f Facts) Figure {
	lines := rateLines(s, analysis.E2EP99)
	fig := rateFigure("e2e-p99", f.title("p99 end-to-end latency against offered rate"), f, lines)
	p := newPlot("offered rate (requests per second)", "p99 E2E latency (s)")
	p.X.Min, p.X.Max = 0, lastRate(s)*1.05
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	p.Y.Min, p.Y.Max = logSpan(lines)
	p.Add(gridlines(p))
	if slo, ok := only(s, sloOf); ok {
		p.Y.Min, p.Y.Max = min(p.Y.Min, slo/1.5), max(p.Y.Max, slo*1.5)
		p.Add(rule(slo, sloLine))
		fig.key = append(fig.key, lineKey("SLO "+short(slo)+" s", sloLine))
	}
	if timeout, ok := only(s, timeoutOf); ok && has(lines, isBound) {
		p.Y.Max = max(p.Y.Max, timeout*1.5)
		p.Add(rule(timeout, timeoutLine))
		fig.key = append(fig.key, lineKey("client timeout "+short(timeout)+" s", timeoutLine))
	}
	p.Add(layers(lines))
	fig.rows = [][]*plot.Plot{{p}}
	return fig
}

// GoodputChart is goodput against offered rate, beside the line on which every
// arrival would be answered within the SLO.
func GoodputChart(s *analysis.Sweep, f Facts) Figure {
	lines := rateLines(s, analysis.Goodput)
	fig := rateFigure("goodput", f.title("Goodput against offered rate"), f, lines)
	p := newPlot("offered rate (requests per second)", "goodput (requests per second)")
	p.X.Min, p.X.Max = 0, lastRate(s)*1.05
	p.Y.Min, p.Y.Max = 0, 0
	for _, l := range lines {
		for _, pt := range l.points {
			p.Y.Max = max(p.Y.Max, pt.value.Max*1.12)
		}
	}
	if p.Y.Max == 0 {
		p.Y.Max = lastRate(s)
	}
	p.Add(gridlines(p), layer(func(c draw.Canvas, x, y func(float64) vg.Length) {
		end := min(p.X.Max, p.Y.Max)
		c.StrokeLine2(idealLine, x(0), y(0), x(end), y(end))
	}), layers(lines))
	fig.key = append(fig.key, lineKey("every arrival within the SLO", idealLine))
	fig.rows = [][]*plot.Plot{{p}}
	return fig
}

func rateFigure(name, title string, f Facts, lines []rateLine) Figure {
	var alt strings.Builder
	alt.WriteString(title + ".")
	for _, l := range lines {
		fmt.Fprintf(&alt, " %s:", l.rung)
		for i, p := range l.points {
			if i > 0 {
				alt.WriteString(",")
			}
			if !p.valid {
				fmt.Fprintf(&alt, " invalid at %s rps", short(p.rate))
				continue
			}
			fmt.Fprintf(&alt, " %s at %s rps", scale{factor: 1}.bounded(p.value.Mean, p.value.Bounds > 0), short(p.rate))
		}
		alt.WriteString(".")
	}
	return Figure{Name: name, Title: title, Alt: alt.String(), Width: figureWidth, Height: 400, facts: f.parts(), key: rungKey(lines)}
}

func lastRate(s *analysis.Sweep) float64 {
	if len(s.Rates) == 0 {
		return 1
	}
	return s.Rates[len(s.Rates)-1]
}

// logSpan is the range of a log axis around the lines, with room for arrows.
func logSpan(lines []rateLine) (lo, hi float64) {
	lo, hi = math.Inf(1), 0
	for _, l := range lines {
		for _, p := range l.points {
			if p.value.Min > 0 {
				lo, hi = min(lo, p.value.Min), max(hi, p.value.Max)
			}
		}
	}
	if hi == 0 {
		return 0.1, 10
	}
	return lo / 1.4, hi * 1.5
}
