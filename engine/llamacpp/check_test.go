package llamacpp_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	m := llamatest.Open(t)
	lib, ok := llamacpp.Loaded()
	require.True(t, ok)
	r, err := llamacpp.Check(lib.Dir, m.Info().Path)
	require.NoError(t, err)
	require.Len(t, r.Tokens, 16)
	require.NotEmpty(t, r.Text)
	require.NotEmpty(t, r.SystemInfo)
	require.NotEmpty(t, r.Devices)
	require.NotEmpty(t, r.Library.Files)
	require.NotEmpty(t, r.Library.Commit)
	if runtime.GOOS == "linux" {
		require.Contains(t, r.CPUVariant, "libggml-cpu")
	}
	again, err := llamacpp.Check(lib.Dir, m.Info().Path)
	require.NoError(t, err)
	require.Equal(t, r.Tokens, again.Tokens)

	require.ErrorContains(t, llamacpp.Load(os.TempDir()), "already runs")
	t.Logf("%s %s %s: %s\n%s\n%+v", r.Library.Version, r.Library.Commit, r.CPUVariant, r.Text, r.SystemInfo, r.Devices)
}

// TestMeasureThreads checks the shape only; what is measured is the machine's.
func TestMeasureThreads(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	rows, err := llamacpp.MeasureThreads(llamatest.Open(t), llamacpp.Params{Seqs: 8})
	require.NoError(t, err)
	require.Equal(t, 1, rows[0].Threads)
	require.Equal(t, runtime.NumCPU(), rows[len(rows)-1].Threads)
	for _, r := range rows {
		require.Positive(t, r.PrefillTPS)
		require.Positive(t, r.DecodeTPS)
		require.LessOrEqual(t, r.LagP50, r.LagP99)
		t.Logf("%+v", r)
	}
	require.NotZero(t, llamacpp.ChooseThreads(rows))
}

// TestMeasureLayouts checks the shape only; what is measured is the machine's.
func TestMeasureLayouts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	layouts := llamacpp.Layouts()
	rows, err := llamacpp.MeasureLayouts(llamatest.Open(t), llamacpp.Params{Seqs: 6, Threads: 1}, layouts)
	require.NoError(t, err)
	require.Len(t, rows, len(layouts))
	for i, r := range rows {
		t.Logf("%v: prefill %.0f, decode %.0f tokens/s, %.3f s a request %s", r.Layout, r.PrefillTPS, r.DecodeTPS, r.Seconds(), r.GivenUp)
		require.Equal(t, layouts[i], r.Layout)
		require.Equal(t, rows[0].Prompt, r.Prompt, "all have the same prompts")
		require.Positive(t, r.PrefillTPS)
		require.True(t, r.DecodeTPS > 0 || r.GivenUp != "", "measured, or it says why not")
	}
	require.Empty(t, rows[0].GivenUp, "the first has nothing to be slower than")
	require.Contains(t, layouts, llamacpp.ChooseLayout(rows))

	one, err := llamacpp.MeasureLayouts(llamatest.Open(t), llamacpp.Params{Seqs: 2, Threads: 1}, layouts[2:3])
	require.NoError(t, err)
	require.Equal(t, layouts[2], llamacpp.ChooseLayout(one), "what was not asked for is not chosen")
}

// TestMeasureIdle: a unified cache's decode steps cost more beside idle cells. Two
// sequences beside eight idle ones make that plain on a busy machine too.
func TestMeasureIdle(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	cost, err := llamacpp.MeasureIdle(llamatest.Open(t), llamacpp.Params{Seqs: 2, Threads: 1, FlashAttn: llamacpp.FlashOff})
	require.NoError(t, err)
	t.Logf("%+v, %.3g s per cell, bound %d", cost, cost.PerCell(), llamacpp.RetainCells(cost, 600))
	require.Equal(t, 2, cost.Batch)
	require.Equal(t, 4*cost.Live, cost.Idle)
	require.Positive(t, cost.PerCell())
	require.GreaterOrEqual(t, llamacpp.RetainCells(cost, 600), 600)
}
