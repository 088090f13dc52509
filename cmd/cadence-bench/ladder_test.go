package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/results"
)

// small is a ladder of seconds: two rungs at one rate, nothing left to measure.
func small(out string, more ...string) []string {
	return append([]string{"ladder", "--preset", "smoke", "--rungs", "fifo,continuous", "--rates", "4", "--slo", "2s",
		"--duration", "2s", "--warmup", "0s", "--timeout", "4s", "--threads", "1", "--threads-batch", "1", "--kv-layout", "streams", "--flash-attn", "on", "--out", out}, more...)
}

// requireMeasured accepts cells that a busy machine made invalid: that it says so
// is another test's business.
func requireMeasured(t *testing.T, got output) {
	t.Helper()
	require.Contains(t, []int{exitOK, exitInvalid}, got.code, got.stderr)
	require.NotContains(t, got.stderr, "FAILED")
}

func contents(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	}))
	return files
}

// TestLadderAndReport is the main job on the real engine: measure, refuse to
// measure over it, resume what is complete, report, and report again to the byte.
func TestLadderAndReport(t *testing.T) {
	llamatest.Open(t)
	dir := filepath.Join(t.TempDir(), "run")
	got := execute(t, t.Context(), small(dir)...)
	requireMeasured(t, got)
	require.Contains(t, got.stdout, "measured into "+dir)
	require.Contains(t, got.stderr, "[1/2] fifo")
	require.Contains(t, got.stderr, "[2/2] continuous")
	require.NotContains(t, got.stderr, "\r", "plain lines where there is no terminal")

	cells, err := results.ReadSummary(filepath.Join(dir, "summary.json"))
	require.NoError(t, err)
	require.Len(t, cells, 2)
	for _, c := range cells {
		require.Equal(t, "llama.cpp", c.Backend)
		require.Positive(t, c.Arrivals)
		require.True(t, c.GoodputRPS.OK && c.E2EP99S.OK && c.TTFTP50S.OK)
		require.False(t, c.HitRate.OK, "these rungs have no prefix cache")
		require.Equal(t, c.Arrivals, c.Completed+c.Timeouts+c.Shed+c.Failed+c.Cancelled)
	}

	again := execute(t, t.Context(), small(dir)...)
	require.Equal(t, exitInput, again.code)
	require.Contains(t, again.stderr, "already holds a run")
	resumed := execute(t, t.Context(), "ladder", "--out", dir, "--resume")
	requireMeasured(t, resumed)
	other := execute(t, t.Context(), "ladder", "--out", dir, "--resume", "--duration", "3s")
	require.Equal(t, exitInput, other.code)
	require.Contains(t, other.stderr, "--duration: a resumed run keeps the parameters")

	report := execute(t, t.Context(), "report", dir)
	require.Equal(t, exitOK, report.code, report.stderr)
	require.Contains(t, report.stdout, "report.html")
	first := contents(t, dir)
	require.Contains(t, first, filepath.Join(dir, "charts", "e2e-p99.png"))
	require.Equal(t, exitOK, execute(t, t.Context(), "report", dir).code)
	require.Equal(t, first, contents(t, dir))

	doc := write(t, "doc.md", "<!-- cadence:begin summary -->\n<!-- cadence:end -->\n")
	require.Equal(t, exitDrift, execute(t, t.Context(), "report", dir, "--check", "--docs", doc).code)
	require.Equal(t, exitOK, execute(t, t.Context(), "report", dir, "--embed", "--docs", doc).code)
	require.Equal(t, exitOK, execute(t, t.Context(), "report", dir, "--check", "--docs", doc).code)
	data, err := os.ReadFile(doc)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(doc, []byte(strings.Replace(string(data), "fifo", "f1fo", 1)), 0o644))
	drift := execute(t, t.Context(), "report", dir, "--check", "--docs", doc)
	require.Equal(t, exitDrift, drift.code)
	require.Contains(t, drift.stderr, "doc.md")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tables", "summary.csv"), nil, 0o644))
	require.Contains(t, execute(t, t.Context(), "report", dir, "--check", "--docs", write(t, "empty.md", "")).stderr, "summary.csv")
}

// TestInterruptKeepsWhatIsMeasured: an interrupt in the middle of a cell, while
// the engine computes, ends the sweep; finished cells stay, and the command that
// is printed goes on with the rest.
func TestInterruptKeepsWhatIsMeasured(t *testing.T) {
	llamatest.Open(t)
	dir := filepath.Join(t.TempDir(), "run")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	first := filepath.Join(dir, "cells", "000-fifo-4rps-s1.parquet")
	watch := &writer{onLine: func(line string) {
		if strings.Contains(line, "[1/2]") {
			interrupt()
		}
	}}
	cache, err := llamatest.Cache()
	require.NoError(t, err)
	code := exitCode(watch, run(ctx, watch, watch, append([]string{"--cache", cache}, small(dir)...)))
	require.Equal(t, exitInterrupted, code, watch.text.String())
	require.FileExists(t, first)
	require.Contains(t, watch.text.String(), " ladder --out "+dir+" --resume")

	resumed := execute(t, t.Context(), "ladder", "--out", dir, "--resume")
	requireMeasured(t, resumed)
	require.Contains(t, resumed.stderr, "1 of them already measured")
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	require.Len(t, run.Entries, 2)
}

// writer tells each piece of text as it is written.
type writer struct {
	text   strings.Builder
	onLine func(string)
}

func (w *writer) Write(p []byte) (int, error) {
	w.text.Write(p)
	w.onLine(string(p))
	return len(p), nil
}
