package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
)

// Charts draws every chart of a sweep, and says of each that there is none of why.
func Charts(s *analysis.Sweep, f Facts, src chartdata.Source) (figures []Figure, absent []string, err error) {
	charts, err := chartdata.All(s, src)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range charts {
		if c.Absent != "" {
			absent = append(absent, fmt.Sprintf("There is no chart “%s”: %s.", c.Title, c.Absent))
			continue
		}
		figures = append(figures, figureOf(c, f))
	}
	return figures, absent, nil
}

// figureOf draws a chart. Its title, facts and summary are those that the chart then
// has: they say what the sweep as a whole rests on.
func figureOf(c chartdata.Chart, f Facts) Figure {
	c.Title = f.title(c.Title)
	c.Summary = inWords(c)
	if c.OneSeed {
		c.Facts = append(f.measured(), c.Facts...)
	} else {
		c.Facts = append(f.parts(), c.Facts...)
	}
	fig := Figure{Name: c.Name, Title: c.Title, Alt: c.Summary, Width: figureWidth, Data: c, facts: c.Facts, key: keyOf(c)}
	fig.panelTitles = c.Panels[0].Title != ""
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
