package main

import (
	"bufio"
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// killVariable has the arguments of a command line that a test runs as a process of its
// own, by lines.
const killVariable = "CADENCE_TEST_COMMAND"

// TestKilledSimulationGoesOn kills a simulation with SIGKILL as soon as it has told of so
// many cells, resumes it, and finds every cell as an undisturbed one has it.
func TestKilledSimulationGoesOn(t *testing.T) {
	if args := os.Getenv(killVariable); args != "" {
		os.Exit(exitCode(os.Stderr, run(t.Context(), os.Stdout, os.Stderr, strings.Split(args, "\n"))))
	}
	again := []string{"--rungs", "fifo,prefix", "--twin-noise", "--trace-steps", "--replicates", "2", "--anchor", "prefix"}
	whole := filepath.Join(t.TempDir(), "whole")
	require.Equal(t, exitOK, execute(t, t.Context(), simulated(whole, again...)...).code)
	parquet := func(name string) bool { return filepath.Ext(name) == ".parquet" }
	want := files(t, whole, parquet)
	const cells = 2*2*2*2 + 2*2
	require.Len(t, want, 2*cells)
	first, second := readRun(t, whole, "000-fifo-1rps-s1.parquet"), readRun(t, whole, "004-fifo-1rps-s1-r1.parquet")
	require.Equal(t, first.TapeHash, second.TapeHash)
	require.NotEqual(t, first.Steps, second.Steps, "a replicate has its own luck")

	for _, after := range []int{1, 7, cells - 1} {
		dir := filepath.Join(t.TempDir(), "run")
		child := exec.Command(os.Args[0], "-test.run=^TestKilledSimulationGoesOn$")
		child.Env = append(os.Environ(), killVariable+"="+strings.Join(simulated(dir, again...), "\n"))
		stderr, err := child.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		var said bytes.Buffer
		told := 0
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			said.WriteString(lines.Text() + "\n")
			if told += strings.Count(lines.Text(), " rps seed "); told == after {
				require.NoError(t, child.Process.Signal(syscall.SIGKILL))
			}
		}
		_ = child.Wait()
		require.GreaterOrEqual(t, told, after, said.String())

		resumed := execute(t, t.Context(), "ladder", "--out", dir, "--resume", "--calibration", handMade, "--trace-steps")
		require.Equal(t, exitOK, resumed.code, resumed.stderr)
		require.Equal(t, want, files(t, dir, parquet))
		run, err := results.OpenRun(dir)
		require.NoError(t, err)
		require.Empty(t, run.Warnings)
		require.Len(t, run.Entries, cells)
		hidden := slices.DeleteFunc(slices.Sorted(maps.Keys(contents(t, dir))), func(path string) bool {
			return !strings.HasPrefix(filepath.Base(path), ".") && filepath.Ext(path) != ".lock"
		})
		require.Empty(t, hidden, "nothing is left lying about")
	}
}

func readRun(t *testing.T, dir, file string) results.Cell {
	cell, _, err := results.ReadCell(filepath.Join(dir, "cells", file))
	require.NoError(t, err)
	return cell
}

// A run that another process is writing is not touched.
func TestLockedRunIsOneLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.Equal(t, exitOK, execute(t, t.Context(), simulated(dir, "--rungs", "fifo")...).code)
	lock, err := results.LockRun(dir)
	require.NoError(t, err)
	defer lock.Release()
	before := contents(t, dir)
	got := execute(t, t.Context(), "ladder", "--out", dir, "--resume", "--calibration", handMade)
	require.Equal(t, exitInput, got.code)
	require.Contains(t, got.stderr, dir+" is being written by process ")
	require.Equal(t, 1, strings.Count(strings.TrimPrefix(got.stderr[strings.Index(got.stderr, "cadence-bench:"):], "\n"), "\n"))
	require.Equal(t, before, contents(t, dir))
}

// A run of another program is gone on with only by leave, and says so ever after.
func TestMixedRunIsSaidEverywhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	require.Equal(t, exitOK, execute(t, t.Context(), simulated(dir, "--rungs", "fifo")...).code)
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	last := run.Entries[len(run.Entries)-1]
	journal := filepath.Join(dir, "journal.jsonl")
	data, err := os.ReadFile(journal)
	require.NoError(t, err)
	lines := strings.SplitAfter(strings.TrimSpace(string(data)), "\n")
	require.NoError(t, os.WriteFile(journal, []byte(strings.Join(lines[:len(lines)-1], "")), 0o644))
	require.NoError(t, os.Remove(run.CellPath(last.Order, last.Key)))
	run.Manifest.EngineSource = "of another day"
	require.NoError(t, results.WriteManifest(run.ManifestPath(), run.Manifest))

	resume := []string{"ladder", "--out", dir, "--resume", "--calibration", handMade}
	refused := execute(t, t.Context(), resume...)
	require.Equal(t, exitInput, refused.code)
	require.Contains(t, refused.stderr, "its engine source was of another day and is now ")
	mixed := execute(t, t.Context(), append(resume, "--allow-mixed")...)
	require.Equal(t, exitOK, mixed.code, mixed.stderr)
	report := execute(t, t.Context(), "report", dir)
	require.Equal(t, exitOK, report.code, report.stderr)
	require.Contains(t, report.stdout, "Measured after the run was gone on with although its engine source was of another day")
	for _, name := range []string{"report.md", "report.html"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Contains(t, string(text), "MIXED: 1 of 4 cells", name)
	}
}
