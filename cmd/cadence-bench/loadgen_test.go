package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/loadgen/ideal"
)

// TestLoadgenValidate writes the same figures every time, and its tables.
func TestLoadgenValidate(t *testing.T) {
	dir := t.TempDir()
	args := []string{"loadgen", "validate", "--rates", "2", "--duration", "1m", "--seeds", "60", "--out", dir}
	got := execute(t, t.Context(), args...)
	require.Equal(t, exitOK, got.code, got.stderr)
	require.Contains(t, got.stdout, "weibull:burstiness=0.5")
	require.Contains(t, got.stdout, "median E2E by quarter")
	first := contents(t, dir)
	require.Contains(t, first, filepath.Join(dir, "validate.md"))

	var v ideal.Validation
	require.NoError(t, json.Unmarshal([]byte(first[filepath.Join(dir, "validate.json")]), &v))
	require.Len(t, v.Studies, len(ideal.Processes()))
	require.Len(t, v.Studies[0].Sweep, 3)
	require.Equal(t, exitOK, execute(t, t.Context(), args...).code)
	require.Equal(t, first, contents(t, dir))

	v.Studies[0].Rejected = new(float64)
	*v.Studies[0].Rejected = 0.3
	require.ErrorContains(t, v.Verdict(), "30.0% of the seeds are rejected")
}

func TestLoadgenSelftest(t *testing.T) {
	dir := t.TempDir()
	got := execute(t, t.Context(), "loadgen", "selftest", "--wall", "0", "--replications", "8", "--requests", "500", "--out", dir)
	require.Equal(t, exitOK, got.code, got.stderr)
	require.Contains(t, got.stdout, "M/D/4")
	var s ideal.Selftest
	data, err := os.ReadFile(filepath.Join(dir, "selftest.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &s))
	require.Len(t, s.Answers, 12)
	require.NoError(t, s.Verdict())
	s.Answers[3].Mean.OK = false
	require.ErrorContains(t, s.Verdict(), s.Answers[3].Queue)
}

func TestLoadgenBadInput(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"validate", "--rates", "x"}, "--rates"},
		{[]string{"validate", "--seeds", "1"}, "--seeds: 1 is out of range"},
		{[]string{"validate", "--arrivals", "poison"}, `did you mean "poisson"`},
		{[]string{"validate", "--run", "nowhere"}, "nowhere"},
		{[]string{"validate", "--rates", "0.001"}, "arrivals; give 10"},
		{[]string{"selftest", "--replications", "1"}, "--replications"},
	} {
		got := execute(t, t.Context(), append([]string{"loadgen"}, append(tt.args, "--out", t.TempDir())...)...)
		require.Equal(t, exitInput, got.code, tt.args)
		require.Contains(t, got.stderr, tt.want)
	}
}
