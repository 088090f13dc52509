package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/internal/golden"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/sweep"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// exported is a table as a script reads it.
type exported struct {
	Name, Title, Caption string
	Columns              []table.Column
	Rows                 [][]any
	Footnotes            []string
}

func exportedOf(t *testing.T, table table.Table) exported {
	t.Helper()
	data, err := table.JSON()
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var e exported
	require.NoError(t, d.Decode(&e), table.Name)
	return e
}

func TestDataOfALadder(t *testing.T) {
	s := marked(t)
	f := caption.Of(s, "cadence-30m")
	var b strings.Builder
	for _, table := range []table.Table{sweep.Headline(s, f), sweep.Summary(s, f), sweep.Cells(s, f), sweep.Checks(s, f), sweep.CellChecks(s, f), sweep.Probes(s, f)} {
		fmt.Fprintf(&b, "%s\n%s\n", table.Title, table.CSV())
	}
	golden.Equal(t, "ladder.csv", b.String())
	data, err := sweep.Headline(s, f).JSON()
	require.NoError(t, err)
	golden.Equal(t, "headline.json", string(data))
}

func TestDataOverSeeds(t *testing.T) {
	s := seededSweep()
	f := caption.Of(s, "")
	hits, ok := sweep.Hits(s, f)
	require.True(t, ok)
	golden.Equal(t, "seeds.csv", string(sweep.Headline(s, f).CSV())+"\n"+string(hits.CSV()))

	// The data are the figures themselves.
	summary := exportedOf(t, sweep.Summary(s, f))
	at := map[string]int{}
	for i, c := range summary.Columns {
		at[c.Key] = i
	}
	require.Len(t, summary.Rows, len(s.Points))
	for i, row := range summary.Rows {
		tail := s.Points[i].Range(analysis.E2EP99)
		require.Equal(t, s.Points[i].Rung, row[at["rung"]])
		require.Equal(t, fmt.Sprint(tail.Mean), fmt.Sprint(exportedNumber(t, row[at["e2e_p99_s"]])))
		require.Equal(t, tail.Bounds > 0, row[at["e2e_p99_s_is_lower_bound"]])
	}
}

func exportedNumber(t *testing.T, v any) float64 {
	t.Helper()
	x, err := v.(json.Number).Float64()
	require.NoError(t, err)
	return x
}

// TestEveryBlockIsExported fails for a table that is embedded but has no data, or
// that gives a number only as it is shown.
func TestEveryBlockIsExported(t *testing.T) {
	dir := folder(t, fiveRungs())
	r := load(t, dir)
	out := t.TempDir()
	_, err := r.Write(out)
	require.NoError(t, err)
	for name := range r.Blocks() {
		if name == "words" {
			continue
		}
		for _, ext := range []string{".csv", ".json"} {
			require.FileExists(t, filepath.Join(out, "tables", name+ext), "add the table of this block to Report.named")
		}
	}
	names := map[string]bool{}
	for _, table := range r.Tables() {
		require.NotEmpty(t, table.Name, table.Title)
		require.False(t, names[table.Name], table.Name)
		names[table.Name] = true
		e := exportedOf(t, table)
		require.NotEmpty(t, e.Columns, "%s gives machines nothing: declare its columns' keys", table.Name)
		require.Equal(t, []any{table.Name, table.Title, table.Caption}, []any{e.Name, e.Title, e.Caption})
		require.Equal(t, append([]string{}, table.Notes...), e.Footnotes)
		require.NotEmpty(t, e.Rows, table.Name)
		lines, err := csv.NewReader(bytes.NewReader(table.CSV())).ReadAll()
		require.NoError(t, err)
		require.Len(t, lines, 1+len(e.Rows), table.Name)
		columns := map[string]bool{}
		for i, c := range e.Columns {
			where := table.Name + "." + c.Key
			require.Regexp(t, regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`), c.Key, where)
			require.NotEmpty(t, c.Doc, where)
			require.False(t, columns[c.Key], where)
			columns[c.Key] = true
			require.Equal(t, c.Key, lines[0][i])
			for j, row := range e.Rows {
				require.Len(t, row, len(e.Columns), where)
				if row[i] == nil {
					require.Empty(t, lines[1+j][i], where)
					continue
				}
				require.Equal(t, fmt.Sprint(row[i]) == "", lines[1+j][i] == "", where)
			}
		}
	}
}

func TestCheckTables(t *testing.T) {
	r := load(t, folder(t, ladder()))
	out := t.TempDir()
	require.NoError(t, r.CheckTables(out), "nothing was written there")
	_, err := r.Write(out)
	require.NoError(t, err)
	require.NoError(t, r.CheckTables(out))

	path := filepath.Join(out, "tables", "summary.csv")
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(read(t, path), "fifo", "lifo", 1)), 0o644))
	require.NoError(t, os.Remove(filepath.Join(out, "tables", "cells.json")))
	require.NoError(t, os.WriteFile(filepath.Join(out, "tables", "old.csv"), nil, 0o644))
	err = r.CheckTables(out)
	require.ErrorContains(t, err, "summary.csv:2: differs from the data: have \"lifo")
	require.ErrorContains(t, err, "cells.json is missing")
	require.ErrorContains(t, err, "old.csv is not among the run's tables")
}
