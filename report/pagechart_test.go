package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/report/chart"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/palette"
)

// On the page a colour is a class, which the style gives for light and dark: one that it
// does not know would be drawn in neither.
func TestPageKnowsEveryColour(t *testing.T) {
	class := regexp.MustCompile(`class="([fk]-[a-z0-9]+)"`)
	style := read(t, "page/page.css")
	used := map[string]bool{}
	for _, fig := range figures(t, seededSweep(), fiveRungs()) {
		svg := string(fig.Inline().SVG)
		wellFormed(t, []byte(svg))
		require.NotRegexp(t, `(fill|stroke)="#`, svg, fig.Name)
		for _, m := range class.FindAllStringSubmatch(svg, -1) {
			used[m[1]] = true
		}
	}
	for name := range used {
		require.Contains(t, style, "."+name+" {")
	}
	require.Contains(t, used, "f-s5", "the fifth rung's")
	for i := range palette.Series {
		require.Contains(t, style, fmt.Sprintf("--s%d:", i))
		require.Contains(t, style, fmt.Sprintf(".f-s%d {", i))
	}
}

// Every point of a chart can be pointed at, and every rung can be hidden.
func TestPageNamesEveryPoint(t *testing.T) {
	for _, fig := range figures(t, seededSweep(), fiveRungs()) {
		c := fig.Inline()
		want := 0
		for _, p := range fig.Panels {
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
				case l.Kind != chartdata.Ceiling && len(l.Points) <= chart.MaxNamed:
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
