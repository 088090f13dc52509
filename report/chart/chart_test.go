package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/palette"
)

func wellFormed(t *testing.T, doc []byte) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

// long makes the names of a real run's charts long.
func long(t *testing.T) []Figure {
	run, err := analysis.Load("../../results/runs/ladder", analysis.Options{})
	require.NoError(t, err)
	charts, err := chartdata.All(run.Sweep, chartdata.Source{Records: run.Records, Steps: run.Steps})
	require.NoError(t, err)
	var figures []Figure
	for _, c := range charts {
		if c.Absent != "" {
			continue
		}
		c.Title += ", backend=twin (simulated)"
		for _, p := range c.Panels {
			for i := range p.Series {
				p.Series[i].Rung += " with a rather long name of its own"
			}
		}
		figures = append(figures, New(c, []string{"backend=twin (simulated)", "model cadence-30m", "workload mixed", "E2E SLO 4 s", "steady window: 15–90 s"}))
	}
	require.Greater(t, len(figures), 8)
	return figures
}

// However long the names, nothing of the header is cut off, and the panels begin below it.
func TestHeadersFitTheFigure(t *testing.T) {
	for _, fig := range long(t) {
		for _, l := range fig.header() {
			require.LessOrEqual(t, l.style.Width(l.text), fig.Width-2*margin, l.text)
		}
		name := textStyle(bodySize, palette.Ink, 0, 0)
		for _, p := range fig.keyPlaces() {
			require.LessOrEqual(t, p.x+sampleWidth+keyGap+name.Width(p.name), fig.Width-2*margin, p.name)
			require.Less(t, p.y, fig.headerHeight())
		}
		require.Greater(t, fig.Height-fig.headerHeight(), vg.Length(150))
	}
}

// A strip of steps draws each that can be told from the next, and merges the others.
func TestStripOfSteps(t *testing.T) {
	g := &chartdata.Gantt{Rung: "fifo", Requests: []int32{0}, Spans: []chartdata.Span{{Row: 0, From: 0, To: 1, Kind: chartdata.Decode}}}
	chart := chartdata.Chart{Name: "schedule", Columns: 1, Panels: []chartdata.Panel{{X: chartdata.Axis{Max: 10}, Y: chartdata.Axis{Max: 1}, Gantt: g}}}
	boxes := func(steps ...chartdata.Step) int {
		g.Steps = steps
		fig := New(chart, nil)
		svg, err := fig.SVG()
		require.NoError(t, err)
		wellFormed(t, svg)
		return bytes.Count(svg, []byte("fill:"+palette.Hex(palette.Muted)+"\"")) + bytes.Count(svg, []byte("fill:"+palette.Hex(palette.Faint)+"\""))
	}
	without := boxes()
	one := boxes(chartdata.Step{From: 0, To: 1, Rows: 1}) - without
	require.Equal(t, one+1, boxes(chartdata.Step{From: 0, To: 1, Rows: 1}, chartdata.Step{From: 1, To: 2, Rows: 1})-without)
	var short []chartdata.Step
	for i := range 100 {
		short = append(short, chartdata.Step{From: float64(i) / 1000, To: float64(i+1) / 1000, Rows: 1})
	}
	require.Equal(t, one, boxes(short...)-without)
}

func TestNoTwoLooksAreTheSame(t *testing.T) {
	seen := map[string]int{}
	for look := range 2 * len(palette.Series) {
		s := seriesOf(look)
		name := fmt.Sprint(s.color, s.marker, s.dashes)
		require.NotContains(t, seen, name)
		seen[name] = look
	}
	require.Equal(t, len(palette.Series), len(markers), "a colour and its marker stay together")
}

// No line leads to an invalid point.
func TestStretches(t *testing.T) {
	good, bad := chartdata.Point{}, chartdata.Point{Invalid: true}
	for _, c := range []struct {
		points []chartdata.Point
		want   [][2]int
	}{
		{nil, [][2]int{{0, 0}}},
		{[]chartdata.Point{good, good}, [][2]int{{0, 2}}},
		{[]chartdata.Point{good, bad, good, good}, [][2]int{{0, 1}, {2, 4}}},
		{[]chartdata.Point{bad, good, bad}, [][2]int{{0, 0}, {1, 2}, {3, 3}}},
	} {
		require.Equal(t, c.want, stretches(c.points))
	}
}

func TestTips(t *testing.T) {
	d := chartdata.Panel{X: chartdata.Axis{Unit: chartdata.RPS}, Y: chartdata.Axis{Unit: chartdata.Seconds}}
	l := chartdata.Series{Kind: chartdata.Line, Rung: "prefix", Name: "E2E p99"}
	for want, p := range map[string]chartdata.Point{
		"prefix at 1.3 rps\nE2E p99 0.25 s\n29 requests":                   {X: 1.3, Y: 0.25, Requests: 29},
		"prefix at 2 rps\nE2E p99 3 s\n2 s to 5 s over 3 seeds\n1 request": {X: 2, Y: 3, Band: &chartdata.Band{Min: 2, Max: 5, Seeds: 3}, Requests: 1},
		"prefix at 4 rps\nE2E p99 >25 s\n20 s to >30 s over 2 seeds\na lower bound: requests went unanswered": {
			X: 4, Y: 25, Bound: true, Band: &chartdata.Band{Min: 20, Max: 30, Seeds: 2}},
		"prefix at 4 rps\nE2E p99 2 s\nINVALID: no cell passed its checks": {X: 4, Y: 2, Invalid: true},
	} {
		require.Equal(t, want, pointTip(d, l, p))
	}
	share := chartdata.Panel{X: chartdata.Axis{Unit: chartdata.Seconds}, Y: chartdata.Axis{Unit: chartdata.Share}}
	require.Equal(t, "prefix: E2E\n90% of them within 2.5 s", pointTip(share, chartdata.Series{Kind: chartdata.Steps, Rung: "prefix", Name: "E2E"}, chartdata.Point{X: 2.5, Y: 0.9}))
	require.Equal(t, "fifo saturates\nits goodput peaks at 2 rps\n(1 to 3 rps with 95% confidence)",
		kneeTip(chartdata.Rule{Rung: "fifo", At: 2, Lo: 1, Hi: 3}))
	g := &chartdata.Gantt{Rung: "static", Requests: []int32{4, 7},
		Spans: []chartdata.Span{{Row: 1, From: 0.5, To: 1, Kind: chartdata.Queued}, {Row: 0, From: 0, To: 9, Kind: chartdata.Decode}},
		Marks: []chartdata.Mark{{Row: 1, At: 1, Kind: chartdata.Refused}}}
	require.Equal(t, "static: request 7\nqueued 0.5 to 1 s\nrefused at 1 s", requestTip(g, 1))
}
