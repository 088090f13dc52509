package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
)

// TestRealRunIsReplayed: a short run of the real engine with step traces is decided
// again exactly as it was, simulated, and compared, its costs scaled by another run's steps.
func TestRealRunIsReplayed(t *testing.T) {
	llamatest.Open(t)
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{
		"ladder", "--preset", "smoke", "--duration", "3s", "--timeout", "4s", "--rates", "4", "--slo", "1s", "--trace-steps",
		"--threads", "1", "--kv-layout", "streams", "--flash-attn", "on", "--out", dir,
	}
	measured := execute(t, t.Context(), args...)
	requireMeasured(t, measured)
	got := execute(t, t.Context(), "twin", "validate", dir, "--rescale-by", filepath.Join("..", "..", "results", "runs", "one-thread"), "--calibration", filepath.Join("..", "..", "results", "calibration", "calibration.json"))
	require.Equal(t, exitOK, got.code, got.stderr)
	require.Contains(t, got.stdout, "exactly as it did in the run")
	for _, name := range []string{"fidelity.md", "fidelity-cells.md", "fidelity-steps.md", "replays.json", "manifest.json"} {
		_, err := os.Stat(filepath.Join(dir+"-twin", name))
		require.NoError(t, err, name)
	}
	again := execute(t, t.Context(), "twin", "validate", dir)
	require.Equal(t, exitInput, again.code, "the folder of the simulation is taken: %s", again.stderr)
}
