package ladder

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/results"
)

// provenance is a program on a machine of which every fact is known.
func provenance() results.Manifest {
	return results.Manifest{
		Command: []string{"ladder"}, EngineSource: "e1",
		Build: results.Build{Commit: results.Some("c1"), Dirty: results.Some(false)},
		Host: results.Host{CPU: "cpu1", Cores: 2, MemoryBytes: results.Some[int64](8 << 30), CPULimit: results.Some(1.5),
			Load1: results.Some(0.5)},
	}
}

// halfDone is a run of which two cells were measured.
func halfDone(t *testing.T) (dir string, cfg Config) {
	s, _, q := newSweep(filepath.Join(t.TempDir(), "run"))
	s.Provenance = provenance()
	ctx, interrupt := context.WithCancel(t.Context())
	q.onEnd = func(order int) {
		if order == 1 {
			interrupt()
		}
	}
	cfg = smallConfig(t)
	cfg.Seeds = []uint64{1}
	require.ErrorIs(t, s.Start(ctx, cfg), context.Canceled)
	return s.Dir, cfg
}

// TestResumeNamesWhatChanged: every fact that must stay is named with what it was and is,
// and nothing is written.
func TestResumeNamesWhatChanged(t *testing.T) {
	dir, _ := halfDone(t)
	for want, change := range map[string]func(*Sweep, *celltest.Machine){
		"its commit was c1 and is now c2":                          func(s *Sweep, _ *celltest.Machine) { s.Provenance.Build.Commit.V = "c2" },
		"its commit was c1 and is now c1 with uncommitted changes": func(s *Sweep, _ *celltest.Machine) { s.Provenance.Build.Dirty.V = true },
		"its commit was c1 and is now unknown":                     func(s *Sweep, _ *celltest.Machine) { s.Provenance.Build.Commit = results.Opt[string]{} },
		"its engine source was e1 and is now e2":                   func(s *Sweep, _ *celltest.Machine) { s.Provenance.EngineSource = "e2" },
		"its model was m1 and is now m2":                           func(_ *Sweep, m *celltest.Machine) { m.Name = "m2" },
		"(libfake.so f1) and is now ":                              func(_ *Sweep, m *celltest.Machine) { m.LibFile = "f2" },
		"its CPU was cpu1 and is now cpu2":                         func(s *Sweep, _ *celltest.Machine) { s.Provenance.Host.CPU = "cpu2" },
		"its number of cores was 2 and is now 4":                   func(s *Sweep, _ *celltest.Machine) { s.Provenance.Host.Cores = 4 },
		"its CPU limit was 1.5 and is now unknown":                 func(s *Sweep, _ *celltest.Machine) { s.Provenance.Host.CPULimit = results.Opt[float64]{} },
		"its memory was 8589934592 and is now 4294967296":          func(s *Sweep, _ *celltest.Machine) { s.Provenance.Host.MemoryBytes.V = 4 << 30 },
		"its threads was 2 and is now 1":                           func(_ *Sweep, m *celltest.Machine) { m.Threads = "1" },
		"its CPU was cpu1 and is now cpu2 (and 1 more such changes)": func(s *Sweep, m *celltest.Machine) {
			s.Provenance.Host.CPU, m.Threads = "cpu2", "1"
		},
	} {
		before := everything(t, dir)
		s, m, _ := newSweep(dir)
		s.Provenance = provenance()
		change(s, m)
		err := s.Resume(t.Context())
		require.Equal(t, fault.Input, fault.Of(err))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "--allow-mixed")
		require.Equal(t, before, everything(t, dir))
	}
}

// What may change: what the kernel keeps of the memory, the load average, the command.
func TestResumeLetsPassWhatMeansNothing(t *testing.T) {
	dir, _ := halfDone(t)
	s, _, _ := newSweep(dir)
	s.Provenance = provenance()
	s.Provenance.Command, s.Provenance.Host.Load1, s.Provenance.Host.MemoryBytes.V = []string{"ladder", "--resume"}, results.Some(1.0), 8<<30-1<<20
	require.NoError(t, s.Resume(t.Context()))
}

// TestMixedRunsAreMarked: with leave, a run goes on; its manifest says what changed and
// when, and every cell measured from then on says so too.
func TestMixedRunsAreMarked(t *testing.T) {
	dir, _ := halfDone(t)
	s, m, q := newSweep(dir)
	s.Provenance, s.AllowMixed, m.Name = provenance(), true, "m2"
	s.Provenance.Command = []string{"ladder", "--resume", "--allow-mixed"}
	require.NoError(t, s.Resume(t.Context()))
	require.Contains(t, q.notes, "mixed run: its model was m1 and is now m2")
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	changes := []results.Change{{Field: "model", Was: "m1", Is: "m2"}}
	require.Equal(t, []results.Mixture{{At: s.Now(), Command: s.Provenance.Command, Changes: changes}}, run.Manifest.Mixed)
	require.Equal(t, "m1", run.Manifest.Model.SHA256, "the manifest is still of the beginning")
	for i, e := range run.Entries {
		cell, _, err := run.ReadCell(e)
		require.NoError(t, err)
		require.Equal(t, i >= 2, slices.Equal(changes, cell.Mixed), "cell %d", i)
	}

	again, _, _ := newSweep(dir)
	again.Provenance = provenance()
	require.NoError(t, again.Resume(t.Context()), "it is as it was begun: there is nothing to allow")
}

// One process at a time writes a run.
func TestARunIsWrittenByOneSweep(t *testing.T) {
	dir, cfg := halfDone(t)
	lock, err := results.LockRun(dir)
	require.NoError(t, err)
	s, _, q := newSweep(dir)
	s.Provenance = provenance()
	err = s.Resume(t.Context())
	require.ErrorIs(t, err, results.ErrRunLocked)
	require.Empty(t, q.ended)
	require.NoError(t, lock.Release())
	require.NoError(t, s.Resume(t.Context()))
	require.NoFileExists(t, filepath.Join(dir, "run.lock"))

	fresh, _, _ := newSweep(t.TempDir())
	lock, err = results.LockRun(fresh.Dir)
	require.NoError(t, err)
	require.ErrorIs(t, fresh.Start(t.Context(), cfg), results.ErrRunLocked)
	require.NoError(t, lock.Release())
	require.NoError(t, fresh.Start(t.Context(), cfg))
}

// Replicates and anchors of a sweep are cells of their own on the same tapes.
func TestSweepOfRepeats(t *testing.T) {
	s, _, _ := newSweep(filepath.Join(t.TempDir(), "run"))
	cfg := smallConfig(t)
	cfg.Rungs, cfg.Rates, cfg.SLO = []string{"fifo", "prefix"}, []float64{4}, 2e9
	cfg.Repeats = Repeats{Replicates: 2, Anchor: "prefix"}
	require.NoError(t, s.Start(t.Context(), cfg))
	run, err := results.OpenRun(s.Dir)
	require.NoError(t, err)
	require.Len(t, run.Manifest.Plan, 2*2*2+2)
	require.Len(t, run.Manifest.Tapes, 2)
	require.Equal(t, run.Manifest.Params["anchor"], "prefix")
	for i, e := range run.Entries {
		cell, _, err := run.ReadCell(e)
		require.NoError(t, err)
		require.Equal(t, run.Manifest.Plan[i], cell.Key)
		require.Equal(t, run.Manifest.Tapes[cell.Seed-1].SHA256, cell.TapeHash)
	}
	require.NoError(t, s.Resume(t.Context()))
}
