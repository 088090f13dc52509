package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// committed is the run that the documents show.
var committed = filepath.Join("..", "..", "results", "runs", "ladder")

func TestReportPrintsOneTable(t *testing.T) {
	printed := func(args ...string) string {
		got := execute(t, t.Context(), append([]string{"report", committed, "--table"}, args...)...)
		require.Equal(t, exitOK, got.code, got.stderr)
		return got.stdout
	}
	kept := func(name string) string {
		data, err := os.ReadFile(filepath.Join(committed, "tables", name))
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, kept("summary.md"), printed("summary"))
	require.Equal(t, kept("summary.csv"), printed("summary", "--format", "csv"))
	require.Equal(t, kept("provenance-tapes.json"), printed("provenance-tapes", "--format", "json"))

	lenient := printed("summary", "--format", "csv", "--slo", "10m")
	require.NotEqual(t, kept("summary.csv"), lenient, "another objective")
	rows, err := csv.NewReader(strings.NewReader(lenient)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "rung", rows[0][0])
	require.True(t, json.Valid([]byte(printed("cells", "--format", "json"))))
}

func TestReportRefusesTables(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"unknown table":      {[]string{"--table", "sumary"}, `no table "sumary": want one of headline, summary, cells`},
		"unknown format":     {[]string{"--table", "summary", "--format", "xml"}, `--format "xml": want one of markdown, csv, json`},
		"format of nothing":  {[]string{"--format", "csv"}, "--format applies to one table: name it with --table"},
		"table and check":    {[]string{"--table", "summary", "--check"}, "it does not go with --embed or --check"},
		"embed of another":   {[]string{"--slo", "1s", "--embed"}, "change the figures; --embed and --check need those of the run itself"},
		"check of another":   {[]string{"--warmup", "1s", "--check"}, "change the figures; --embed and --check need those of the run itself"},
		"over the run's own": {[]string{"--slo", "1s", "--out", committed}, "is the run's own folder, which keeps the report with the run's own SLO and window: name another"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, t.Context(), append([]string{"report", committed}, tt.args...)...)
			require.Equal(t, exitInput, got.code)
			require.Contains(t, got.stderr, tt.want)
			require.Empty(t, got.stdout)
		})
	}
}

// TestCommittedTablesAgreeWithTheData: what is committed is what the files give.
func TestCommittedTablesAgreeWithTheData(t *testing.T) {
	doc := write(t, "doc.md", "")
	got := execute(t, t.Context(), "report", committed, "--check", "--docs", doc)
	require.Equal(t, exitOK, got.code, got.stderr)
}

// TestReportAtAnotherSLO recomputes everything from the same rows, elsewhere.
func TestReportAtAnotherSLO(t *testing.T) {
	before, err := os.ReadFile(filepath.Join(committed, "summary.json"))
	require.NoError(t, err)
	out := t.TempDir()
	got := execute(t, t.Context(), "report", committed, "--slo", "10m", "--out", out)
	require.Equal(t, exitOK, got.code, got.stderr)
	after, err := os.ReadFile(filepath.Join(committed, "summary.json"))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
	sums, err := results.ReadSummary(filepath.Join(out, "summary.json"))
	require.NoError(t, err)
	for _, c := range sums {
		require.Equal(t, 600.0, c.SLOS)
		require.Equal(t, c.ThroughputRPS, c.GoodputRPS, "whoever was answered was so within it")
		require.Equal(t, c.Timeouts > 0, slices.Contains(c.LowerBounds, "goodput_rps"), "who gave up before is not decided")
	}
	report, err := os.ReadFile(filepath.Join(out, "report.md"))
	require.NoError(t, err)
	require.Contains(t, string(report), "E2E SLO 600 s (of the run: ")
}
