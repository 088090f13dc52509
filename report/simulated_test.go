package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/sweep"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestSimulatedFiguresSaySo: every title of a simulated run names the twin, and none
// of a measured one does.
func TestSimulatedFiguresSaySo(t *testing.T) {
	const mark = "backend=twin (simulated)"
	for backend, want := range map[string]bool{"twin": true, "llama.cpp": false} {
		f := ladder()
		f.backend = backend
		r, err := of(f.sweep(), manifest(backend), f.source())
		require.NoError(t, err)
		tables := slices.Concat([]table.Table{r.Headline, r.Summary, r.Brief, r.Cells, r.Probes}, r.Findings, r.Provenance)
		require.Greater(t, len(tables), 14)
		for _, table := range tables {
			require.Equal(t, want, strings.Contains(table.Title, mark), table.Title)
		}
		require.Equal(t, 9, len(r.Figures))
		for i := range r.Figures {
			require.Equal(t, want, strings.Contains(r.Figures[i].Title, mark), r.Figures[i].Title)
			require.Equal(t, want, strings.Contains(r.Figures[i].Summary, mark), r.Figures[i].Summary)
			svg, err := r.Figures[i].SVG()
			require.NoError(t, err)
			require.Equal(t, want, strings.Contains(string(svg), mark))
		}
		html := pageOf(t, r)
		title, _, _ := strings.Cut(string(html), "</title>")
		require.Equal(t, want, strings.Contains(title, mark))
		require.Equal(t, want, strings.Contains(string(html), "These figures are simulated"))
		require.Equal(t, want, strings.HasPrefix(r.Markdown(), "# The ladder on cadence-30m, "+mark))
	}
}

// TestExtrapolatedCellsAreMarked: one footnote tells how far the cost model was
// stretched.
func TestExtrapolatedCellsAreMarked(t *testing.T) {
	f := ladder()
	f.backend = "twin"
	f.beyond = map[string]float64{"static": 0.125, "fifo": 0}
	s := f.sweep()
	table := sweep.Summary(s, caption.Of(s, ""))
	marked := 0
	for _, row := range table.Rows() {
		if strings.Contains(strings.Join(row, " "), "§") {
			require.Equal(t, "static", row[0])
			marked++
		}
	}
	require.Equal(t, len(f.rates), marked)
	require.Contains(t, strings.Join(table.Notes, "\n"), "§ extrapolated: the cell has simulated steps larger than those which the cost model was fitted on (5 cell(s), up to 12.5% of the steps).")
	require.Equal(t, results.Some(0.125), s.Cells[1].Cell.Extrapolated)
}
