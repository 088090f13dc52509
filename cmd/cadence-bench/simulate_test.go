package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// handMade is a calibration with plausible costs that nobody measured.
const handMade = "testdata/calibration.json"

// simulated is a ladder of all default rungs on the twin, at rates around the knee.
func simulated(out string, more ...string) []string {
	return append([]string{"--cache", filepath.Dir(out), "ladder", "--engine", "twin", "--calibration", handMade, "--preset", "smoke",
		"--rates", "1,4", "--seeds", "1,2", "--slo", "2s", "--out", out}, more...)
}

// files reads what a run has below it, by path within, for a comparison.
func files(t *testing.T, dir string, keep func(name string) bool) map[string]string {
	all := map[string]string{}
	for path, data := range contents(t, dir) {
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		if keep(name) {
			all[name] = data
		}
	}
	return all
}

// TestSimulationRepeatsToTheBit: the same command gives the same Parquet files,
// journal and summary, on one core or several, interrupted or not.
func TestSimulationRepeatsToTheBit(t *testing.T) {
	all := func(name string) bool { return name != "manifest.json" }
	first := filepath.Join(t.TempDir(), "run")
	got := execute(t, t.Context(), simulated(first, "--trace-steps", "--twin-noise")...)
	require.Equal(t, exitOK, got.code, got.stderr)
	require.Contains(t, got.stdout, "simulated into "+first)
	require.Contains(t, got.stderr, "simulating llama.cpp example with example.gguf on Example CPU, 2 cores")
	require.Contains(t, got.stderr, "the calibration is of another engine source: not measured, here ")
	want := files(t, first, all)
	require.Len(t, want, 2*7*2*2+len([]string{"journal.jsonl", "summary.json"}))

	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, cores := range []int{1, 4} {
		runtime.GOMAXPROCS(cores)
		again := filepath.Join(t.TempDir(), "run")
		require.Equal(t, exitOK, execute(t, t.Context(), simulated(again, "--trace-steps", "--twin-noise")...).code)
		require.Equal(t, want, files(t, again, all), "%d cores", cores)
	}

	// Half of the journal and of the cells are lost; what is simulated again is the same.
	lines := strings.SplitAfter(want["journal.jsonl"], "\n")
	require.NoError(t, os.WriteFile(filepath.Join(first, "journal.jsonl"), []byte(strings.Join(lines[:7], "")), 0o644))
	for name := range want {
		if strings.HasPrefix(name, "cells/") && name > "cells/007" {
			require.NoError(t, os.Remove(filepath.Join(first, name)))
		}
	}
	resumed := execute(t, t.Context(), "ladder", "--out", first, "--resume", "--calibration", handMade, "--trace-steps")
	require.Equal(t, exitOK, resumed.code, resumed.stderr)
	require.Contains(t, resumed.stderr, "7 of them already measured")
	require.Equal(t, want, files(t, first, all))

	quiet := filepath.Join(t.TempDir(), "run")
	require.Equal(t, exitOK, execute(t, t.Context(), simulated(quiet)...).code)
	cell := func(name string) bool { return strings.HasPrefix(name, "cells/") }
	require.NotEqual(t, files(t, first, cell), files(t, quiet, cell), "the noise shows")
}

// TestSimulationIsNamed: whatever comes of a simulation says that it is one, and of
// what.
func TestSimulationIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	got := execute(t, t.Context(), simulated(dir, "--rates", "auto", "--slo", "auto", "--rungs", "fifo,prefix", "--kv-cells", "4096")...)
	require.Equal(t, exitOK, got.code, got.stderr)
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	m := run.Manifest
	require.Equal(t, "twin", m.Backend)
	require.Equal(t, "example.gguf", m.Model.File)
	hash, err := results.HashFile(handMade)
	require.NoError(t, err)
	require.Equal(t, hash, m.Params["calibration"])
	require.Equal(t, "streams", m.Params["kv_layout"])
	var chosen []string
	for _, c := range m.Choices {
		chosen = append(chosen, c.Name)
	}
	require.Equal(t, []string{"calibration", "slo", "rates"}, chosen)
	require.Contains(t, m.Choices[0].Why, "the calibration is of another engine source")
	for _, e := range run.Entries {
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		require.True(t, cell.StartedAt.IsZero())
		require.True(t, cell.Extrapolated.OK)
		require.Positive(t, cell.ProbeBefore.V.DecodeTokensPerS)
		require.Equal(t, cell.ProbeBefore, cell.ProbeAfter)
		for _, r := range records {
			require.Equal(t, results.Completed, r.Outcome)
		}
	}
	report := execute(t, t.Context(), "report", dir)
	require.Equal(t, exitOK, report.code, report.stderr)
	require.Contains(t, report.stdout, "Every rung at every offered rate, backend=twin (simulated)")
}

func TestSimulationRefuses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	require.Equal(t, exitOK, execute(t, t.Context(), simulated(out, "--rungs", "fifo", "--rates", "1", "--seeds", "1")...).code)
	data, err := os.ReadFile(handMade)
	require.NoError(t, err)
	changed := write(t, "calibration.json", strings.Replace(string(data), `"seconds": 0.0016`, `"seconds": 0.0017`, 1))
	lacking := write(t, "calibration.json", strings.Replace(string(data), `"pass_1"`, `"pass_one"`, 1))
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"another engine":                   {[]string{"--engine", "vllm"}, `--engine: unknown engine "vllm"`},
		"the real engine's calibration":    {[]string{"--calibration", handMade}, "--calibration: only --engine twin"},
		"the real engine's noise":          {[]string{"--twin-noise"}, "--twin-noise: only --engine twin"},
		"canonical":                        {[]string{"--engine", "twin", "--canonical"}, "--canonical"},
		"no calibration":                   {[]string{"--engine", "twin", "--calibration", "nowhere.json"}, "nowhere.json"},
		"no JSON":                          {[]string{"--engine", "twin", "--calibration", write(t, "c.json", "<html>")}, "c.json"},
		"other terms":                      {[]string{"--engine", "twin", "--calibration", lacking}, `lacks the cost of "pass_1"`},
		"a setting without costs":          {[]string{"--engine", "twin", "--calibration", handMade, "--threads", "8"}, "no costs for kv_layout streams, flash_attn on, threads 8"},
		"to resume by another calibration": {[]string{"--out", out, "--resume", "--calibration", changed}, "name the right one by --calibration"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, t.Context(), append([]string{"ladder"}, tt.args...)...)
			require.Equal(t, exitInput, got.code, got.stderr)
			require.Contains(t, got.stderr, tt.want)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), "one line: %s", got.stderr)
		})
	}
}
