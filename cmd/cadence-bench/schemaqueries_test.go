package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// answer is a row as DuckDB gives it: 64-bit integers are text.
type answer map[string]any

func (a answer) number(t *testing.T, column string) float64 {
	t.Helper()
	switch v := a[column].(type) {
	case float64:
		return v
	case string:
		x, err := strconv.ParseFloat(v, 64)
		require.NoError(t, err, column)
		return x
	}
	require.Failf(t, "no number", "%s is %v in %v", column, a[column], a)
	return 0
}

// queries are the SQL blocks of docs/schema.md by the name in their first line, in order.
func queries(t *testing.T) (names, texts []string) {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "schema.md"))
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?s)```sql\n-- (\\S+)\n(.*?)```").FindAllSubmatch(doc, -1) {
		names, texts = append(names, string(m[1])), append(texts, string(m[2]))
	}
	require.Equal(t, bytes.Count(doc, []byte("```sql")), len(names), "every SQL block has a name")
	return names, texts
}

// ask runs the queries of docs/schema.md over the committed run. It skips the test where
// DuckDB is not installed.
func ask(t *testing.T) map[string][]answer {
	t.Helper()
	folder := filepath.Join(os.Getenv("CADENCE_CACHE"), "duckdb")
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "@duckdb", "node-api")); os.Getenv("CADENCE_CACHE") == "" || err != nil {
		t.Skip("DuckDB is not installed in CADENCE_CACHE: `make duckdb` installs it")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("DuckDB is run with node, which is not installed")
	}
	names, texts := queries(t)
	input, err := json.Marshal(texts)
	require.NoError(t, err)
	script, err := filepath.Abs(filepath.Join("testdata", "duckdb.cjs"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), node, script, folder)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Stdin = bytes.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), stderr.String())
	var answers [][]answer
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &answers))
	require.Len(t, answers, len(names))
	byName := map[string][]answer{}
	for i, name := range names {
		byName[name] = answers[i]
	}
	return byName
}

// TestDocumentedQueriesAgreeWithTheAnalysis: what a reader computes from the Parquet
// files, following docs/schema.md, is what the report says.
func TestDocumentedQueriesAgreeWithTheAnalysis(t *testing.T) {
	answers := ask(t)
	run, err := analysis.Load(committed, analysis.Options{})
	require.NoError(t, err)
	tested := map[string]func(*testing.T, []answer, *analysis.Run){
		"views": func(*testing.T, []answer, *analysis.Run) {}, "goodput": goodputAgrees, "tables": tablesAgree, "steps": stepsAgree,
		"e2e":  quantileAgrees("e2e_p99_s", true, func(m *analysis.CellMetrics) stats.Quantile { return m.E2E.P99 }),
		"ttft": quantileAgrees("ttft_p50_s", true, func(m *analysis.CellMetrics) stats.Quantile { return m.TTFT.P50 }),
		"itl":  quantileAgrees("itl_p99_s", false, func(m *analysis.CellMetrics) stats.Quantile { return m.ITL.P99 }),
	}
	require.Equal(t, slices.Sorted(maps.Keys(tested)), slices.Sorted(maps.Keys(answers)), "every documented query is tested")
	for name, test := range tested {
		t.Run(name, func(t *testing.T) { test(t, answers[name], run) })
	}
}

func goodputAgrees(t *testing.T, rows []answer, run *analysis.Run) {
	valid := 0
	for _, p := range run.Points {
		if p.Valid() {
			valid++
		}
	}
	require.Len(t, rows, valid)
	for _, row := range rows {
		r := run.Find(row["rung"].(string), row.number(t, "offered_rps")).Range(analysis.Goodput)
		require.InDelta(t, r.Mean, row.number(t, "goodput_rps"), 1e-12, row)
		require.InDelta(t, r.Min, row.number(t, "goodput_rps_min"), 1e-12, row)
		require.InDelta(t, r.Max, row.number(t, "goodput_rps_max"), 1e-12, row)
		require.Equal(t, float64(r.N), row.number(t, "seeds"), row)
	}
}

func quantileAgrees(column string, bounded bool, of func(*analysis.CellMetrics) stats.Quantile) func(*testing.T, []answer, *analysis.Run) {
	return func(t *testing.T, rows []answer, run *analysis.Run) {
		cells := run.All()
		require.Len(t, rows, len(cells))
		bounds := 0
		for i, row := range rows {
			q := of(&cells[i])
			require.Equal(t, float64(cells[i].Cell.Order), row.number(t, "cell"))
			require.InDelta(t, q.Value, row.number(t, column), 1e-12, row)
			if bounded {
				require.Equal(t, q.Censored, row[column+"_is_lower_bound"], row)
			}
			if q.Censored {
				bounds++
			}
		}
		if column == "e2e_p99_s" {
			require.NotZero(t, bounds, "the run has cells whose p99 is a bound")
		}
	}
}

func tablesAgree(t *testing.T, rows []answer, run *analysis.Run) {
	require.Len(t, rows, len(run.Points))
	for _, row := range rows {
		p := run.Find(row["rung"].(string), row.number(t, "offered_rps"))
		require.InDelta(t, p.Range(analysis.Goodput).Mean, row.number(t, "goodput_rps"), 0)
		require.InDelta(t, p.Range(analysis.E2EP99).Mean, row.number(t, "e2e_p99_s"), 0)
		require.Equal(t, p.Range(analysis.E2EP99).Bounds > 0, row["e2e_p99_s_is_lower_bound"])
	}
}

// stepsAgree joins traces with records as the query does, in our own readers' words.
func stepsAgree(t *testing.T, rows []answer, run *analysis.Run) {
	cells := run.All()
	require.Len(t, rows, len(cells))
	for i, row := range rows {
		m := &cells[i]
		recs, err := run.Records(m.Cell.Key)
		require.NoError(t, err)
		byRequest := map[int32]*results.Record{}
		for j := range recs {
			byRequest[recs[j].Request] = &recs[j]
		}
		_, steps, err := results.ReadSteps(filepath.Join(committed, "steps", filepath.Base(run.CellPath(m.Cell.Order, m.Cell.Key))))
		require.NoError(t, err)
		var admitted, atOnce, running, cached, wait float64
		for _, s := range steps {
			for _, a := range s.Admitted {
				r := byRequest[a.Request]
				if a.Again || !m.Window.Holds(r.Intended) {
					continue
				}
				admitted++
				running += float64(s.Running)
				cached += float64(a.Cached)
				wait += (s.Start - r.Intended).Seconds()
				if r.Started.OK && r.Started.V == s.Start {
					atOnce++
				}
			}
		}
		require.NotZero(t, admitted)
		require.Equal(t, []float64{admitted, atOnce, cached}, []float64{row.number(t, "admitted"), row.number(t, "started_at_once"), row.number(t, "cached_tokens")})
		require.InDelta(t, running/admitted, row.number(t, "running_after"), 1e-9)
		require.InDelta(t, wait/admitted, row.number(t, "wait_s"), 1e-9)
	}
}

// TestDocumentedQueriesNameColumns holds without DuckDB too: the queries use names that
// exist.
func TestDocumentedQueriesNameColumns(t *testing.T) {
	names, texts := queries(t)
	require.Contains(t, names, "views")
	known := map[string]bool{}
	for _, c := range append(results.Columns(), results.StepColumns()...) {
		known[c.Name] = true
	}
	for i, text := range texts {
		for _, ns := range regexp.MustCompile(`\b[ra]\.([a-z_0-9]+_(?:ns|tokens))\b`).FindAllStringSubmatch(text, -1) {
			require.True(t, known[ns[1]] || strings.Contains(text, " AS "+ns[1]) || ns[1] == "e2e_ns", "query %s has %s", names[i], ns[1])
		}
	}
}
