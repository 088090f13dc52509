package ladder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

func TestSweepMeasuresEveryCell(t *testing.T) {
	s, m, q := newSweep(filepath.Join(t.TempDir(), "run"))
	require.NoError(t, s.Start(t.Context(), lowerRungs(t)))
	require.Len(t, q.ended, 4*2*2)
	require.Equal(t, 1+len(q.ended), m.Opened, "every cell has a backend of its own")

	run, err := results.OpenRun(s.Dir)
	require.NoError(t, err)
	require.Len(t, run.Entries, len(q.ended))
	byKey := map[results.Key]results.Cell{}
	for _, e := range run.Entries {
		require.Equal(t, results.CellFinished, e.State)
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		require.Empty(t, cell.Violations)
		require.Len(t, records, e.Rows)
		for _, r := range records {
			require.Contains(t, []results.Outcome{results.Completed, results.TimedOut}, r.Outcome)
			require.Equal(t, r.Intended < time.Second, r.Warmup)
			if r.Outcome == results.Completed {
				require.Len(t, r.Tokens, int(r.StopTokens.V))
			}
		}
		require.True(t, cell.ProbeBefore.OK && cell.ProbeAfter.OK)
		require.Positive(t, cell.Steps.Count)
		require.Equal(t, results.Some(len(records)), cell.Requests)
		require.False(t, cell.Usage.OK, "virtual time takes no CPU time")
		inSystem := 0.0
		for _, r := range records {
			inSystem += (r.Ended.V - r.Sent.V).Seconds()
		}
		require.InEpsilon(t, inSystem, cell.OutstandingS.V, 1e-9, "Little's law, exactly in virtual time")
		byKey[cell.Key] = cell
	}
	// Every rung replays the same tape.
	for key, cell := range byKey {
		key.Rung = "fifo"
		require.Equal(t, byKey[key].TapeHash, cell.TapeHash)
	}
	// What was left to auto is recorded with its reason.
	require.Len(t, run.Manifest.Choices, 2)
	for _, c := range run.Manifest.Choices {
		require.NotEmpty(t, c.Value)
		require.NotEmpty(t, c.Why)
	}
}

// files reads a run's cell files by name.
func files(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(dir, "cells"))
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, "cells", e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(data)
	}
	return all
}

// TestResumeCompletesAnInterruptedSweep: what was measured stays, the rest is
// measured, and the whole equals a sweep that was never interrupted.
func TestResumeCompletesAnInterruptedSweep(t *testing.T) {
	whole, _, _ := newSweep(filepath.Join(t.TempDir(), "whole"))
	require.NoError(t, whole.Start(t.Context(), lowerRungs(t)))
	want := files(t, whole.Dir)

	s, _, q := newSweep(filepath.Join(t.TempDir(), "run"))
	ctx, interrupt := context.WithCancel(t.Context())
	q.onEnd = func(order int) {
		if order == 3 {
			interrupt()
		}
	}
	require.ErrorIs(t, s.Start(ctx, lowerRungs(t)), context.Canceled)
	require.Len(t, files(t, s.Dir), 4)

	q.onEnd = nil
	require.NoError(t, s.Resume(t.Context()))
	require.Equal(t, 4, q.done)
	require.Equal(t, want, files(t, s.Dir))
}

// TestResumeAdoptsCellsThatTheJournalLost: the process died between writing a
// cell and journalling it.
func TestResumeAdoptsCellsThatTheJournalLost(t *testing.T) {
	s, _, q := newSweep(filepath.Join(t.TempDir(), "run"))
	require.NoError(t, s.Start(t.Context(), lowerRungs(t)))
	want := files(t, s.Dir)
	journal := filepath.Join(s.Dir, "journal.jsonl")
	data, err := os.ReadFile(journal)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(journal, data[:len(data)/2], 0o644))

	q.ended = nil
	require.NoError(t, s.Resume(t.Context()))
	require.Empty(t, q.ended, "nothing had to be measured again")
	require.Equal(t, want, files(t, s.Dir))
	run, err := results.OpenRun(s.Dir)
	require.NoError(t, err)
	require.Len(t, run.Entries, len(want))
}

func TestFailedCellDoesNotEndTheSweep(t *testing.T) {
	s, m, q := newSweep(filepath.Join(t.TempDir(), "run"))
	m.Fail[3], m.Fail[4] = errDevice, errors.New("device still lost")
	err := s.Start(t.Context(), lowerRungs(t))
	require.ErrorIs(t, err, ErrCells)
	require.ErrorContains(t, err, "1 of 16 failed twice")
	require.Len(t, q.ended, 15)
	require.ErrorContains(t, q.failed[0], "device still lost")
	entries, _, err := results.ReadJournal(s.Dir)
	require.NoError(t, err)
	require.Len(t, entries, 17, "both tries are there")
	for i, reason := range []string{"device lost", "device still lost"} {
		require.Equal(t, 1, entries[1+i].Order)
		require.Equal(t, results.CellFailed, entries[1+i].State)
		require.Equal(t, reason, entries[1+i].Reason)
	}

	require.NoError(t, s.Resume(t.Context()))
	require.Len(t, q.ended, 16)
}

// A cell that fails once is measured by the second try; the journal has both, and the
// file is that of a cell that never failed.
func TestFailedCellIsTriedOnceMore(t *testing.T) {
	calm, _, _ := newSweep(filepath.Join(t.TempDir(), "calm"))
	require.NoError(t, calm.Start(t.Context(), lowerRungs(t)))
	s, m, q := newSweep(filepath.Join(t.TempDir(), "run"))
	m.Fail[3] = errDevice
	require.NoError(t, s.Start(t.Context(), lowerRungs(t)))
	require.Empty(t, q.failed)
	require.Contains(t, q.notes, "cell 2 (static-"+strings.TrimPrefix(q.ended[0].Name(), "fifo-")+") failed and is tried once more: device lost")
	require.Equal(t, files(t, calm.Dir), files(t, s.Dir))
	entries, _, err := results.ReadJournal(s.Dir)
	require.NoError(t, err)
	require.Len(t, entries, 17)
	require.Equal(t, []results.State{results.CellFailed, results.CellFinished}, []results.State{entries[1].State, entries[2].State})
}

func TestSweepRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	s, m, _ := newSweep(dir)
	cfg := lowerRungs(t)
	require.NoError(t, s.Start(t.Context(), cfg))

	t.Run("a folder that holds a run", func(t *testing.T) {
		before := m.Opened
		require.ErrorIs(t, s.Start(t.Context(), cfg), results.ErrRunExists)
		require.Equal(t, before, m.Opened, "it refuses before it measures anything")
	})
	t.Run("to resume on another model", func(t *testing.T) {
		other, m, _ := newSweep(dir)
		m.Name = "m2"
		require.ErrorContains(t, other.Resume(t.Context()), "its model was m1 and is now m2")
	})
	t.Run("to resume what is no run", func(t *testing.T) {
		other, _, _ := newSweep(t.TempDir())
		require.ErrorContains(t, other.Resume(t.Context()), "is not a run")
	})
	t.Run("prompts beyond the model", func(t *testing.T) {
		small, m, _ := newSweep(filepath.Join(t.TempDir(), "run"))
		m.Context = 500
		require.ErrorContains(t, small.Start(t.Context(), cfg), "the model's context is 500 tokens, but request")
	})
	t.Run("prompts beyond --context", func(t *testing.T) {
		small, _, _ := newSweep(filepath.Join(t.TempDir(), "run"))
		cfg := cfg
		cfg.Context = 600
		require.ErrorContains(t, small.Start(t.Context(), cfg), "--context is 600 tokens, but request")
	})
}

// TestContinuousServesMoreInTime is the ladder's own claim, on the fake engine's
// costs: over the rates that bracket the knees, more requests meet the SLO.
func TestContinuousServesMoreInTime(t *testing.T) {
	s, _, q := newSweep(filepath.Join(t.TempDir(), "run"))
	cfg := lowerRungs(t)
	cfg.Seeds, cfg.NumRates, cfg.Duration = []uint64{1}, 5, time.Minute
	require.NoError(t, s.Start(t.Context(), cfg))
	run, err := results.OpenRun(s.Dir)
	require.NoError(t, err)
	met := map[string]int{}
	for _, e := range run.Entries {
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		for _, r := range records {
			if r.Outcome == results.Completed && (r.Ended.V-r.Intended).Seconds() <= cell.SLOS {
				met[cell.Rung]++
			}
		}
	}
	require.Len(t, q.ended, 20)
	require.Less(t, met["continuous"], met["prefix"])
	require.Less(t, met["fifo"], met["continuous"])
	require.Less(t, met["static"], met["continuous"])
}

// TestTraceSteps: the trace has every step, and its sums are the cell's.
func TestTraceSteps(t *testing.T) {
	s, _, _ := newSweep(filepath.Join(t.TempDir(), "run"))
	s.TraceSteps = true
	cfg := lowerRungs(t)
	cfg.Rungs, cfg.Rates, cfg.SLO, cfg.Seeds = []string{"prefix"}, []float64{5}, time.Second, []uint64{1}
	cfg.KVRetain = 1024 // so that prefixes are evicted
	require.NoError(t, s.Start(t.Context(), cfg))
	run, err := results.OpenRun(s.Dir)
	require.NoError(t, err)
	require.Len(t, run.Entries, 1)
	cell, records, err := run.ReadCell(run.Entries[0])
	require.NoError(t, err)
	_, steps, err := results.ReadSteps(run.StepsPath(0, cell.Key))
	require.NoError(t, err)
	rows, outputs, evicted, admitted, ended, cached := int64(0), int64(0), int64(0), 0, 0, int32(0)
	for _, st := range steps {
		rows += int64(st.Rows)
		outputs += int64(st.OutputRows)
		admitted += len(st.Admitted)
		ended += len(st.Ended)
		for _, a := range st.Admitted {
			cached += a.Cached
		}
		runs := int64(0)
		for _, e := range st.Evicted {
			runs += int64(e.Tokens)
			require.Equal(t, "bound", e.Reason)
		}
		evicted += runs
		require.Equal(t, st.EvictedTokens, runs)
		require.Equal(t, st.Rows, st.PrefillRows+st.DecodeRows)
		require.True(t, st.Cells.OK && st.TopCell.OK)
		require.GreaterOrEqual(t, st.TopCell.V, st.Cells.V)
		require.Equal(t, st.Rows > 0, st.Width().OK)
	}
	require.Len(t, steps, int(cell.Steps.Count))
	require.Equal(t, cell.Steps.Rows, rows)
	require.Equal(t, cell.Steps.OutputRows, outputs)
	require.Equal(t, len(records), admitted)
	require.Equal(t, len(records), ended)
	want := int32(0)
	for _, r := range records {
		want += r.CachedTokens.V
	}
	require.Positive(t, evicted)
	require.Positive(t, cached)
	require.Equal(t, want, cached)
}

// lowerRungs is smallConfig without the rungs of admission, which on calm cells do what
// the rung below does.
func lowerRungs(t *testing.T) Config {
	c := smallConfig(t)
	c.Rungs = []string{"fifo", "static", "continuous", "prefix"}
	return c
}
