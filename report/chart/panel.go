package chart

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/cadence-bench/cadence-bench/report/chartdata"
)

// New draws a chart. Its facts come after source, which says what the whole run rests on;
// its summary tells those who do not see it what it shows.
func New(c chartdata.Chart, source []string) Figure {
	c.Summary = inWords(c)
	c.Facts = slices.Concat(source, c.Facts)
	fig := Figure{Chart: c, Width: figureWidth, key: keyOf(c)}
	tall := vg.Length(0)
	for i, p := range c.Panels {
		if i%c.Columns == 0 {
			fig.rows = append(fig.rows, make([]*plot.Plot, c.Columns))
			tall += panelHeight(p, (len(c.Panels)+c.Columns-1)/c.Columns)
		}
		fig.rows[i/c.Columns][i%c.Columns] = panelPlot(c, i)
	}
	fig.Height = fig.headerHeight() + tall
	return fig
}

// panelHeight is that of one of several rows of panels, with its axis. It is lower where
// there are more of them.
func panelHeight(p chartdata.Panel, rows int) vg.Length {
	row := 5.6 // of a request
	if rows > 4 {
		row = 4.4
	}
	switch {
	case p.Gantt != nil:
		return vg.Length(62 + row*float64(len(p.Gantt.Requests)))
	case rows > 1:
		return 195
	default:
		return 290
	}
}

// panelPlot is the i-th panel of a chart.
func panelPlot(c chartdata.Chart, i int) *plot.Plot {
	d := c.Panels[i]
	x := d.X.Label
	if below := i + c.Columns; below < len(c.Panels) && c.Panels[below].X == d.X {
		x = ""
	}
	p := newPlot(x)
	setAxis(&p.X, d.X, c.Columns)
	setAxis(&p.Y, d.Y, 1)
	if d.Gantt != nil {
		ganttAxis(p, d.Gantt)
	}
	p.Add(underlay(p, d))
	if d.Gantt != nil {
		p.Add(ganttLayer(d.Gantt))
	}
	p.Add(seriesLayer(d))
	if d.Title != "" {
		p.Add(panelTitle(d.Title))
	}
	if i%c.Columns == 0 || c.Panels[i-1].Y != d.Y {
		p.Add(panelLabel(d.Y.Label, tickWidth(p)))
	}
	return p
}

func setAxis(a *plot.Axis, d chartdata.Axis, columns int) {
	a.Min, a.Max = d.Min, d.Max
	switch {
	case d.Log:
		a.Scale, a.Tick.Marker = plot.LogScale{}, logTicks{}
	case d.Unit == chartdata.Share:
		a.Tick.Marker = shareTicks{}
	case columns > 1:
		a.Tick.Marker = linearTicks{4}
	}
}
