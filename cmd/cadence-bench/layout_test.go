package main

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestLayoutIsChosenAndKept: what was left open of the layout is measured, is in the
// manifest with its figures, bounds the cached cells of a unified cache, and is taken
// from there by a resumed run without measuring again.
func TestLayoutIsChosenAndKept(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	llamatest.Open(t)
	dir := filepath.Join(t.TempDir(), "run")
	got := execute(t, t.Context(), "ladder", "--preset", "smoke", "--rungs", "prefix", "--rates", "2", "--slo", "2s", "--duration", "1s", "--warmup", "0s",
		"--timeout", "4s", "--threads", "1", "--kv-layout", "unified", "--out", dir)
	requireMeasured(t, got)
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	chosen := map[string]results.Choice{}
	for _, c := range run.Manifest.Choices {
		chosen[c.Name] = c
		require.Equal(t, c.Value, run.Manifest.Params[c.Name])
	}
	require.Len(t, chosen, 2)
	require.Contains(t, []string{"on", "off"}, chosen["flash_attn"].Value)
	require.Contains(t, chosen["flash_attn"].Why, "unified/flash on: prefill")
	require.NotContains(t, chosen["flash_attn"].Why, "streams/flash off", "the layout was given")
	cells, err := strconv.Atoi(chosen["kv_retain"].Value)
	require.NoError(t, err)
	if cells != 0 { // a machine so noisy that idle cells seem free
		require.Greater(t, cells, 400, "the longest prompt")
	}
	cell, _, err := run.ReadCell(run.Entries[0])
	require.NoError(t, err)
	require.Equal(t, chosen["kv_retain"].Value, cell.Params["kv_retain"])

	resumed := execute(t, t.Context(), "ladder", "--out", dir, "--resume")
	requireMeasured(t, resumed)
	require.NotContains(t, resumed.stderr, "measuring which")
	require.NotContains(t, resumed.stderr, "idle cached cells")
}
