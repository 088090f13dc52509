package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission/fit"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/results"
)

// warmRungs, on top of the ladder of traces, have policies that start from an artifact.
const warmRungs = `    - name: static
      adds: the predecessor's bound
      from: open
      admission:
        policy: static-conformal
    - name: boosted
      adds: conformal admission by trees
      from: open
      admission:
        policy: conformal
        predictor: gbm
`

// recorded is a small run of traces on the twin, in dir.
func recorded(t *testing.T, dir string) {
	t.Helper()
	requireMeasured(t, execute(t, t.Context(), "--cache", filepath.Dir(dir), "traces", "--engine", "twin", "--calibration", handMade,
		"--preset", "smoke", "--rates", "8,16", "--slo", "2s", "--rounds", "3", "--out", dir))
}

// TestTracesToWarmStart: what is recorded is fitted, and a ladder starts from it, says so,
// and is resumed from it; an artifact of something else is refused by name.
func TestTracesToWarmStart(t *testing.T) {
	tmp := t.TempDir()
	runDir, fitDir := filepath.Join(tmp, "traces"), filepath.Join(tmp, "fit")
	recorded(t, runDir)
	got := execute(t, t.Context(), "fit", runDir, "--out", fitDir)
	require.Equal(t, exitOK, got.code, got.stderr)
	for _, name := range []string{"fit-coverage", "fit-regimes", "fit-importance"} {
		for _, ext := range []string{".md", ".csv", ".json"} {
			require.FileExists(t, filepath.Join(fitDir, name+ext))
		}
	}
	for _, s := range fit.Subjects() {
		require.Contains(t, got.stdout, s.Name)
	}
	require.NoFileExists(t, filepath.Join(fitDir, "fit-rates.md"), "two rates are too few to hold one out")

	path := filepath.Join(fitDir, artifact.File)
	a, _, sum, err := artifact.Read(path)
	require.NoError(t, err)
	require.Equal(t, "twin", a.Backend)
	require.Len(t, a.Traces, 6)
	uses := map[string]int{}
	for _, tr := range a.Traces {
		uses[tr.Use]++
		file, err := results.HashFile(filepath.Join(runDir, "decisions", tr.File))
		require.NoError(t, err)
		require.Equal(t, file, tr.SHA256)
	}
	require.Equal(t, map[string]int{"fit": 4, "calibrate": 2}, uses)

	yaml := filepath.Join(tmp, "warm.yaml")
	opened, err := ladder.TracesLadder()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(yaml, []byte(strings.Replace(opened.Text, "name: traces", "name: warm", 1)+warmRungs), 0o644))
	warmRun := filepath.Join(tmp, "warm")
	args := simulated(warmRun, "--ladder", yaml, "--admission-artifact", path)
	started := execute(t, t.Context(), args...)
	requireMeasured(t, started)
	require.NotContains(t, started.stderr, "warning", "it is of this very engine")
	run, err := results.OpenRun(warmRun)
	require.NoError(t, err)
	require.Contains(t, run.Manifest.Choices, results.Choice{Name: "admission_artifact", Value: sum[:12], Why: run.Manifest.Choices[len(run.Manifest.Choices)-1].Why})
	reasons := map[string]int{}
	for _, e := range run.Entries {
		_, records, err := run.ReadCell(e)
		require.NoError(t, err)
		for _, r := range records {
			if e.Rung != "open" {
				reasons[r.Admission.V.Reason]++
			}
		}
	}
	require.Zero(t, reasons["uncalibrated"], "it was calibrated before: %v", reasons)
	reported := execute(t, t.Context(), "report", warmRun)
	require.Contains(t, []int{exitOK, exitInvalid}, reported.code, reported.stderr)
	page, err := os.ReadFile(filepath.Join(warmRun, "report.md"))
	require.NoError(t, err)
	require.Contains(t, string(page), "admission_artifact")

	// A cell that is lost is measured again from the same start.
	parquet := func(name string) bool { return strings.HasSuffix(name, ".parquet") }
	before := files(t, warmRun, parquet)
	cells, err := filepath.Glob(filepath.Join(warmRun, "cells", "*boosted*"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(cells[0]))
	requireMeasured(t, execute(t, t.Context(), "--cache", tmp, "ladder", "--resume", "--out", warmRun, "--calibration", handMade))
	require.Equal(t, before, files(t, warmRun, parquet))
	require.NoError(t, os.WriteFile(filepath.Join(warmRun, artifact.Copy), []byte("{}"), 0o644))
	got = execute(t, t.Context(), "--cache", tmp, "ladder", "--resume", "--out", warmRun, "--calibration", handMade)
	require.Equal(t, exitInput, got.code)
	require.Contains(t, got.stderr, "the run started from an artifact")

	// Another backend is named; a machine is only warned of.
	a.Backend, a.Host.CPU = "llama.cpp", "another CPU"
	other := filepath.Join(tmp, "other.json")
	require.NoError(t, artifact.Write(other, a))
	got = execute(t, t.Context(), simulated(filepath.Join(tmp, "no"), "--ladder", yaml, "--admission-artifact", other)...)
	require.Equal(t, exitInput, got.code)
	require.Contains(t, got.stderr, "its backend was llama.cpp, and here it is twin")
	require.NoFileExists(t, filepath.Join(tmp, "no", "manifest.json"))
	got = execute(t, t.Context(), simulated(filepath.Join(tmp, "yes"), "--ladder", yaml, "--admission-artifact", other, "--allow-other-artifact")...)
	requireMeasured(t, got)
	require.Contains(t, got.stderr, "warning: the admission artifact is not of what runs: its CPU was another CPU")
}

// TestTwinArtifactOnTheEngine: bounds from a simulation are not taken for the engine's.
func TestTwinArtifactOnTheEngine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	a := artifact.Artifact{Facts: artifact.Facts{Backend: engineTwin, EngineSource: "x"}}
	require.NoError(t, a.Put(nil))
	require.NoError(t, artifact.Write(path, a))
	_, err := artifact.Open(path, false, artifact.Facts{Backend: engineLlama, EngineSource: "x"}, func(string) {})
	require.ErrorContains(t, err, "its backend was twin, and here it is llama.cpp; make one for this engine with traces and fit, or insist with --allow-other-artifact")
}

func TestFitBadInput(t *testing.T) {
	tmp := t.TempDir()
	plain := filepath.Join(tmp, "plain")
	requireMeasured(t, execute(t, t.Context(), simulated(plain, "--rungs", "fifo")...))
	bad := filepath.Join(tmp, "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"schema": 7}`), 0o644))
	for _, it := range []struct {
		want string
		args []string
	}{
		{"requires at least 1 arg", []string{"fit"}},
		{"is not a run", []string{"fit", filepath.Join(tmp, "nothing"), "--out", filepath.Join(tmp, "x")}},
		{"has no decision traces: record some with traces", []string{"fit", plain}},
		{"--rungs: traces has one rung", []string{"traces", "--rungs", "fifo"}},
		{"--rounds: 0 is out of range", []string{"traces", "--rounds", "0"}},
		{"--rounds: a resumed run keeps", []string{"traces", "--resume", "--out", plain, "--rounds", "2"}},
		{"schema 7; this version", simulated(filepath.Join(tmp, "y"), "--admission-artifact", bad)},
		{"no such file", simulated(filepath.Join(tmp, "y"), "--admission-artifact", filepath.Join(tmp, "none.json"))},
		{"name the artifact by --admission-artifact", simulated(filepath.Join(tmp, "y"), "--allow-other-artifact")},
	} {
		got := execute(t, t.Context(), it.args...)
		require.Equal(t, exitInput, got.code, "%v: %s", it.args, got.stderr)
		require.Contains(t, got.stderr, it.want)
	}
}
