package results

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// addCell writes a cell into r's folder and returns its journal entry.
func addCell(t *testing.T, r *Run, order int, key Key) Entry {
	t.Helper()
	cell := testCell()
	cell.Key, cell.Order = key, order
	path := r.CellPath(order, key)
	require.NoError(t, WriteCell(path, cell, load(4, 3)))
	e, err := r.EntryOf(filepath.Base(path))
	require.NoError(t, err)
	sum, err := HashFile(path)
	require.NoError(t, err)
	require.Equal(t, Entry{Key: key, Order: order, State: CellFinished, File: filepath.Base(path), SHA256: sum, Rows: 4}, e)
	return e
}

func TestRunFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "first")
	r, err := CreateRun(dir, testManifest())
	require.NoError(t, err)
	a := addCell(t, r, 0, Key{Rung: "fifo", OfferedRPS: 1.5, Seed: 1})
	b := addCell(t, r, 1, Key{Rung: "static", OfferedRPS: 1.5, Seed: 1})
	c := entry(2, CellFailed)
	appendAll(t, dir, a, c, b)

	got, err := OpenRun(dir)
	require.NoError(t, err)
	require.Equal(t, &Run{Dir: dir, Manifest: testManifest(), Entries: []Entry{a, b, c}}, got)
	require.FileExists(t, filepath.Join(dir, "cells", "001-static-1.5rps-s1.parquet"))

	cell, records, err := got.ReadCell(b)
	require.NoError(t, err)
	require.Equal(t, b.Key, cell.Key)
	require.Equal(t, load(4, 3), records)
}

func TestCreateRunRefuses(t *testing.T) {
	for _, thing := range []string{"manifest.json", "journal.jsonl", "summary.json", "cells/000-fifo-1rps-s1.parquet"} {
		dir := t.TempDir()
		path := filepath.Join(dir, thing)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("precious"), 0o644))
		_, err := CreateRun(dir, testManifest())
		require.ErrorIs(t, err, ErrRunExists)
		require.EqualError(t, err, dir+" already holds a run (it has "+filepath.FromSlash(thing)+
			"): give another folder with --out, or go on with that run with --resume")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "precious", string(data))
	}

	file := filepath.Join(t.TempDir(), "a-file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err := CreateRun(file, testManifest())
	require.ErrorContains(t, err, "not a directory")
	_, err = OpenRun(t.TempDir())
	require.ErrorContains(t, err, "is not a run: it has no manifest.json")
}

// What a killed process leaves: a temporary file, a whole cell that the journal
// does not have yet, a torn line. None of it hides what was finished.
func TestOpenRunAfterAKill(t *testing.T) {
	dir := t.TempDir()
	r, err := CreateRun(dir, testManifest())
	require.NoError(t, err)
	a := addCell(t, r, 0, Key{Rung: "fifo", OfferedRPS: 1.5, Seed: 1})
	appendAll(t, dir, a)
	b := addCell(t, r, 1, Key{Rung: "static", OfferedRPS: 1.5, Seed: 1})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cells", ".002-fifo-3rps-s1.parquet.tmp"), []byte("PAR1"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cells", "notes.txt"), nil, 0o644))
	f, err := os.OpenFile(filepath.Join(dir, journalFile), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"rung":"sta`)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	got, err := OpenRun(dir)
	require.NoError(t, err)
	require.Equal(t, []Entry{a}, got.Entries)
	require.Equal(t, []string{b.File}, got.Unlisted)
	require.Len(t, got.Warnings, 1)
	require.Contains(t, got.Warnings[0], "torn")

	adopted, err := got.EntryOf(got.Unlisted[0])
	require.NoError(t, err)
	appendAll(t, dir, adopted)
	got, err = OpenRun(dir)
	require.NoError(t, err)
	require.Equal(t, []Entry{a, b}, got.Entries)
	require.Empty(t, got.Unlisted)
	require.Empty(t, got.Warnings)
}

func TestOpenRunWithRetriesAndLosses(t *testing.T) {
	dir := t.TempDir()
	r, err := CreateRun(dir, testManifest())
	require.NoError(t, err)
	failed := entry(0, CellFailed)
	retried := addCell(t, r, 0, failed.Key)
	gone := entry(1, CellFinished)
	appendAll(t, dir, failed, gone, retried)

	got, err := OpenRun(dir)
	require.NoError(t, err)
	require.Equal(t, []Entry{retried}, got.Entries)
	require.Len(t, got.Warnings, 1)
	require.Contains(t, got.Warnings[0], "cell 1 (fifo-2.5rps-s1) is listed as finished, but its file")

	path := r.CellPath(0, failed.Key)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(path, data, 0o644))
	_, _, err = got.ReadCell(retried)
	require.ErrorContains(t, err, "read "+path+": changed since it was measured")
}

func TestCellFilesAreInOrder(t *testing.T) {
	r := &Run{Dir: t.TempDir()}
	require.NoError(t, os.MkdirAll(r.cells(), 0o755))
	var want []string
	for _, c := range []struct {
		order int
		key   Key
		name  string
	}{
		{0, Key{Rung: "fifo", OfferedRPS: 0.125, Seed: 1}, "000-fifo-0.125rps-s1.parquet"},
		{9, Key{Rung: "conformal-80", OfferedRPS: 3, Seed: 18446744073709551615}, "009-conformal-80-3rps-s18446744073709551615.parquet"},
		{999, Key{Rung: "my rung/../é", OfferedRPS: 1e6, Seed: 0}, "999-my_rung_..__-1000000rps-s0.parquet"},
		{1000, Key{Rung: "fifo", OfferedRPS: 1, Seed: 2}, "1000-fifo-1rps-s2.parquet"},
		{1001, Key{Rung: "fifo", OfferedRPS: 1, Seed: 2, Replicate: 1}, "1001-fifo-1rps-s2-r1.parquet"},
		{1002, Key{Rung: "fifo", OfferedRPS: 1, Seed: 2, Replicate: 12, Anchor: true}, "1002-fifo-1rps-s2-r12-anchor.parquet"},
		{1003, Key{Rung: "fifo", OfferedRPS: 1, Seed: 2, Anchor: true}, "1003-fifo-1rps-s2-anchor.parquet"},
	} {
		require.Equal(t, filepath.Join(r.cells(), c.name), r.CellPath(c.order, c.key))
		require.Equal(t, filepath.Join(r.Dir, "steps", c.name), r.StepsPath(c.order, c.key))
		require.NoError(t, os.WriteFile(r.CellPath(c.order, c.key), nil, 0o644))
		want = append(want, c.name)
	}
	got, err := r.cellFiles()
	require.NoError(t, err)
	require.Equal(t, want, got)
}
