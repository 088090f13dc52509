package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/sweep"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// An invalid cell says so in every table that has it, and no claim, line or
// description of a chart uses its figures.
func TestAnInvalidCellIsMarkedEverywhereAndClaimsNothing(t *testing.T) {
	s := marked(t) // fifo at 1 rps, where its goodput is 0.293, is invalid
	f := caption.Of(s, "cadence-30m")
	for _, table := range []table.Table{sweep.Summary(s, f), sweep.Brief(sweep.Summary(s, f)), sweep.Cells(s, f), sweep.CellChecks(s, f)} {
		found := 0
		for _, row := range table.Rows() {
			if strings.HasPrefix(row[len(row)-1], "INVALID") {
				require.Contains(t, row, "fifo")
				found++
			}
		}
		require.Equal(t, 1, found, table.Title)
	}
	require.Equal(t, "1 of 14 cells are INVALID and count in no claim: fifo-1rps-s1 (dispatch-lag)", sweep.Voided(s))

	headline := sweep.Headline(s, f)
	require.Contains(t, strings.Join(headline.Notes, "\n"), "fifo-1rps-s1 (dispatch-lag)", "and why")
	require.Equal(t, "fifo", headline.Rows()[0][0])
	require.NotEqual(t, "1", headline.Rows()[0][2], "its peak is elsewhere")
	all := figures(t, s, ladder())
	for _, name := range []string{"e2e-p99", "goodput"} {
		require.Contains(t, named(t, all, name).Summary, "invalid at 1 rps")
	}
	for _, l := range named(t, all, "goodput").Panels[0].Series {
		for _, p := range l.Points {
			require.Equal(t, l.Rung == "fifo" && p.X == 1, p.Invalid)
		}
	}
}

// A rung of which nothing is valid claims nothing, and neither does a comparison
// with it.
func TestARungWithoutAValidCell(t *testing.T) {
	cells := ladder().sweep().Cells
	for i := range cells {
		if cells[i].Cell.Rung == "static" {
			cells[i].Invalid = []analysis.Warning{{Code: checks.CodeGaps, Text: "no"}}
		}
	}
	s := analysis.NewSweep(cells, []string{"fifo", "static", "continuous"})
	words := Words(s)
	require.Contains(t, words, "static has no valid cell.")
	require.NotContains(t, strings.Join(words, " "), "times what")
	require.NotContains(t, strings.Join(words, " "), "the highest rate that all were offered")
	_, absent, err := charts(s, caption.Of(s, ""), ladder().source())
	require.NoError(t, err)
	require.Contains(t, strings.Join(absent, " "), "“End-to-end latency over arrival time”: the rungs share no offered rate")
}

func TestChecksCountVerdicts(t *testing.T) {
	s := marked(t)
	t.Log(sweep.Checks(s, caption.Of(s, "")).Markdown())
	for _, row := range sweep.Checks(s, caption.Of(s, "")).Rows() {
		if row[0] != "dispatch lag p99" {
			continue
		}
		require.Equal(t, []string{"61.0 ms", "fifo at 1 rps, seed 1"}, row[1:3])
		require.Equal(t, []string{"14", "0", "1"}, row[5:])
	}
}

func TestCheckRowsAreNumbers(t *testing.T) {
	s := marked(t)
	rows, err := csv.NewReader(bytes.NewReader(sweep.CellChecks(s, caption.Of(s, "")).CSV())).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+14*len(checks.CheckDocs()))
	require.Contains(t, rows, []string{"5", "fifo", "1", "1", "0", "false", "dispatch-lag", "0.061", "s", "voided", "p99 dispatch lag was 61 ms"})
	require.Contains(t, rows, []string{"5", "fifo", "1", "1", "0", "false", "client-cpu", "", "", "unmeasured", ""}, "null, not 0")
}

func TestEveryCheckIsDocumented(t *testing.T) {
	require.Equal(t, results.Opt[float64]{}, checks.Check{}.Figure)
	seen := map[string]bool{}
	for _, d := range checks.CheckDocs() {
		require.False(t, seen[d.Name])
		seen[d.Name] = true
		require.NotEmpty(t, d.What)
		require.NotEmpty(t, d.Why)
		require.NotEmpty(t, d.Note+d.Void, "%s: a check without a bound checks nothing", d.Name)
	}
	require.Len(t, sweep.CheckBounds().Rows(), len(seen))
}

// TestHitsOfAnInvalidCell: the table of hits marks it as the others do, and says why.
func TestHitsOfAnInvalidCell(t *testing.T) {
	s := seededSweep()
	f := caption.Of(s, "")
	sound, ok := sweep.Hits(s, f)
	require.True(t, ok)
	cells := slices.Clone(s.Cells) // other tests have the sweep too
	for i := range cells {
		if c := &cells[i]; c.HitRate.OK && c.Cell.OfferedRPS == s.Rates[0] {
			c.Invalid = []analysis.Warning{{Code: checks.CodeDispatchLag, Text: "p99 dispatch lag was 61 ms"}}
		}
	}
	s = analysis.NewSweep(cells, s.Rungs)
	void, ok := sweep.Hits(s, f)
	require.True(t, ok)
	require.Len(t, void.Headings(), len(sound.Headings())+1)
	require.Contains(t, void.Rows()[0][len(void.Headings())-1], "INVALID")
	require.Contains(t, strings.Join(void.Notes, "\n"), "p99 dispatch lag was 61 ms")
}

// TestConversationsDifferInRequests: rungs of one tape with different numbers of
// requests are told, and only valid ones count.
func TestConversationsDifferInRequests(t *testing.T) {
	s := ladder().sweep()
	notes := func() string { return strings.Join(sweep.Summary(s, caption.Of(s, "")).Notes, "\n") }
	require.NotContains(t, notes(), unequalNote)
	s.Cells[1].Arrivals--
	require.Contains(t, notes(), unequalNote)
	s.Cells[1].Invalid = []analysis.Warning{{Code: checks.CodeConservation}}
	require.NotContains(t, notes(), unequalNote)
}

const unequalNote = "Rungs differ in requests though they were offered the same tape: a conversation's next turn is due a think time after its last answer, " +
	"so a slower rung has fewer turns in the steady window. Compare latencies and attainment with that in mind."
