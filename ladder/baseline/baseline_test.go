package baseline_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/baseline"
	"github.com/cadence-bench/cadence-bench/ladder/mutate"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/report/verdict"
	"github.com/cadence-bench/cadence-bench/results/calibration"
)

var harmless = mutate.Mutation{
	Name: "harmless", Mistake: "none at all", Catch: []string{gate.Steps},
	Where: func(s *spec.Settings) bool { return s.Cache.Prefix },
	Make:  func(*spec.Settings) {},
}

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
	proof, err := baseline.Prove(t.Context(), first, cfg, []mutate.Mutation{harmless, {
		Name: "narrow", Mistake: "one at a time", Catch: []string{gate.Steps},
		Where: func(s *spec.Settings) bool { return s.Cache.Prefix },
		Make:  func(s *spec.Settings) { s.Policy.MaxBatch = 1 },
	}})
	require.NoError(t, err)
	require.Equal(t, []int{gate.ExitPass, gate.ExitPass, gate.ExitRegression}, []int{proof.Trials[0].Exit, proof.Trials[1].Exit, proof.Trials[2].Exit})
	cfg.Dir = filepath.Join(t.TempDir(), "run")
	kept, err := baseline.Measure(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, got, kept)
	require.FileExists(t, filepath.Join(cfg.Dir, "manifest.json"))
}

// TestAlone: a rung by itself gives what it gives among others.
func TestAlone(t *testing.T) {
	cfg := small(t)
	all, err := baseline.Measure(t.Context(), cfg)
	require.NoError(t, err)
	cfg.Rungs = []string{"conformal"}
	alone, err := baseline.Measure(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, all.Only("conformal").Figures, alone.Figures)
}

// TestProofCanFail: a mistake that changes nothing, and a budget that nothing tests, are
// told.
func TestProofCanFail(t *testing.T) {
	cfg := small(t)
	got, err := baseline.Measure(t.Context(), cfg)
	require.NoError(t, err)
	old, err := got.Next(nil, "a test", time.Unix(0, 0))
	require.NoError(t, err)
	proof, err := baseline.Prove(t.Context(), old, cfg, []mutate.Mutation{harmless})
	require.NoError(t, err)
	p := verdict.Proof{Baseline: old, Proof: proof}
	require.Equal(t, fault.Regression, fault.Of(p.Err()))
	require.ErrorContains(t, p.Err(), "the gate is not proved: harmless: the gate exits with 0, not 1; p99 E2E catches no mistake that is there for it")
	require.NotContains(t, p.Err().Error(), "unchanged")
	text, err := p.Format("text")
	require.NoError(t, err)
	require.Contains(t, string(text), "NOT PROVED")
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
