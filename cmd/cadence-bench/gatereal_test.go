package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/ladder/ab"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// cannedRun simulates a run of one cell, as a segment leaves it.
func cannedRun(t *testing.T, more ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "canned")
	args := append([]string{"ladder", "--engine", "twin", "--calibration", handMade, "--rungs", "prefix", "--rates", "10", "--seeds", "1", "--duration", "1s", "--warmup", "0s",
		"--timeout", "2m", "--slo", "2s", "--workload", ab.DefaultLoad().Workload, "--arrivals", "spike:at=0s,for=20ms,to=1000", "--out", dir}, more...)
	got := execute(t, t.Context(), args...)
	require.Contains(t, []int{exitOK, exitInvalid}, got.code, got.stderr)
	return dir
}

// program is a script that takes the command line of a segment, notes it, and leaves the
// canned run where it should. It ends with the given line, such as exit 3.
func program(t *testing.T, canned, end string) (binary, log string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are of a Unix shell")
	}
	dir := t.TempDir()
	log, binary = filepath.Join(dir, "log"), filepath.Join(dir, "cadence-bench")
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >> %s\nwhile [ \"$1\" != --out ]; do shift; done\ncp -r %s \"$2\"\n%s\n", log, canned, end)
	require.NoError(t, os.WriteFile(binary, []byte(script), 0o755))
	return binary, log
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func TestGateRealVerdicts(t *testing.T) {
	usual, slow := cannedRun(t), cannedRun(t, "--max-batch", "1")
	a, logA := program(t, usual, "exit 7")
	same, logB := program(t, usual, "exit 0")
	slower, _ := program(t, slow, "exit 0")
	for name, tt := range map[string]struct {
		b    string
		code int
		want string
	}{
		"pass":       {same, exitOK, "Gate on the real engine: pass"},
		"regression": {slower, gate.ExitRegression, "Gate on the real engine: regression"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "gate")
			args := []string{"gate", "--real", "--a", a, "--b", tt.b, "--pairs", "6", "--out", out}
			got := execute(t, t.Context(), args...)
			require.Equal(t, tt.code, got.code, got.stderr)
			require.Contains(t, got.stdout, tt.want)
			require.Contains(t, got.stderr, "[6/6] ")

			before := len(lines(t, logA))
			again := execute(t, t.Context(), append(args, "--format", "markdown")...)
			require.Equal(t, tt.code, again.code)
			require.Equal(t, before, len(lines(t, logA)), "every pair was there")
			read := execute(t, t.Context(), "gate", "--real", "--from", out)
			require.Equal(t, tt.code, read.code)
			require.Equal(t, got.stdout, read.stdout, "the table comes from the rows alone")
		})
	}
	for _, log := range []string{logA, logB} {
		for _, line := range lines(t, log) {
			require.NotContains(t, line, ab.PlantedFlag)
			require.Contains(t, line, "--threads 1 --kv-layout unified --flash-attn on --kv-retain 4096", "nothing is left to a measurement")
		}
	}
}

// The arms of a proof differ in the planted slowdown alone, and a program that ignores it
// is found out.
func TestGateRealProof(t *testing.T) {
	usual := cannedRun(t)
	a, log := program(t, usual, "exit 0")
	file := filepath.Join(t.TempDir(), "proof.json")
	got := execute(t, t.Context(), "gate", "--real", "--aa", "3", "--a", a, "--pairs", "5", "--json", file)
	require.Equal(t, exitOK, got.code, got.stderr)
	require.Len(t, lines(t, log), 1+2*15)
	var j struct {
		Proof bool
		Arms  []struct {
			Gates  []struct{ Pairs int }
			Shares []struct {
				Gates int
				Hi    float64 `json:"ci95_hi"`
			}
		}
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &j))
	require.True(t, j.Proof)
	require.Len(t, j.Arms, 1)
	require.Len(t, j.Arms[0].Gates, 3+1, "of 5 pairs, and of 10")
	require.Equal(t, 3, j.Arms[0].Shares[0].Gates, "all passed")
	require.InDelta(t, 0.7076, j.Arms[0].Shares[1].Hi, 1e-4, "none of 3 is a regression")
	require.Regexp(t, `A itself \(A/A\) +5 +3 +3 +0 +0 +0% \[0\.0%, 70\.8%\] +100% \[29\.2%, 100\.0%\]`, got.stdout)

	got = execute(t, t.Context(), "gate", "--real", "--aa", "3", "--plant", "10%", "--a", a, "--pairs", "5")
	require.Equal(t, gate.ExitNotMeasurable, got.code)
	require.Contains(t, got.stderr, `arm A slowed was slowed by "" and should have been by "0.1"`)
	require.Contains(t, strings.Join(lines(t, log), "\n"), "--planted-slowdown 0.1")
}

// Nothing that did not happen passes.
func TestGateRealIsNeverAPassOnWhatDidNotHappen(t *testing.T) {
	usual := cannedRun(t)
	good, _ := program(t, usual, "exit 0")
	dies, _ := program(t, usual, "echo 'the engine died' >&2; exit 3")
	empty, _ := program(t, t.TempDir(), "exit 0")
	late, _ := program(t, cannedRun(t, "--timeout", "1s", "--rates", "60", "--slo", "1s"), "exit 0")
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no A":                   {[]string{}, "name the binary or the commit"},
		"neither file or commit": {[]string{"--a", "nowhere"}, `"nowhere" is no binary and no commit: git knows no such commit`},
		"too few pairs":          {[]string{"--a", good, "--b", good, "--pairs", "4"}, "4 pairs are too few"},
		"a side that dies":       {[]string{"--a", good, "--b", dies}, "exit status 3: the engine died"},
		"a side without a run":   {[]string{"--a", good, "--b", empty}, "is not a run"},
		"other work":             {[]string{"--a", good, "--b", late, "--pairs", "5"}, "inconclusive: pair 1 is not equal work"},
		"plant without a proof":  {[]string{"--a", good, "--plant", "10%"}, "with --aa"},
		"proof of two":           {[]string{"--aa", "2", "--a", good, "--b", good}, "compares one program with itself"},
		"a margin of none":       {[]string{"--a", good, "--margin", "0"}, "is not a share"},
		"with a baseline":        {[]string{"--a", good, "--baseline", "x"}, "--baseline: not with --real"},
		"no such format":         {[]string{"--a", good, "--format", "junit"}, "--format"},
		"nothing to report":      {[]string{"--from", t.TempDir()}, "is no paired experiment"},
		"attention left open":    {[]string{"--a", good, "--flash-attn", "auto"}, "give on or off"},
		"a seed that is none":    {[]string{"--a", good, "--seeds", "x"}, "--seeds"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, t.Context(), append([]string{"gate", "--real"}, tt.args...)...)
			require.Equal(t, gate.ExitNotMeasurable, got.code, got.stdout+got.stderr)
			require.Contains(t, got.stderr, tt.want)
			require.NotContains(t, got.stdout, "pass")
		})
	}
	got := execute(t, t.Context(), "gate", "--pairs", "5")
	require.Equal(t, gate.ExitNotMeasurable, got.code)
	require.Contains(t, got.stderr, "--pairs: only with --real")
}

// What was measured with a planted slowdown says so everywhere, and counts nowhere.
func TestPlantedRunIsInvalid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	got := execute(t, t.Context(), "ladder", "--engine", "twin", "--calibration", handMade, "--planted-slowdown", "10%", "--out", dir)
	require.Equal(t, exitInput, got.code)
	require.Contains(t, got.stderr, "it slows the real engine")
	require.NotContains(t, execute(t, t.Context(), "ladder", "--help").stdout, "planted")

	llamatest.Open(t)
	load := ab.DefaultLoad()
	load.Requests = 3
	got = execute(t, t.Context(), append(load.Command(), "--seeds", "1", "--out", dir, "--planted-slowdown", "10%")...)
	require.Equal(t, exitInvalid, got.code, got.stderr)
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	require.Equal(t, "0.1", run.Manifest.Params[cell.PlantedParam])
	cell, _, err := results.ReadCell(run.CellPath(0, run.Manifest.Plan[0]))
	require.NoError(t, err)
	require.Equal(t, []string{"the engine was slowed on purpose: each step took 0.1 of its own duration longer"}, cell.Violations)
	seg, err := ab.ReadSegment(dir)
	require.NoError(t, err)
	require.Equal(t, "0.1", seg.Planted)
	require.Equal(t, seg.Requests, seg.Completed)
	got = execute(t, t.Context(), "ladder", "--resume", "--out", dir)
	require.Equal(t, exitInput, got.code, got.stderr)
	require.Contains(t, got.stderr, "planted_slowdown")
}
