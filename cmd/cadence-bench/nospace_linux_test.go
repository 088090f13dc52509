package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestNoSpaceLeftKeepsWhatIsMeasured fills a small file system in the middle of a
// sweep: one line, its own exit code, and the finished cells are whole.
func TestNoSpaceLeftKeepsWhatIsMeasured(t *testing.T) {
	llamatest.Open(t)
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("mounting a small file system needs the right to: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(disk, 0)) })
	dir := filepath.Join(disk, "run")

	ballast := filepath.Join(disk, "ballast")
	fill := &writer{onLine: func(string) {
		cells, _ := filepath.Glob(filepath.Join(dir, "cells", "*.parquet"))
		if len(cells) == 1 { // the first cell is kept: now take all the room there is
			os.WriteFile(ballast, make([]byte, 1<<20), 0o644)
		}
	}}
	cache, err := llamatest.Cache()
	require.NoError(t, err)
	code := exitCode(fill, run(t.Context(), fill, fill, append([]string{"--cache", cache}, small(dir)...)))
	require.Equal(t, exitWrite, code, fill.text.String())
	require.Contains(t, fill.text.String(), "no space left on device")

	require.NoError(t, os.Remove(ballast))
	resumed := execute(t, t.Context(), "ladder", "--out", dir, "--resume")
	requireMeasured(t, resumed)
	kept, err := results.OpenRun(dir)
	require.NoError(t, err)
	require.Len(t, kept.Entries, 2)
	require.Empty(t, kept.Warnings)
}
