package main

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/report/compared"
)

// TestCompareSimulatedRuns: a run with itself, with one of a smaller batch, and two
// of its rungs.
func TestCompareSimulatedRuns(t *testing.T) {
	simulate := func(more ...string) string {
		dir := filepath.Join(t.TempDir(), "run")
		got := execute(t, t.Context(), simulated(dir, append([]string{
			"--rungs", "continuous,prefix", "--rates", "2,4", "--slo", "1s", "--seeds", "1,2,3,4,5", "--duration", "30s"}, more...)...)...)
		require.Contains(t, []int{exitOK, exitInvalid}, got.code, got.stderr)
		return dir
	}
	first, small := simulate(), simulate("--max-batch", "1")
	record := func(args ...string) compared.Record {
		got := execute(t, t.Context(), append([]string{"compare", "--json"}, args...)...)
		require.Equal(t, exitOK, got.code, got.stderr)
		var r compared.Record
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &r))
		return r
	}

	same := record(first, first)
	require.Empty(t, same.Differences)
	require.NotEmpty(t, same.Points)
	for _, p := range same.Points {
		for _, d := range p.Deltas {
			if d.Finding != compare.CannotTell {
				require.Equal(t, compare.NoDifference, d.Finding)
			}
			if d.DeltaLo.OK {
				require.Zero(t, d.DeltaLo.V)
			}
		}
	}

	against := record(first, small, "--rung", "continuous", "--metric", "ttft_p50_s,goodput_rps")
	require.Equal(t, []compare.Difference{{What: "max_batch", A: "0", B: "1"}}, against.Differences)
	require.Len(t, against.Points, 2)
	require.Equal(t, "goodput_rps", against.Points[1].Deltas[0].Metric)
	require.Equal(t, compare.WorseThan, against.Points[1].Deltas[1].Finding, "requests wait for each other: %+v", against.Points[1])

	rungs := execute(t, t.Context(), "compare", first+":continuous", first+":prefix", "--slo", "2s")
	require.Equal(t, exitOK, rungs.code, rungs.stderr)
	require.Contains(t, rungs.stdout, "prefix vs continuous")
	require.Contains(t, rungs.stdout, "E2E SLO 2 s")
	require.Contains(t, rungs.stdout, "measured in one sweep, in turn")
	require.Equal(t, rungs.stdout, execute(t, t.Context(), "compare", first+":continuous", first+":prefix", "--slo", "2s").stdout)

	lines := execute(t, t.Context(), "compare", first, small, "--csv")
	rows, err := csv.NewReader(strings.NewReader(lines.stdout)).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 4*8)

	other := simulate("--duration", "20s")
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no common tape":   {[]string{first, other}, "have no valid cells that replayed the same tape"},
		"no such rung":     {[]string{first + ":continous", first + ":prefix"}, `did you mean "continuous"?`},
		"no such metric":   {[]string{first, small, "--metric", "e2e_p9_s"}, `did you mean "e2e_p99_s"?`},
		"rung of one":      {[]string{first, first + ":prefix"}, "name a rung of both or of neither"},
		"rung named twice": {[]string{first + ":prefix", first + ":prefix", "--rung", "prefix"}, "names a rung already"},
		"no run":           {[]string{first, t.TempDir()}, "is not a run"},
		"one run":          {[]string{first}, "accepts 2 arg(s)"},
		"two formats":      {[]string{first, small, "--json", "--csv"}, "give one of them"},
		"negative SLO":     {[]string{first, small, "--slo", "-1s"}, "--slo must not be negative"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, t.Context(), append([]string{"compare"}, tt.args...)...)
			require.Equal(t, exitInput, got.code, got.stderr)
			require.Contains(t, got.stderr, tt.want)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
		})
	}
}
