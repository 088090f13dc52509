package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// TestStudyIsWhatItsCommandGives simulates a few cells of the kept study of admission
// policies again and compares their figures with those of its tables.
func TestStudyIsWhatItsCommandGives(t *testing.T) {
	const study = "../../" + studyFolder
	m, err := results.ReadManifest(filepath.Join(study, "manifest.json"))
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "run")
	args := slices.Clone(m.Command[1:])
	for i, arg := range args {
		if arg == "--ladder" {
			args[i+1] = "../../" + args[i+1]
		}
	}
	args = append([]string{"--cache", t.TempDir()}, append(args, "--rates", "3.5,23", "--seeds", "2", "--rungs", "prefix,conformal-95,inflight-cap", "--out", dir)...)
	got := execute(t, t.Context(), args...)
	require.Contains(t, []int{exitOK, exitInvalid}, got.code, got.stderr)
	require.Equal(t, exitOK, execute(t, t.Context(), "report", dir).code)
	again, kept := cellTable(t, dir), cellTable(t, study)
	require.Len(t, again, 6)
	for key, row := range again {
		require.Equal(t, kept[key], row, key)
	}
}

// cellTable reads the rows of a run's table of cells, by what they are of. Where in the
// sweep a cell was does not count.
func cellTable(t *testing.T, dir string) map[string]map[string]string {
	f, err := os.Open(filepath.Join(dir, "tables", "cells.csv"))
	require.NoError(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	rows := map[string]map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		delete(row, "order")
		rows[row["rung"]+" "+row["offered_rps"]+" "+row["seed"]] = row
	}
	return rows
}
