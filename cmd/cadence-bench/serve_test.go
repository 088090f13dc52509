package main

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServePortInUse: it is known before anything is measured, and said in one line.
func TestServePortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	dir := t.TempDir() + "/run"
	got := execute(t, t.Context(), "ladder", "--engine", "twin", "--preset", "smoke", "--out", dir, "--serve", taken.Addr().String())
	require.Equal(t, exitInput, got.code)
	require.Contains(t, got.stderr, "--serve: cannot listen at "+taken.Addr().String())
	require.Equal(t, 1, strings.Count(got.stderr, "\n"))
	require.NoDirExists(t, dir)
}

// TestServeOccupied: a folder that has a run is refused before a page is served.
func TestServeOccupied(t *testing.T) {
	dir := filepath.Dir(write(t, "manifest.json", "{}"))
	got := execute(t, t.Context(), "ladder", "--engine", "twin", "--preset", "smoke", "--out", dir, "--serve", "0")
	require.Equal(t, exitInput, got.code)
	require.Contains(t, got.stderr, "manifest.json")
	require.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
}
