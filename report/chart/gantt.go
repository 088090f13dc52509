package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/chart/websvg"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/palette"
)

// stripRows is how many rows' height the strip of the engine's steps takes, below
// the requests.
const stripRows = 3

// ganttAxis numbers every tenth request from the top and names the strip.
func ganttAxis(p *plot.Plot, g *chartdata.Gantt) {
	n := len(g.Requests)
	p.Y.Min, p.Y.Max = 0, float64(n)
	var ticks []plot.Tick
	for i := 0; i < n; i += 10 {
		ticks = append(ticks, plot.Tick{Value: rowAt(n, i), Label: strconv.Itoa(int(g.Requests[i]))})
	}
	if len(g.Steps) > 0 {
		p.Y.Min = -stripRows
		ticks = append(ticks, plot.Tick{Value: -stripRows / 2, Label: "steps"})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
}

// rowAt is the middle of row i of n.
func rowAt(n, i int) float64 { return float64(n-i) - 0.5 }

// ganttLayer draws what the requests do, cut at the ends of the steps, and the steps.
func ganttLayer(g *chartdata.Gantt) layer {
	return func(c draw.Canvas, x, y func(float64) vg.Length) {
		look, n := seriesOf(g.Look), len(g.Requests)
		half := (y(1) - y(0)) * 0.4
		for _, s := range g.Spans {
			mid := y(rowAt(n, s.Row))
			switch s.Kind {
			case chartdata.Prefill:
				fillBox(c, look.color, x(s.From), x(s.To), mid-half, mid+half)
			case chartdata.Decode:
				fillBox(c, palette.Alpha(look.color, 0x66), x(s.From), x(s.To), mid-half, mid+half)
			}
		}
		cutAtSteps(c, g.Steps, x, y(0))
		for _, s := range g.Spans {
			if s.Kind == chartdata.Queued {
				mid := y(rowAt(n, s.Row))
				c.StrokeLine2(queuedLine, x(s.From), mid, x(s.To), mid)
			}
		}
		for _, m := range g.Marks {
			at := vg.Point{X: x(m.At), Y: y(rowAt(n, m.Row))}
			if m.Kind == chartdata.Refused {
				tick(c, at, half+0.5, palette.Ink)
			} else {
				cross(c, at, 2.4, palette.Ink)
			}
		}
		drawStrip(c, g.Steps, x, y(-stripRows+0.5), y(-0.5))
		nameRequests(c, g, x, y, half)
	}
}

// nameRequests lays over each row what the page says of its request.
func nameRequests(c draw.Canvas, g *chartdata.Gantt, x, y func(float64) vg.Length, half vg.Length) {
	for row := range g.Requests {
		from, to := math.Inf(1), math.Inf(-1)
		for _, s := range g.Spans {
			if s.Row == row {
				from, to = min(from, s.From), max(to, s.To)
			}
		}
		if from >= to {
			continue
		}
		mid := y(rowAt(len(g.Requests), row))
		box := vg.Rectangle{Min: vg.Point{X: x(from), Y: mid - half}, Max: vg.Point{X: x(to), Y: mid + half}}
		websvg.Group(c, websvg.Part{Series: g.Rung, Label: requestTip(g, row), Box: box}, func() {})
	}
}

var queuedLine = draw.LineStyle{Color: palette.Faint, Width: 1.2}

// cutAtSteps cuts the rows at the end of every step that is wide enough to be told
// from the next.
func cutAtSteps(c draw.Canvas, steps []chartdata.Step, x func(float64) vg.Length, bottom vg.Length) {
	const wide = 2.4
	var p vg.Path
	for _, s := range steps {
		if x(s.To)-x(s.From) >= wide && x(s.To) < c.Max.X {
			p.Move(vg.Point{X: x(s.To), Y: bottom})
			p.Line(vg.Point{X: x(s.To), Y: c.Max.Y})
		}
	}
	if len(p) > 0 {
		c.SetLineStyle(draw.LineStyle{Color: palette.Paper, Width: 0.6})
		c.Stroke(p)
	}
}

// drawStrip draws the steps as boxes, dark where a prompt was computed. Those too
// narrow to be told apart are drawn as one.
func drawStrip(c draw.Canvas, steps []chartdata.Step, x func(float64) vg.Length, bottom, top vg.Length) {
	const gap = 0.4
	for i := 0; i < len(steps); {
		from, prompt := x(steps[i].From), steps[i].Prefill > 0
		j := i + 1
		for j < len(steps) && (steps[j].Prefill > 0) == prompt && x(steps[j].From)-x(steps[j-1].To) < gap &&
			max(x(steps[j].To)-x(steps[j].From), x(steps[j-1].To)-x(steps[j-1].From)) < 2*gap {
			j++
		}
		col := palette.Faint
		if prompt {
			col = palette.Muted
		}
		fillBox(c, col, from, max(x(steps[j-1].To)-gap, from+0.2), bottom, top)
		i = j
	}
}
