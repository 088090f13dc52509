package results

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/internal/golden"
)

func entry(order int, state State) Entry {
	key := Key{Rung: "fifo", OfferedRPS: 2.5, Seed: uint64(order)}
	e := Entry{Key: key, Order: order, State: state}
	if state == CellFinished {
		e.File, e.SHA256, e.Rows = cellName(order, key), "00ff", 10
	} else {
		e.Reason = "it did not\nwork"
	}
	return e
}

func appendAll(t *testing.T, dir string, entries ...Entry) {
	t.Helper()
	j, err := OpenJournal(dir)
	require.NoError(t, err)
	for _, e := range entries {
		require.NoError(t, j.Append(e))
	}
	require.NoError(t, j.Close())
}

func TestJournal(t *testing.T) {
	dir := t.TempDir()
	got, torn, err := ReadJournal(dir)
	require.NoError(t, err)
	require.False(t, torn)
	require.Empty(t, got)

	a, b, c := entry(0, CellFinished), entry(1, CellFailed), entry(2, CellVoid)
	appendAll(t, dir, a, b)
	appendAll(t, dir, c)
	got, torn, err = ReadJournal(dir)
	require.NoError(t, err)
	require.False(t, torn)
	require.Equal(t, []Entry{a, b, c}, got)

	data, err := os.ReadFile(filepath.Join(dir, journalFile))
	require.NoError(t, err)
	golden.Equal(t, journalFile, string(data))
}

// A crash at any byte of the last line costs that line only, and the next append
// is whole.
func TestTornJournal(t *testing.T) {
	a, b, c := entry(0, CellFinished), entry(1, CellFinished), entry(2, CellFinished)
	whole := t.TempDir()
	appendAll(t, whole, a)
	first, err := os.ReadFile(filepath.Join(whole, journalFile))
	require.NoError(t, err)
	appendAll(t, whole, b)
	both, err := os.ReadFile(filepath.Join(whole, journalFile))
	require.NoError(t, err)

	ends := [][]byte{append(append([]byte(nil), first...), "\x00\x00\x00\x00\n"...)} // a block that was never written
	for n := len(first) + 1; n < len(both); n++ {
		ends = append(ends, both[:n])
	}
	for _, data := range ends {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, journalFile), data, 0o644))
		got, torn, err := ReadJournal(dir)
		require.NoError(t, err)
		require.True(t, torn)
		require.Equal(t, []Entry{a}, got)

		appendAll(t, dir, c)
		got, torn, err = ReadJournal(dir)
		require.NoError(t, err)
		require.False(t, torn)
		require.Equal(t, []Entry{a, c}, got)
	}
}

func TestDamagedJournalIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{\"state\":\"finished\"}\nnot json\n{\"state\":\"finished\"}\n": "line 2: ",
		"{\"state\":\"done\"}\n{\"state\":\"finished\"}\n":               `line 1: unknown state "done"`,
		"{\"state\":\"finished\"}\n{\"state\":\"done\"}\n":               `line 2: unknown state "done"`, // a later version's: kept
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, journalFile)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, _, err := ReadJournal(dir)
		require.ErrorContains(t, err, "read "+path+": "+want)
		_, err = OpenJournal(dir)
		require.ErrorContains(t, err, want)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(data))
	}
}

func TestJournalOnFullDisk(t *testing.T) {
	j := &Journal{f: fullDevice(t)}
	require.ErrorIs(t, j.Append(entry(0, CellFinished)), syscall.ENOSPC)
	require.EqualError(t, j.Append(entry(0, CellFinished)), "write /dev/full: no space left on device")
}
