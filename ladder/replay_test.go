package ladder

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/ladder/replay"
	"github.com/cadence-bench/cadence-bench/results"
)

// tracedRun measures a small ladder with step traces, under overload and with clients
// that give up, and returns its configuration and the folder.
func tracedRun(t *testing.T) (*celltest.Machine, Config, *results.Run) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	sweep, m, _ := newSweep(dir)
	sweep.TraceSteps = true
	cfg := smallConfig(t)
	cfg.Rungs, cfg.Rates, cfg.SLO = []string{"fifo", "static", "continuous", "paged", "prefix"}, []float64{2, 8}, time.Second
	cfg.Timeout = 4 * time.Second
	require.NoError(t, sweep.Start(context.Background(), cfg))
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	cfg, err = ConfigOf(run.Manifest.Params)
	require.NoError(t, err)
	return m, cfg, run
}

// replayed replays a cell of a run with this configuration.
func replayed(t *testing.T, m cell.Machine, cfg Config, was results.Cell, records []results.Record, steps []results.StepRow) (replay.Result, error) {
	t.Helper()
	s, err := cfg.Setup(m, was.Key)
	require.NoError(t, err)
	return replay.Cell(s, was, records, steps)
}

func TestReplayReproducesEveryDecision(t *testing.T) {
	m, cfg, run := tracedRun(t)
	outcomes := map[results.Outcome]int{}
	for _, e := range run.Entries {
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		_, steps, err := results.ReadSteps(run.StepsPath(e.Order, e.Key))
		require.NoError(t, err)
		require.NotEmpty(t, steps)
		for i := range records {
			outcomes[records[i].Outcome]++
		}
		got, err := replayed(t, m, cfg, cell, records, steps)
		require.NoError(t, err, e.Name())
		require.Nil(t, got.Mismatch, "%s: %v", e.Name(), got.Mismatch)
		require.Equal(t, len(steps), got.Steps)
		require.Equal(t, got.Measured, got.Modelled, "the trace is the model's own")
	}
	require.NotZero(t, outcomes[results.Completed])
	require.NotZero(t, outcomes[results.TimedOut], "the run must have been overloaded, or withdrawals were not replayed")
}

func TestReplayFindsTheFirstDifference(t *testing.T) {
	m, cfg, run := tracedRun(t)
	e := run.Entries[4]
	cell, records, err := run.ReadCell(e)
	require.NoError(t, err)
	for _, tc := range []struct {
		name, field string
		step        int
		change      func([]results.StepRow, []results.Record, *Config)
	}{
		{"a row more", "Rows", 7, func(s []results.StepRow, _ []results.Record, _ *Config) { s[7].Rows++ }},
		{"a block less", "FreeBlocks", 9, func(s []results.StepRow, _ []results.Record, _ *Config) { s[9].FreeBlocks-- }},
		{"a step that never was", "Start", 5, func(s []results.StepRow, _ []results.Record, _ *Config) { s[5].Start += time.Nanosecond }},
		{"another policy", "Rows", -1, func(_ []results.StepRow, _ []results.Record, c *Config) { c.PrefillBudget = 64 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, steps, err := results.ReadSteps(run.StepsPath(e.Order, e.Key))
			require.NoError(t, err)
			changed := cfg
			tc.change(steps, records, &changed)
			got, err := replayed(t, m, changed, cell, records, steps)
			mismatch := got.Mismatch
			require.NoError(t, err)
			require.NotNil(t, mismatch)
			require.Equal(t, tc.field, mismatch.Field, mismatch)
			if tc.step >= 0 {
				require.EqualValues(t, tc.step, mismatch.Step, mismatch)
			}
		})
	}
}

func TestReplayRefusesAnotherTape(t *testing.T) {
	m, cfg, run := tracedRun(t)
	cell, records, err := run.ReadCell(run.Entries[0])
	require.NoError(t, err)
	cell.TapeHash = "0000"
	_, err = replayed(t, m, cfg, cell, records, nil)
	require.ErrorContains(t, err, "cannot be replayed")
}
