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

// TestStudyIsWhatItsCommandGives simulates a few cells of each kept run on the twin again
// and compares their figures with those of its tables. The run that starts from an
// artifact is left out: the artifact is of one engine source, and refused by the next.
func TestStudyIsWhatItsCommandGives(t *testing.T) {
	for name, few := range map[string][]string{
		"study":     {"--rates", "3.5,23", "--seeds", "2", "--rungs", "prefix,conformal-95,inflight-cap"},
		"constants": {"--rates", "7", "--seeds", "3", "--rungs", "conformal-99,95-price-0"},
		"floor":     {"--rates", "23", "--seeds", "4", "--rungs", "floor-50"},
		"step":      {"--seeds", "33"},
		"online":    {"--rates", "5", "--seeds", "6"},
	} {
		t.Run(name, func(t *testing.T) {
			study := filepath.Join("..", "..", "results", "runs", "admission", name)
			m, err := results.ReadManifest(filepath.Join(study, "manifest.json"))
			require.NoError(t, err)
			dir := filepath.Join(t.TempDir(), "run")
			args := slices.Clone(m.Command[1:])
			if i := slices.Index(args, "--ladder"); i >= 0 {
				args[i+1] = filepath.Join(filepath.Dir(study), filepath.Base(args[i+1])) // the runs have moved since
			}
			args = slices.Concat([]string{"--cache", t.TempDir()}, args, few, []string{"--out", dir})
			got := execute(t, t.Context(), args...)
			require.Contains(t, []int{exitOK, exitInvalid}, got.code, got.stderr)
			require.Equal(t, exitOK, execute(t, t.Context(), "report", dir).code)
			again, kept := cellTable(t, dir), cellTable(t, study)
			require.NotEmpty(t, again)
			for key, row := range again {
				require.Equal(t, kept[key], row, key)
			}
		})
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
