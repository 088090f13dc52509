package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/sweep"
	"github.com/cadence-bench/cadence-bench/results"
)

func findingsOf(s *analysis.Sweep) string {
	var b strings.Builder
	for _, t := range sweep.Findings(s, caption.Of(s, "cadence-30m")) {
		b.WriteString("## " + t.Name + "\n\n" + t.Markdown() + "\n")
	}
	return b.String()
}

func TestFindingsOfOneSeed(t *testing.T) { golden.Equal(t, "findings.md", findingsOf(marked(t))) }

func TestFindingsOverSeeds(t *testing.T) {
	golden.Equal(t, "findings-seeds.md", findingsOf(seededSweep()))
}

// TestFindingsOfNothing: a sweep all of whose cells are void makes no claim and no table
// that fails.
func TestFindingsOfNothing(t *testing.T) {
	f := ladder()
	f.rates = []float64{1}
	s := f.sweep()
	for i := range s.Cells {
		s.Cells[i].Invalid = []analysis.Warning{{Code: checks.CodeDispatchLag, Text: "late"}}
	}
	text := findingsOf(s)
	require.NotContains(t, text, "NaN")
	require.NotContains(t, text, "**holds**")
	require.NotContains(t, text, "**does not hold**")
	require.NotContains(t, findingsOf(analysis.NewSweep(nil, nil)), "NaN")
}

func TestGrowthText(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{{0, "0%"}, {0.0004, "0%"}, {0.0123, "+1.2%"}, {-0.0996, "−10%"}, {0.5, "+50%"}, {-0.034, "−3.4%"}, {2, "+200%"}} {
		require.Equal(t, c.want, format.Growth(c.v))
	}
}

// TestProbesSayWhetherTheMachineDrifted: by the notes under the table.
func TestProbesSayWhetherTheMachineDrifted(t *testing.T) {
	f := ladder()
	s := f.sweep()
	notes := strings.Join(sweep.Probes(s, caption.Of(s, "")).Notes, "\n")
	require.Contains(t, notes, "no drift is shown")
	require.Contains(t, notes, "No cell is left out for its probe.")
	for i := range s.Cells {
		s.Cells[i].Cell.ProbeBefore = results.Some(results.Probe{PrefillTokensPerS: 1800, DecodeTokensPerS: 500 - 10*float64(i)})
	}
	notes = strings.Join(sweep.Probes(s, caption.Of(s, "")).Notes, "\n")
	require.Contains(t, notes, "the machine became slower")
	require.Contains(t, notes, "of its mean an hour")
}

// TestAnotherObjectiveSaysSo: what is recomputed cannot pass for the run's own.
func TestAnotherObjectiveSaysSo(t *testing.T) {
	f := ladder()
	cells, rows := f.cells()
	m := analysis.Measure(cells[0], rows[0], analysis.Options{SLOS: 2})
	s := analysis.NewSweep([]analysis.CellMetrics{m}, nil)
	require.Contains(t, sweep.Summary(s, caption.Of(s, "")).Caption, "E2E SLO 2 s (of the run: 4 s)")
}
