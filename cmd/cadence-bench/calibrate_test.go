package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
)

// TestCalibrateInterrupted: an interrupt leaves no file behind.
func TestCalibrateInterrupted(t *testing.T) {
	llamatest.Open(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := execute(t, ctx, "calibrate", "--quick", "--out", dir)
	require.Equal(t, exitInterrupted, got.code)
	require.Contains(t, got.stderr, "interrupted; nothing was written")
	require.Empty(t, contents(t, dir))
}

func TestCalibrateCannotWrite(t *testing.T) {
	file := write(t, "file", "")
	got := execute(t, t.Context(), "calibrate", "--out", filepath.Join(file, "folder"))
	require.Equal(t, exitWrite, got.code)
	require.Contains(t, got.stderr, "file")
}
