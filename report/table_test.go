package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/sweep"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

func plain(t *testing.T, table table.Table) string {
	var b strings.Builder
	require.NoError(t, table.Text(&b))
	return b.String()
}

// marked is the one-seed ladder with what a real run may have: an invalid cell, a
// warning, and a rung that lacks a rate.
func marked(t *testing.T) *analysis.Sweep {
	s := ladder().sweep()
	var cells []analysis.CellMetrics
	for _, c := range s.Cells {
		switch {
		case c.Cell.Rung == "static" && c.Cell.OfferedRPS == 4:
			continue
		case c.Cell.Rung == "fifo" && c.Cell.OfferedRPS == 1:
			c.Invalid = []analysis.Warning{{Code: checks.CodeDispatchLag, Text: "p99 dispatch lag was 61 ms"}}
			for i := range c.Checks {
				if check := &c.Checks[i]; check.Name == checks.CodeDispatchLag {
					check.Figure, check.Verdict, check.Detail = results.Some(0.061), checks.Voided, c.Invalid[0].Text
				}
			}
		case c.Cell.Rung == "continuous" && c.Cell.OfferedRPS == 2.5:
			c.Warnings = append(c.Warnings, analysis.Warning{Code: checks.CodeProbeDrift, Text: "the probe's decode rate changed by -12%"})
		}
		cells = append(cells, c)
	}
	marked := analysis.NewSweep(cells, s.Rungs)
	require.Len(t, marked.Points, 14)
	return marked
}

func TestTablesOfALadder(t *testing.T) {
	s := marked(t)
	f := caption.Of(s, "cadence-30m")
	golden.Equal(t, "ladder.md", strings.Join([]string{
		sweep.Headline(s, f).Markdown(), sweep.Summary(s, f).Markdown(), sweep.Cells(s, f).Markdown(), sweep.Checks(s, f).Markdown(), sweep.CellChecks(s, f).Markdown(), sweep.Probes(s, f).Markdown(),
	}, "\n"))
	golden.Equal(t, "ladder.txt", plain(t, sweep.Brief(sweep.Summary(s, f))))
}

func TestTablesOverSeeds(t *testing.T) {
	s := seededSweep()
	f := caption.Of(s, "")
	hits, ok := sweep.Hits(s, f)
	require.True(t, ok)
	golden.Equal(t, "seeds.md", strings.Join([]string{sweep.Headline(s, f).Markdown(), sweep.Summary(s, f).Markdown(), hits.Markdown()}, "\n"))
}

func TestCaptionSaysWhatIsSimulated(t *testing.T) {
	fix := ladder()
	fix.backend, fix.rates = "twin", []float64{0.5}
	f := caption.Of(fix.sweep(), "cadence-30m")
	require.Equal(t, "backend=twin (simulated) · model cadence-30m · workload mixed · E2E SLO 4 s · "+
		"steady window: arrivals from 15 s to 90 s · 1 seed", f.Caption())
}
