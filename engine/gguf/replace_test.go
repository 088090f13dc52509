package gguf

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A full disk leaves the old file and no temporary one.
func TestReplaceFileOnFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	err := replaceFile(path, func(f *os.File) error {
		_, err := f.WriteString("part of the new")
		require.NoError(t, err)
		return &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	})
	require.EqualError(t, err, "write model "+path+": no space left on device")
	require.ErrorIs(t, err, syscall.ENOSPC)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	old, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(old))
}

// A worker's write error ends the others and comes back.
func TestWriteAllReportsWriteError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "read-only")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	shape := Shapes()[0]
	tensors := shape.tensors(Q8_0)
	_, offsets := (&header{}).encode(tensors)
	err = newWeights(shape, 1, newTokenizer()).writeAll(f, 0, tensors, offsets)
	require.ErrorIs(t, err, syscall.EBADF)
}
