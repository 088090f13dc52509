package analysis_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/results"
)

// runFolder writes a run of two rungs whose plan has one more cell.
func runFolder(t *testing.T) (string, []results.Record) {
	dir := t.TempDir()
	key := func(rung string) results.Key { return results.Key{Rung: rung, OfferedRPS: 1, Seed: 1} }
	plan := []results.Key{key("fifo"), key("static"), key("continuous")}
	run, err := results.CreateRun(dir, results.Manifest{Backend: "llama.cpp", Plan: plan})
	require.NoError(t, err)
	recs := []results.Record{
		analysistest.Row(0, 1*time.Second, results.Completed, 100*ms, 200*ms),
		analysistest.Row(1, 3*time.Second, results.Completed, 100*ms, 200*ms),
		analysistest.Row(2, 5*time.Second, results.TimedOut),
	}
	journal, err := results.OpenJournal(dir)
	require.NoError(t, err)
	for order, k := range plan[:2] {
		c := analysistest.Cell()
		c.Schema, c.Key, c.Order = results.SchemaVersion, k, order
		path := run.CellPath(order, k)
		require.NoError(t, results.WriteCell(path, c, recs))
		entry, err := run.EntryOf(filepath.Base(path))
		require.NoError(t, err)
		require.NoError(t, journal.Append(entry))
	}
	require.NoError(t, journal.Append(results.Entry{Key: plan[2], Order: 2, State: results.CellFailed, Reason: "out of memory"}))
	require.NoError(t, journal.Close())
	return dir, recs
}

func TestLoad(t *testing.T) {
	dir, recs := runFolder(t)
	run, err := analysis.Load(dir, analysis.Options{SLOS: 0.15})
	require.NoError(t, err)
	require.Equal(t, []string{"fifo", "static"}, run.Rungs)
	require.Len(t, run.Cells, 2)
	require.Equal(t, 2, run.Cells[0].Arrivals)
	require.Zero(t, run.Cells[0].GoodputRPS.V, "with the SLO of the options")
	require.Equal(t, []string{
		"cell 2 (continuous-1rps-s1) is failed and is left out: out of memory",
		"2 of 3 planned cells were measured",
	}, run.Warnings)

	got, err := run.Records(run.Cells[1].Cell.Key)
	require.NoError(t, err)
	require.Equal(t, recs, got)
	_, err = run.Records(results.Key{Rung: "other"})
	require.ErrorContains(t, err, "has no finished cell other-0rps-s0")

	sums := cautions.Summaries(run.Sweep)
	require.Len(t, sums, 2)
	require.Equal(t, results.Some(0.2), sums[0].E2EP50S)
	require.Equal(t, results.Some(5.0), sums[0].E2EP99S)
	require.Contains(t, sums[0].LowerBounds, "e2e_p99_s", "known only to exceed 5 s")
	require.True(t, sums[0].Valid)
	require.NoError(t, results.WriteSummary(filepath.Join(dir, "summary.json"), sums))
}

func TestLoadFaults(t *testing.T) {
	_, err := analysis.Load(t.TempDir(), analysis.Options{})
	require.ErrorContains(t, err, "is not a run")

	empty := t.TempDir()
	_, err = results.CreateRun(empty, results.Manifest{})
	require.NoError(t, err)
	_, err = analysis.Load(empty, analysis.Options{})
	require.ErrorContains(t, err, "has no finished cell")

	dir, _ := runFolder(t)
	files, err := filepath.Glob(filepath.Join(dir, "cells", "*.parquet"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files[0], []byte("PAR1"), 0o644))
	_, err = analysis.Load(dir, analysis.Options{})
	require.ErrorContains(t, err, files[0])
}
