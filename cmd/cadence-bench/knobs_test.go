package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// knobs is a simulated study around the knee.
func knobs(out string, more ...string) []string {
	return append([]string{"--cache", filepath.Dir(out), "knobs", "--engine", "twin", "--calibration", handMade, "--preset", "smoke",
		"--rates", "4", "--seeds", "1,2", "--slo", "2s", "--duration", "20s", "--out", out}, more...)
}

// TestKnobsOnTheTwin: a planted change is found, the rung again is within the noise, and
// report makes the same tables again from the folder, after a resume too.
func TestKnobsOnTheTwin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	got := execute(t, t.Context(), knobs(dir, "--twin-noise", "--knob", "max-batch", "--values", "1,24", "--replicates", "4")...)
	require.Contains(t, []int{exitOK, exitInvalid}, got.code, got.stderr)
	require.Regexp(t, `max-batch +1 +better \(ITL p99, E2E p99\); worse \(TTFT p50, E2E p50\)`, got.stdout)
	require.Regexp(t, `max-batch +24 +within the noise`, got.stdout)
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	require.Len(t, run.Entries, 2*(2+4))
	all := files(t, dir, func(string) bool { return true })

	report := execute(t, t.Context(), "report", dir)
	require.Equal(t, exitOK, report.code, report.stderr)
	made, err := os.ReadFile(filepath.Join(dir, "tables", "knobs.md"))
	require.NoError(t, err)
	require.Contains(t, string(made), "| max-batch | 24    | within the noise")
	require.FileExists(t, filepath.Join(dir, "tables", "knobs.csv"))

	lines := strings.SplitAfter(all["journal.jsonl"], "\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(strings.Join(lines[:5], "")), 0o644))
	for _, e := range run.Entries[5:] {
		require.NoError(t, os.Remove(run.CellPath(e.Order, e.Key)))
	}
	resumed := execute(t, t.Context(), "knobs", "--out", dir, "--resume", "--calibration", handMade)
	require.Equal(t, got.code, resumed.code, resumed.stderr)
	require.Equal(t, got.stdout, resumed.stdout)
	require.Equal(t, all, files(t, dir, func(name string) bool { _, was := all[name]; return was }))
}

// TestKnobsInterrupted: the line that an interrupt prints finishes the study and prints it.
func TestKnobsInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stderr bytes.Buffer
	told := writerFunc(func(p []byte) (int, error) {
		if bytes.Contains(p, []byte(" rps seed ")) {
			interrupt()
		}
		return stderr.Write(p)
	})
	err := run(ctx, io.Discard, told, knobs(dir, "--knob", "max-batch", "--values", "1,24"))
	require.Equal(t, exitInterrupted, exitCode(&stderr, err), stderr.String())
	_, line, ok := strings.Cut(stderr.String(), "goes on with the rest: "+os.Args[0]+" ")
	require.True(t, ok, stderr.String())
	require.Contains(t, line, "knobs --out "+dir+" --resume")
	got := execute(t, t.Context(), strings.Fields(line)...)
	require.Contains(t, []int{exitOK, exitInvalid}, got.code, got.stderr)
	require.Contains(t, got.stderr, "already measured")
	require.Regexp(t, `max-batch +1 +`, got.stdout)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Without noise the same rung is the same to the bit, and all knobs that the twin has
// costs for are tried; the others are named, and refused when somebody asks for them.
func TestAllKnobsOnTheTwin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	got := execute(t, t.Context(), knobs(dir, "--seeds", "1", "--replicates", "2")...)
	require.Contains(t, []int{exitOK, exitInvalid}, got.code, got.stderr)
	require.Contains(t, got.stderr, "is left out: the twin cannot be had with")
	for _, knob := range []string{"prefill-budget", "prefill-order", "block-size", "kv-cells", "max-batch"} {
		require.Contains(t, got.stdout, "\nKnob "+knob)
	}
	refused := execute(t, t.Context(), knobs(filepath.Join(t.TempDir(), "run"), "--knob", "threads", "--values", "7")...)
	require.Equal(t, exitInput, refused.code)
	require.Contains(t, refused.stderr, "rung threads=7: the twin cannot be had with threads=7: the calibration has no costs for")
}

func TestBadKnobsAreOneLine(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"unknown knob":          {[]string{"--knob", "max-bach"}, `--knob: unknown knob "max-bach": did you mean "max-batch"?`},
		"values of many":        {[]string{"--values", "1,2"}, "--values: they are those of one knob"},
		"value of no knob":      {[]string{"--knob", "kv-layout", "--values", "paged"}, `"paged" is none of streams, unified`},
		"batch beyond the step": {[]string{"--knob", "prefill-budget", "--values", "8"}, "rung prefill-budget=8: policy: step tokens is 8, must be at least max batch (24)"},
		"unknown base":          {[]string{"--base", "prefx"}, `--base: unknown rung "prefx": did you mean "prefix"?`},
		"one replicate":         {[]string{"--replicates", "1"}, "--replicates: 1 tells no noise; give 2 or more"},
		"rungs":                 {[]string{"--rungs", "fifo"}, "--rungs: only ladder has it"},
		"anchor":                {[]string{"--anchor", "fifo"}, "--anchor: only ladder has it"},
		"resume of nothing":     {[]string{"--resume"}, "--resume: name the run"},
		"knob of a resumed run": {[]string{"--resume", "--out", "x", "--knob", "threads"}, "--knob: a resumed run keeps the parameters"},
		"argument":              {[]string{"threads"}, "threads"},
	} {
		t.Run(name, func(t *testing.T) {
			got := execute(t, t.Context(), append([]string{"knobs"}, tt.args...)...)
			require.Equal(t, exitInput, got.code, got.stderr)
			require.Contains(t, got.stderr, tt.want)
			require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
			require.Empty(t, got.stdout)
		})
	}
}
