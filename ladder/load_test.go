package ladder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// tapeFile writes a tape of conversations.
func tapeFile(t *testing.T, seed uint64) string {
	t.Helper()
	load, err := loadgen.OpenLoad("sessions:turns=3,think=500ms,system=20", "gamma:burstiness=0.5")
	require.NoError(t, err)
	tape, err := load.Make(4, seed, 6*time.Second)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, tape.WriteJSONL(f))
	require.NoError(t, f.Close())
	return file
}

// A sweep of a trace offers the tape that the file is, conversations included; the
// later prompts carry the earlier turns, and the answers' ends make turns due.
func TestSweepOfATrace(t *testing.T) {
	file := tapeFile(t, 1)
	want, err := loadgen.ReadTape(file)
	require.NoError(t, err)
	s, _, _ := newSweep(filepath.Join(t.TempDir(), "run"))
	cfg := smallConfig(t)
	cfg.Workload, cfg.Rates, cfg.SLO, cfg.Seeds = "trace:"+file, []float64{4}, time.Second, []uint64{1}
	cfg.Rungs = []string{"fifo", "prefix"}
	require.NoError(t, s.Start(t.Context(), cfg))
	run, err := results.OpenRun(s.Dir)
	require.NoError(t, err)
	require.Equal(t, want.Hash(), run.Manifest.Tapes[0].SHA256)
	require.Len(t, run.Entries, 2)
	for _, e := range run.Entries {
		cell, records, err := results.ReadCell(filepath.Join(s.Dir, "cells", e.File))
		require.NoError(t, err)
		require.Empty(t, cell.Violations)
		require.Equal(t, want.Hash(), cell.TapeHash)
		require.Len(t, records, len(want.Requests))
		for i, r := range records {
			if r.Turn.V == 0 {
				require.Equal(t, want.Requests[i].At, r.Intended)
				continue
			}
			require.Equal(t, records[i-1].Ended.V+r.Think.V, r.Intended)
			require.Greater(t, r.PromptTokens, records[i-1].PromptTokens)
			if cell.Rung == "prefix" {
				require.GreaterOrEqual(t, r.CachedTokens.V+16, records[i-1].PromptTokens, "what was said before is in the cache, but for a part of a block")
			}
		}
	}
}

// A run is not gone on with when a file of its load has changed.
func TestTraceThatChangesUnderARun(t *testing.T) {
	file := tapeFile(t, 1)
	s, m, _ := newSweep(filepath.Join(t.TempDir(), "run"))
	cfg := smallConfig(t)
	cfg.Workload, cfg.Rates, cfg.SLO, cfg.Seeds = "trace:"+file, []float64{4}, time.Second, []uint64{1}
	m.Fail[1] = errDevice
	m.Fail[2] = errDevice
	require.ErrorIs(t, s.Start(t.Context(), cfg), ErrCells)
	other, err := os.ReadFile(tapeFile(t, 2))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, other, 0o644))
	run, err := results.OpenRun(s.Dir)
	require.NoError(t, err)
	require.ErrorContains(t, s.Resume(t.Context()), "its tape of 4/s and seed 1 was "+results.Brief(run.Manifest.Tapes[0].SHA256)+" and is now ")
}

func TestLoadIsChecked(t *testing.T) {
	file := tapeFile(t, 1)
	for name, tt := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"two seeds of a tape": {func(c *Config) { c.Workload, c.Seeds = "trace:"+file, []uint64{1, 2} }, "--seeds: trace:" + file + " is a tape"},
		"tape too short":      {func(c *Config) { c.Workload, c.Seeds, c.Rates = "trace:"+file, []uint64{1}, []float64{40} }, "lower the rate or the duration"},
		"step too late":       {func(c *Config) { c.Arrivals, c.Rates = "step:at=1h,to=2", []float64{1} }, "is not within the duration"},
		"unknown arrivals":    {func(c *Config) { c.Arrivals = "gama:burstiness=1" }, `did you mean "gamma"?`},
	} {
		t.Run(name, func(t *testing.T) {
			c := smallConfig(t)
			tt.change(&c)
			require.ErrorContains(t, c.Check(), tt.want)
		})
	}
}
