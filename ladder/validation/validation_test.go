package validation_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/validation"
	"github.com/cadence-bench/cadence-bench/results"
)

var runs = filepath.Join("..", "..", "results", "runs")

// options simulate with the calibration of this build into a folder of the test's.
func options(t *testing.T) validation.Options {
	return validation.Options{
		Places: machine.Places{Cache: t.TempDir()}, Out: filepath.Join(t.TempDir(), "twin"),
		Progress: ladder.Unseen{}, Note: func(string) {}, Now: func() time.Time { return time.Unix(0, 0) },
	}
}

// TestCommittedRun: a run of the real engine is decided again as it was, and compared with
// its simulation as the kept comparison has it.
func TestCommittedRun(t *testing.T) {
	o := options(t)
	tables, err := validation.Run(t.Context(), filepath.Join(runs, "one-thread"), o)
	require.NoError(t, err)
	require.Len(t, tables, 3)
	for _, table := range tables {
		kept, err := os.ReadFile(filepath.Join(runs, "one-thread-twin", table.Name+".md"))
		require.NoError(t, err)
		require.Equal(t, string(kept), table.Markdown())
		require.FileExists(t, filepath.Join(o.Out, table.Name+".md"))
	}
	require.FileExists(t, filepath.Join(o.Out, "replays.json"))
	_, err = validation.Run(t.Context(), filepath.Join(runs, "one-thread"), o)
	require.Equal(t, fault.Input, fault.Of(err), "the folder is taken: %v", err)

	o = options(t)
	o.RescaleBy = filepath.Join(runs, "one-thread")
	_, err = validation.Run(t.Context(), filepath.Join(runs, "one-thread"), o)
	require.ErrorContains(t, err, "this is the run that is judged; name another")
}

// TestRescaledByAnotherRun: the factor is that run's, and not the one that would suit.
func TestRescaledByAnotherRun(t *testing.T) {
	if testing.Short() {
		t.Skip("replays 84 cells")
	}
	o := options(t)
	o.RescaleBy = filepath.Join(runs, "ladder")
	tables, err := validation.Run(t.Context(), filepath.Join(runs, "one-thread"), o)
	require.NoError(t, err)
	require.NotRegexp(t, `by the cost model [0-9.]+ s \([+-]0\.0%\)`, tables[2].Markdown())
	m, err := results.ReadManifest(filepath.Join(o.Out, "manifest.json"))
	require.NoError(t, err)
	require.Equal(t, "twin_scale", m.Choices[len(m.Choices)-1].Name)
	require.Contains(t, m.Choices[len(m.Choices)-1].Why, "the steps of ladder took")
}

// TestRefused: what cannot be compared is bad input, before anything is simulated.
func TestRefused(t *testing.T) {
	for dir, want := range map[string]string{
		"one-thread-twin": "was measured on twin",
		"nowhere":         "nowhere",
	} {
		o := options(t)
		_, err := validation.Run(t.Context(), filepath.Join(runs, dir), o)
		require.Equal(t, fault.Input, fault.Of(err))
		require.ErrorContains(t, err, want)
		require.NoDirExists(t, o.Out)
	}
}

// TestOtherDecision: a step that was not decided as the trace has it ends the comparison.
func TestOtherDecision(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(runs, "one-thread"))))
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	e := run.Entries[0]
	path := run.StepsPath(e.Order, e.Key)
	cell, steps, err := results.ReadSteps(path)
	require.NoError(t, err)
	steps[len(steps)/2].Rows++
	require.NoError(t, os.Remove(path))
	require.NoError(t, results.WriteSteps(path, cell, steps))
	_, err = validation.Run(t.Context(), dir, options(t))
	require.ErrorContains(t, err, e.Name()+" is not decided as it was")
}
