package baseline_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/ladder/baseline"
	"github.com/cadence-bench/cadence-bench/ladder/mutate"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results/calibration"
)

// small is a gate of two rungs at one rate.
func small(t *testing.T) baseline.Config {
	t.Helper()
	l, err := spec.Open(filepath.Join("testdata", "ladder.yaml"))
	require.NoError(t, err)
	cfg := baseline.Config{Ladder: l, Command: "a test", Source: "source", Load: baseline.DefaultLoad()}
	cfg.Load.Rates, cfg.Load.Seeds, cfg.Load.DurationS = []float64{2.5}, []uint64{1}, 60
	cfg.Calibration, cfg.ID, err = calibration.Default()
	require.NoError(t, err)
	return cfg
}

// TestMemory: a gate and its proof make no file, and a run that is kept says the same.
func TestMemory(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere"))
	cfg := small(t)
	got, err := baseline.Measure(t.Context(), cfg)
	require.NoError(t, err)
	require.Empty(t, got.Void)
	require.Equal(t, []string{"prefix", "conformal"}, got.Provenance.Rungs)
	require.Len(t, got.Provenance.Tapes, 1)
	require.Len(t, got.Decisions, 2)

	first, err := got.Next(nil, "first", time.Unix(0, 0))
	require.NoError(t, err)
	proof, err := baseline.Prove(t.Context(), first, cfg, []mutate.Mutation{{
		Name: "harmless", Mistake: "none at all", Catch: []string{gate.Steps},
		Where: func(s *spec.Settings) bool { return s.Cache.Prefix },
		Make:  func(*spec.Settings) {},
	}, {
		Name: "narrow", Mistake: "one at a time", Catch: []string{gate.Steps},
		Where: func(s *spec.Settings) bool { return s.Cache.Prefix },
		Make:  func(s *spec.Settings) { s.Policy.MaxBatch = 1 },
	}})
	require.NoError(t, err)
	require.Equal(t, []int{gate.ExitPass, gate.ExitPass, gate.ExitRegression}, []int{proof.Trials[0].Exit, proof.Trials[1].Exit, proof.Trials[2].Exit})
	require.NotEmpty(t, proof.Trials[1].Problem(gate.Budgets()), "a mistake that nothing catches")

	cfg.Dir = filepath.Join(t.TempDir(), "run")
	kept, err := baseline.Measure(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, got, kept)
	require.FileExists(t, filepath.Join(cfg.Dir, "manifest.json"))
}

// TestFile: what is written is read again, with its history, and decisions beside it.
func TestFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "baseline.json")
	_, err := baseline.Read(file)
	require.True(t, errors.Is(err, os.ErrNotExist))
	got, err := baseline.Measure(t.Context(), small(t))
	require.NoError(t, err)
	first, err := got.Next(nil, "first", time.Unix(0, 0))
	require.NoError(t, err)
	second, err := got.Next(&first, "second", time.Unix(0, 0))
	require.NoError(t, err)
	require.NoError(t, baseline.Write(file, second, got.Decided))
	read, err := baseline.Read(file)
	require.NoError(t, err)
	require.Equal(t, &second, read)
	require.Len(t, read.History, 2)
	require.Equal(t, gate.Pass, gate.Compare(*read, got.Measured, gate.Budgets()).Verdict)
	require.FileExists(t, baseline.DecisionsFile(file))
}
