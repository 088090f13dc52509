package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission/policies"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

func TestAdmissionList(t *testing.T) {
	got := execute(t, t.Context(), "admission", "list")
	require.Equal(t, exitOK, got.code, got.stderr)
	for _, k := range policies.Kinds() {
		require.Contains(t, got.stdout, k.Name+": "+k.Doc+"\n  from "+k.Source)
		for _, p := range k.Params {
			require.Contains(t, got.stdout, p.Doc)
		}
	}
}

// tuneShort is a tuning of one arm on a calibration that nobody measured.
func tuneShort(dir string, more ...string) []string {
	return append([]string{"--cache", dir, "admission", "tune", "--calibration", handMade, "--rungs", "inflight-cap", "--tries", "4",
		"--tune-seeds", "101", "--seeds", "1", "--duration", "20s", "--warmup", "2s", "--timeout", "20s", "--loads", "0.7,10", "--slo", "2s",
		"--out", filepath.Join(dir, "sub", "tuned.yaml")}, more...)
}

// TestAdmissionTune: tuning writes a ladder that can be measured, with how it came
// about, and compares; twice it is the same.
func TestAdmissionTune(t *testing.T) {
	dir, again := t.TempDir(), t.TempDir()
	got := execute(t, t.Context(), tuneShort(dir)...)
	require.Equal(t, exitOK, got.code, got.stderr)
	file := filepath.Join(dir, "sub", "tuned.yaml")
	l, err := spec.Open(file)
	require.NoError(t, err)
	require.Equal(t, "arms-tuned", l.Name)
	require.Len(t, l.Rungs, 2)
	require.Empty(t, l.Rungs[0].Admission.Policy)
	require.Equal(t, "inflight-cap", l.Rungs[1].Admission.Policy)
	require.NotEmpty(t, l.Rungs[1].Admission.Params)
	for _, word := range []string{"# calibration: ", "# engine source: ", "# SLO: ", "# knee: ", "# seeds: 101\n", "# budget: 4 tries"} {
		require.Contains(t, l.Text, word)
	}
	for _, row := range []string{"prefix", "inflight-cap", "inflight-cap-as-it-came"} {
		require.Contains(t, got.stdout, " "+row+"  ")
	}
	require.Equal(t, got.stdout, execute(t, t.Context(), tuneShort(again)...).stdout)
	first, err := os.ReadFile(file)
	require.NoError(t, err)
	second, err := os.ReadFile(filepath.Join(again, "sub", "tuned.yaml"))
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))
}

func TestAdmissionTuneRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		flags []string
		want  string
	}{
		"a seed on both sides": {[]string{"--seeds", "1,101"}, "101 is a seed that the policies are tuned on"},
		"one try":              {[]string{"--tries", "1"}, "--tries"},
		"no such arm":          {[]string{"--rungs", "inflight-cap,none-such"}, `arms has no rung "none-such" with an admission policy`},
		"no policies":          {[]string{"--ladder", "kv", "--rungs", ""}, `kv has no rung "inflight-cap"`},
		"no such ladder":       {[]string{"--ladder", "none-such"}, "none-such"},
		"all in time":          {[]string{"--attain", "1"}, "--attain"},
		"unsorted loads":       {[]string{"--loads", "2,1"}, "--loads"},
	} {
		got := execute(t, t.Context(), tuneShort(t.TempDir(), tt.flags...)...)
		require.Equal(t, exitInput, got.code, name)
		require.Contains(t, got.stderr, tt.want, name)
		require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
	}
}

// TestTunedArmsAreALadder: the tuned arms that are kept can be measured, all of them.
func TestTunedArmsAreALadder(t *testing.T) {
	tuned, err := spec.Open("../../results/runs/admission/tuned.yaml")
	require.NoError(t, err)
	plain, err := spec.Open("arms")
	require.NoError(t, err)
	require.Len(t, tuned.Rungs, len(plain.Rungs))
	for i, r := range tuned.Rungs {
		require.Equal(t, plain.Rungs[i].Name, r.Name)
		require.Equal(t, plain.Rungs[i].Admission.Policy, r.Admission.Policy)
	}
}
