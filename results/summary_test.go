package results

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
)

func TestSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary.json")
	measured := CellSummary{
		Schema: SchemaVersion, Key: Key{Rung: "prefix", OfferedRPS: 2.5, Seed: 7}, Order: 4, Backend: "llama.cpp", Workload: "mixed",
		DurationS: 60, WarmupS: 10, SLOS: 4.5, Arrivals: 125, Completed: 120, Shed: 3, Timeouts: 2,
		GoodputRPS: Some(2.25), Attainment: Some(0.9), TTFTP50S: Some(0.0), HitRate: Some(0.62),
		Valid: true, InvalidReasons: []string{}, LowerBounds: []string{"e2e_p99_s"},
		Warnings: []Caution{{Code: "survivorship", About: AboutRate, Figures: map[string]float64{"mean_offered": 69.5}, Text: "short ones"}},
	}
	void := CellSummary{Schema: SchemaVersion, Key: Key{Rung: "fifo", OfferedRPS: 2.5, Seed: 7}, InvalidReasons: []string{"dispatch lag", "probe"}, LowerBounds: []string{}, Warnings: []Caution{}}
	require.NoError(t, WriteSummary(path, []CellSummary{measured, void}))
	got, err := ReadSummary(path)
	require.NoError(t, err)
	require.Equal(t, []CellSummary{measured, void}, got)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	golden.Equal(t, "summary.json", string(data))

	require.NoError(t, WriteSummary(path, nil))
	data, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "[]\n", string(data))
}

// guidellm#216: numbers that are none reached the report.
func TestSummaryRefusesNonFinite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary.json")
	bad := CellSummary{Key: Key{Rung: "fifo", OfferedRPS: 2.5, Seed: 7}, Order: 3, ITLP99S: Some(math.NaN())}
	err := WriteSummary(path, []CellSummary{{}, bad})
	require.ErrorContains(t, err, "write "+path+": cell 3 (fifo-2.5rps-s7): itl_p99_s: ")
	require.NoFileExists(t, path)
	require.ErrorContains(t, WriteSummary(path, []CellSummary{{SLOS: math.Inf(1)}}), "slo_s")
}

func TestReadSummaryRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary.json")
	for text, want := range map[string]string{
		`{}`:                          "cannot unmarshal object",
		`[{"schema":1},{"schema":2}]`: "cell 1: schema 2",
		`[{"schema":1,"shed":"2"}]`:   "cell 0: ",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := ReadSummary(path)
		require.ErrorContains(t, err, "read "+path+": ")
		require.ErrorContains(t, err, want)
	}
}

func TestSummaryKeysAreDocumented(t *testing.T) {
	for _, f := range summaryFields() {
		require.NotEmpty(t, f.Tag.Get("doc"), f.Name)
	}
}
