package results

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fullDevice is a file on which every write is a real ENOSPC.
func fullDevice(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// sglang PR #32578, vllm PR #51030: one failure cost the whole run.
func TestFullDiskLeavesWhatWasThere(t *testing.T) {
	full := fullDevice(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "000-fifo-1rps-s1.parquet")
	failing := func(w io.Writer) error {
		_, err := io.MultiWriter(w, full).Write([]byte("half a file"))
		return err
	}

	err := WriteAtomic(path, failing)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.EqualError(t, err, "write "+path+": no space left on device")
	require.NoFileExists(t, path)
	noTempFiles(t, dir)

	require.NoError(t, WriteBytes(path, []byte("whole")))
	require.ErrorIs(t, WriteAtomic(path, failing), syscall.ENOSPC)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "whole", string(data))
	noTempFiles(t, dir)
}

func TestWriteCellWhereItCannot(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none", "a.parquet")
	require.EqualError(t, WriteCell(missing, testCell(), nil), "write "+missing+": no such file or directory")

	folder := filepath.Join(dir, "a.parquet")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "x"), 0o755))
	err := WriteCell(folder, testCell(), nil)
	require.ErrorContains(t, err, "write "+folder+": ")
	noTempFiles(t, dir)
}

// A killed process leaves a hidden file: the next write replaces it.
func TestLeftoverIsReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.parquet")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".a.parquet.tmp"), make([]byte, 1<<20), 0o600))
	require.NoError(t, WriteBytes(path, []byte("new")))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new", string(data))
	noTempFiles(t, dir)
}

func TestCauseKeepsOthers(t *testing.T) {
	err := errors.New("odd")
	require.Equal(t, err, cause(err))
}

func TestHashFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "abc")
	require.NoError(t, os.WriteFile(path, []byte("abc"), 0o644))
	sum, err := HashFile(path)
	require.NoError(t, err)
	// FIPS 180-2, appendix B.1
	require.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", sum)
	require.Equal(t, sum, HashBytes([]byte("abc")))
	_, err = HashFile(path + "d")
	require.ErrorIs(t, err, os.ErrNotExist)
}
