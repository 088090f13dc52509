package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMissingCellIsSaid: every command that reads a run says on the console that a cell's
// file is gone, and ends with its exit code; what is left is shown. Resuming mends it.
func TestMissingCellIsSaid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.Equal(t, exitOK, execute(t, t.Context(), simulated(dir, "--rungs", "fifo,prefix", "--trace-decisions")...).code)
	cells, err := filepath.Glob(filepath.Join(dir, "cells", "*.parquet"))
	require.NoError(t, err)
	lost := cells[2]
	require.NoError(t, os.Remove(lost))
	for _, args := range [][]string{
		{"report", dir}, {"report", dir, "--table", "summary"}, {"compare", dir + ":fifo", dir + ":prefix"}, {"compare", dir, dir, "--json"}, {"fit", dir},
	} {
		got := execute(t, t.Context(), args...)
		require.Equal(t, exitCells, got.code, "%v: %s", args, got.stderr)
		require.Contains(t, got.stderr, "1 of 8 finished cells have no file any more, such as "+lost, "%v", args)
		require.Equal(t, args[0] != "fit", got.stdout != "", "%v", args)
	}
	require.Equal(t, exitOK, execute(t, t.Context(), "ladder", "--out", dir, "--resume", "--calibration", handMade).code)
	got := execute(t, t.Context(), "report", dir)
	require.Equal(t, exitOK, got.code)
	require.Empty(t, got.stderr)
}

// What else a run lacks is on the console too, and no error: it may still be measured.
func TestReportWarnsOnTheConsole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.Equal(t, exitOK, execute(t, t.Context(), simulated(dir, "--rungs", "fifo")...).code)
	f, err := os.OpenFile(filepath.Join(dir, "journal.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"rung":"fi`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	got := execute(t, t.Context(), "report", dir)
	require.Equal(t, exitOK, got.code)
	require.Contains(t, got.stderr, "warning: the last line of "+filepath.Join(dir, "journal.jsonl")+" is torn")
}

// TestCheckNamesTheKeptRun: a checkout in which nothing was measured yet has runs all the
// same, which its documents show.
func TestCheckNamesTheKeptRun(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	require.Equal(t, exitOK, execute(t, t.Context(), simulated(whole, "--rungs", "fifo")...).code)
	t.Chdir(t.TempDir())
	got := execute(t, t.Context(), "report", "--check")
	require.Equal(t, exitInput, got.code)
	require.Contains(t, got.stderr, "no run under")
	require.NoError(t, os.MkdirAll(keptRuns, 0o755))
	require.NoError(t, os.CopyFS(filepath.Join(keptRuns, "mine"), os.DirFS(whole)))
	got = execute(t, t.Context(), "report", "--check")
	require.Equal(t, exitInput, got.code)
	require.Contains(t, got.stderr, "no run under runs: name the one that the documents show, such as cadence-bench report results/runs/mine --check")
	require.Equal(t, exitOK, execute(t, t.Context(), "report", filepath.Join(keptRuns, "mine"), "--check", "--docs", "").code)
}
