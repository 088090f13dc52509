package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/cpuprofile"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/ladder/profile"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
)

// TestProfile profiles the real engine: its time goes into the forward pass, the
// shares add up, and every file is there and agrees with the raw profile.
func TestProfile(t *testing.T) {
	llamatest.Open(t)
	dir := filepath.Join(t.TempDir(), "profile")
	args := []string{"profile", "--rung", "continuous", "--rate", "4", "--duration", "2s", "--timeout", "4s",
		"--threads", "1", "--threads-batch", "1", "--kv-layout", "streams", "--flash-attn", "on", "--out", dir}
	got := execute(t, t.Context(), args...)
	require.Equal(t, exitOK, got.code, got.stderr)
	require.Contains(t, got.stdout, "forward pass")
	require.Contains(t, got.stdout, filepath.Join(dir, "flame.svg"))

	data, err := os.ReadFile(filepath.Join(dir, "profile.json"))
	require.NoError(t, err)
	var record profile.Record
	require.NoError(t, json.Unmarshal(data, &record))
	require.Equal(t, cpuprofile.Forward, record.Components[0].Component)
	require.Greater(t, record.Components[0].Share, 0.5)
	require.Len(t, record.Components, len(cpuprofile.Components()))
	sum, samples := 0.0, int64(0)
	for _, c := range record.Components {
		sum += c.Share
		samples += c.Samples
	}
	require.InDelta(t, 1, sum, 1e-9)
	require.Equal(t, record.Samples, samples)
	require.Positive(t, record.Steps.Count)
	require.Equal(t, "llama.cpp", record.Manifest.Backend)

	raw, err := os.ReadFile(filepath.Join(dir, "cpu.pb.gz"))
	require.NoError(t, err)
	p, err := cpuprofile.Read(bytes.NewReader(raw))
	require.NoError(t, err)
	require.Equal(t, record.Components, p.Shares())
	for _, name := range []string{"flame.svg", "profile.md", "stacks.txt"} {
		require.FileExists(t, filepath.Join(dir, name))
	}

	again := execute(t, t.Context(), args...)
	require.Equal(t, exitInput, again.code)
	require.Contains(t, again.stderr, "is not empty")
}

// TestProfileServesAsTheLadder: the profiled rung has the ladder's default knobs, so that
// a profile of the prefix rung is of one that waits for prefixes under way.
func TestProfileServesAsTheLadder(t *testing.T) {
	for rung, wait := range map[string]time.Duration{"prefix": spec.DefaultShareWait, "continuous": 0} {
		f := profileFlags{rung: rung, rate: "2", workload: loadgen.SharedPrompt, seed: 1, duration: time.Second, timeout: time.Second}
		_, got, err := f.config()
		require.NoError(t, err)
		require.Len(t, got, 1)
		require.Equal(t, rung, got[0].Name)
		require.Equal(t, wait, got[0].Policy.ShareWait, rung)
	}
}

func TestProfileRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"unknown rung":   {[]string{"--rung", "contnuous"}, `did you mean "continuous"?`},
		"no rung":        {[]string{"--rung", ""}, "unknown rung"},
		"several rates":  {[]string{"--rate", "1,2"}, "--rate: a profile is of one rate"},
		"rate in words":  {[]string{"--rate", "fast"}, "--rate:"},
		"too short":      {[]string{"--duration", "1ms"}, "--duration: 1ms is out of range"},
		"stray argument": {[]string{"prefix"}, "prefix"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, t.Context(), append([]string{"profile"}, tt.args...)...)
			require.Equal(t, exitInput, got.code, got.stderr)
			require.Contains(t, got.stderr, tt.want)
		})
	}
}
