package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpecialFilesNeverBlock: wherever a command line names a file, a pipe in its place is
// refused in one line.
func TestSpecialFilesNeverBlock(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "f")
	require.NoError(t, syscall.Mkfifo(pipe, 0o644))
	run, lib, cache := t.TempDir(), t.TempDir(), t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(run, "manifest.json"), 0o644))
	for _, name := range []string{"libggml.so", "libggml-base.so", "libllama.so"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(lib, name), 0o644))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(cache, "calibration.json"), 0o644))
	short := []string{"--preset", "smoke", "--rates", "1", "--slo", "2s", "--out", filepath.Join(t.TempDir(), "out")}
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitEngine, []string{"model", "inspect", pipe}},
		{exitEngine, append([]string{"ladder", "--model", pipe}, short...)},
		{exitEngine, append([]string{"ladder", "--lib", lib}, short...)},
		{exitEngine, append([]string{"ladder", "--engine", "twin", "--model", pipe}, short...)},
		{exitInput, []string{"tape", "inspect", pipe}},
		{exitInput, []string{"tape", "hash", pipe}},
		{exitInput, append([]string{"ladder", "--engine", "twin", "--workload", "trace:" + pipe}, short...)},
		{exitInput, append([]string{"ladder", "--engine", "twin", "--admission-artifact", pipe}, short...)},
		{exitInput, append([]string{"ladder", "--engine", "twin", "--ladder", pipe}, short...)},
		{exitInput, append([]string{"ladder", "--engine", "twin", "--calibration", pipe}, short...)},
		{exitInput, append([]string{"--cache", cache, "ladder", "--engine", "twin"}, short...)},
		{exitInput, []string{"report", run}},
		{exitInput, []string{"compare", run, run}},
		{exitInput, []string{"report", committed, "--check", "--docs", pipe}},
		{exitInput, []string{"gate", "--baseline", pipe}},
		{exitInput, []string{"gate", "--real", "--a", pipe}},
		{exitInput, []string{"fit", run}},
		{exitInput, []string{"twin", "validate", run}},
	} {
		got := execute(t, t.Context(), c.args...)
		// Where an earlier test has loaded the libraries, another folder is refused unseen.
		if !strings.Contains(got.stderr, "has no libggml.so") && !strings.Contains(got.stderr, "start another process for it") {
			require.Contains(t, got.stderr, "it is a pipe, and not a file", "%v", c.args)
		}
		require.Equal(t, 1, strings.Count(got.stderr[strings.Index(got.stderr, "cadence-bench:"):], "\n"), "%v: %s", c.args, got.stderr)
		if got.code != c.code { // gate has codes of its own, and a check of documents is a drift
			require.Contains(t, []int{2, exitDrift, exitEngine}, got.code, "%v", c.args)
		}
	}
	_, err := os.Stat(short[len(short)-1])
	require.ErrorIs(t, err, os.ErrNotExist, "nothing was begun")
}
