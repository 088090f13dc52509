package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// committed is the run that the documents show.
var committed = filepath.Join("..", "..", "results", "ladder")

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
		"unknown table":     {[]string{"--table", "sumary"}, `no table "sumary": want one of headline, summary, cells`},
		"unknown format":    {[]string{"--table", "summary", "--format", "xml"}, `--format "xml": want one of markdown, csv, json`},
		"format of nothing": {[]string{"--format", "csv"}, "name it with --table"},
		"table and check":   {[]string{"--table", "summary", "--check"}, "without --embed and --check"},
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
