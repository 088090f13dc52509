package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// inTime is how many requests of a cell's steady window were answered within the SLO.
func inTime(cell results.Cell, records []results.Record) (n int) {
	for _, r := range records {
		if !r.Warmup && r.Outcome == results.Completed && (r.LastToken().V-r.Intended).Seconds() <= cell.SLOS {
			n++
		}
	}
	return n
}

// TestNoCellPassesItsUpperBound: below the knee and far beyond it, on every rung and
// under every admission policy, and the bound is near enough below the knee to be of use.
func TestNoCellPassesItsUpperBound(t *testing.T) {
	for _, ladder := range []string{"cadence", "arms"} {
		t.Run(ladder, func(t *testing.T) { noCellPasses(t, ladder) })
	}
}

func noCellPasses(t *testing.T, ladder string) {
	dir := filepath.Join(t.TempDir(), "run")
	got := execute(t, t.Context(), simulated(dir, "--ladder", ladder, "--rates", "1,4,16", "--duration", "30s", "--slo", "1s")...)
	require.Contains(t, []int{exitOK, exitInvalid}, got.code, got.stderr)
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	nearest := 0.0
	for _, e := range run.Entries {
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		require.True(t, cell.UpperRequests.OK)
		n := float64(inTime(cell, records))
		require.LessOrEqual(t, n, cell.UpperRequests.V, e.Name())
		t.Logf("%-30s in time %4.0f, at most %7.2f", e.Name(), n, cell.UpperRequests.V)
		nearest = max(nearest, n/cell.UpperRequests.V)
	}
	require.Greater(t, nearest, 0.95)
}
