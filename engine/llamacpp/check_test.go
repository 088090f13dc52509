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
	require.NotZero(t, llamacpp.ChooseSingleThreads(rows))
}
