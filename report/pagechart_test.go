package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/cadence-bench/cadence-bench/report/chartdata"
)

// On the page a colour is a class, which the style gives for light and dark: one that it
// does not know would be drawn in neither.
func TestPageKnowsEveryColour(t *testing.T) {
	class := regexp.MustCompile(`class="([fk]-[a-z0-9]+)"`)
	used := map[string]bool{}
	for _, fig := range figures(t, seededSweep(), fiveRungs()) {
		svg := string(fig.onPage().SVG)
		wellFormed(t, []byte(svg))
		require.NotRegexp(t, `(fill|stroke)="#`, svg, fig.Name)
		for _, m := range class.FindAllStringSubmatch(svg, -1) {
			used[m[1]] = true
		}
	}
	for name := range used {
		require.Contains(t, pageCSS, "."+name+" {")
	}
	require.Contains(t, used, "f-s5", "the fifth rung's")
	for i := range palette {
		require.Contains(t, pageCSS, fmt.Sprintf("--s%d:", i))
		require.Contains(t, pageCSS, fmt.Sprintf(".f-s%d {", i))
	}
}

// Every point of a chart can be pointed at, and every rung can be hidden.
func TestPageNamesEveryPoint(t *testing.T) {
	for _, fig := range figures(t, seededSweep(), fiveRungs()) {
		c := fig.onPage()
		want := 0
		for _, p := range fig.Data.Panels {
			for _, r := range p.Rules {
				if r.Kind == chartdata.Saturation {
					want++
				}
			}
			for _, l := range p.Series {
				switch {
				case l.Kind == chartdata.Steps:
					for _, q := range chartdata.Quantiles {
						if l.Points[len(l.Points)-1].Y >= q-1e-9 {
							want++
						}
					}
				case l.Kind != chartdata.Ceiling && len(l.Points) <= most:
					want += len(l.Points)
				}
			}
			if p.Gantt != nil {
				rows := map[int]bool{}
				for _, s := range p.Gantt.Spans {
					rows[s.Row] = true
				}
				want += len(rows)
			}
		}
		require.Equal(t, want, strings.Count(string(c.SVG), `class="point"`), fig.Name)
		if fig.Name == "goodput" {
			var names []string
			for _, k := range c.Keys {
				if k.Series != "" {
					names = append(names, k.Series)
				}
			}
			require.Equal(t, seededSweep().Rungs, names)
		}
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

// TestPageCanvas: coordinates run from the top left, paths of one look are one element,
// and text turns around its own place.
func TestPageCanvas(t *testing.T) {
	c := newPageCanvas(100, 50)
	dc := draw.New(c)
	dc.SetColor(palette[1])
	dc.Fill(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 1, Y: 2}}, {Type: vg.LineComp, Pos: vg.Point{X: 3, Y: 2}}, {Type: vg.CloseComp}})
	dc.Fill(vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: 5, Y: 50}}, {Type: vg.LineComp, Pos: vg.Point{X: 6.126, Y: 0}}, {Type: vg.CloseComp}})
	within(draw.Crop(dc, 1, -1, 1, -1), part{series: "a<b", label: "one\ntwo", at: vg.Point{X: 10, Y: 10}}, func() {
		dc.StrokeLine2(draw.LineStyle{Color: alpha(ink, 0x80), Width: 2, Dashes: []vg.Length{3, 1.5}}, 0, 0, 10, 10)
	})
	require.Equal(t, `<path class="f-s1" d="M1 48L3 48ZM5 0L6.13 50Z"/>
<g class="point" data-s="a&lt;b"><title>one
two</title><circle class="hit" cx="10" cy="40" r="8"/><path class="k-ink" stroke-opacity="0.5" stroke-width="2" stroke-dasharray="3 1.5" d="M0 50L10 40"/>
</g>
`, c.String())

	c = newPageCanvas(100, 50)
	sty := textStyle(10, ink, 0, 0)
	dc = draw.New(c)
	dc.FillText(sty, vg.Point{X: 20, Y: 10}, "R&D")
	require.Regexp(t, `^<text class="f-ink" x="20" y="\d[\d.]*" font-size="10">R&amp;D</text>\n$`, c.String())
	c = newPageCanvas(100, 50)
	sty.Rotation = 3.14159265358979 / 2
	dc = draw.New(c)
	dc.FillText(sty, vg.Point{X: 20, Y: 10}, "up")
	require.Regexp(t, `transform="rotate\(-90 `, c.String())
}
