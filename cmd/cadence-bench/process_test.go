package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/cadence-bench/cadence-bench/results"
)

// programVariable makes the test's own binary the program, for tests of whole processes.
const programVariable = "CADENCE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is the program with what it says; onLine is told each line of stderr.
func process(t *testing.T, cmd *exec.Cmd, onLine func(line string, stderr io.Closer)) (said string, code int) {
	t.Helper()
	// The defaults alone: what a run knows of its places is not in the environment.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CADENCE_") }), programVariable+"=1")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var all strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		onLine(lines.Text(), stderr)
	}
	_ = cmd.Wait()
	return all.String(), cmd.ProcessState.ExitCode()
}

// untilCell does something once, at the first cell that is over.
func untilCell(do func(stderr io.Closer)) func(string, io.Closer) {
	done := false
	return func(line string, stderr io.Closer) {
		if !done && strings.Contains(line, " rps seed ") {
			done = true
			do(stderr)
		}
	}
}

// resumeLine is the command line that an interrupt printed.
func resumeLine(t *testing.T, said string) string {
	t.Helper()
	_, line, ok := strings.Cut(said, "this goes on with the rest: ")
	require.True(t, ok, said)
	return strings.TrimSpace(line)
}

// interruptedTwice starts a run, ends it at its first cell, goes on with it by nothing but
// its folder, ends it again, and finishes it by the line that was printed, which a shell
// runs in another folder.
func interruptedTwice(t *testing.T, dir string, args ...string) {
	t.Helper()
	signalled := func(args []string, s syscall.Signal) string {
		cmd := exec.Command(os.Args[0], args...)
		said, code := process(t, cmd, untilCell(func(io.Closer) { require.NoError(t, cmd.Process.Signal(s)) }))
		require.Equal(t, exitInterrupted, code, said)
		require.FileExists(t, filepath.Join(dir, "summary.json"), "of what there is")
		return said
	}
	signalled(append(args, "--out", dir), syscall.SIGTERM)
	t.Chdir(t.TempDir())
	line := resumeLine(t, signalled([]string{args[0], "--out", dir, "--resume"}, syscall.SIGHUP))
	said, code := process(t, exec.Command("sh", "-c", line), func(string, io.Closer) {})
	require.Contains(t, []int{exitOK, exitInvalid}, code, "%s: %s", line, said)
	require.Contains(t, said, "already measured")
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	require.Len(t, run.Entries, len(run.Manifest.Plan))
	require.Empty(t, run.Manifest.Mixed)
	if slices.Contains(args, "--trace-steps") {
		for _, e := range run.Entries {
			require.FileExists(t, run.StepsPath(e.Order, e.Key))
		}
	}
}

// awkward is a folder whose name a shell must be told of with quotes.
func awkward(t *testing.T) string { return filepath.Join(t.TempDir(), "it's $HOME & mine") }

// manyCells are enough for a signal to come in time.
func manyCells(more ...string) []string {
	return append([]string{"ladder", "--engine", "twin", "--preset", "smoke", "--rungs", "fifo", "--rates", "1,4", "--seeds", "1,2", "--slo", "2s", "--replicates", "60"}, more...)
}

func TestResumeKnowsItsCalibration(t *testing.T) {
	hand, err := filepath.Abs(handMade)
	require.NoError(t, err)
	data, err := os.ReadFile(hand)
	require.NoError(t, err)
	t.Run("named", func(t *testing.T) {
		interruptedTwice(t, awkward(t), manyCells("--calibration", hand)...)
	})
	t.Run("of the cache", func(t *testing.T) {
		cache := filepath.Join(t.TempDir(), "a cache")
		require.NoError(t, os.MkdirAll(cache, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(cache, "calibration.json"), data, 0o644))
		interruptedTwice(t, awkward(t), manyCells("--cache", cache)...)
	})
	t.Run("of the build", func(t *testing.T) {
		interruptedTwice(t, awkward(t), manyCells()...)
	})
	t.Run("moved together", func(t *testing.T) {
		all := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(all, "mine.json"), data, 0o644))
		dir := filepath.Join(all, "run")
		cmd := exec.Command(os.Args[0], manyCells("--calibration", filepath.Join(all, "mine.json"), "--out", dir)...)
		said, code := process(t, cmd, untilCell(func(io.Closer) { require.NoError(t, cmd.Process.Signal(os.Interrupt)) }))
		require.Equal(t, exitInterrupted, code, said)
		moved := filepath.Join(t.TempDir(), "elsewhere")
		require.NoError(t, os.Rename(all, moved))
		got := execute(t, t.Context(), "ladder", "--out", filepath.Join(moved, "run"), "--resume")
		require.Equal(t, exitOK, got.code, got.stderr)
		require.NoError(t, os.Remove(filepath.Join(moved, "mine.json")))
		got = execute(t, t.Context(), "ladder", "--out", filepath.Join(moved, "run"), "--resume")
		require.Equal(t, exitInput, got.code)
		require.Contains(t, got.stderr, "the run's calibration is no longer at "+filepath.Join(moved, "mine.json")+": say where it is by --calibration")
	})
}

// TestResumeKnowsItsModelAndLibraries: the same on the real engine, with a model, libraries
// and a cache that nothing but the first command line names.
func TestResumeKnowsItsModelAndLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	llamatest.Open(t)
	libs, err := llamacpp.Installed(repoCache)
	require.NoError(t, err)
	mine := filepath.Join(t.TempDir(), "my libraries")
	require.NoError(t, os.Symlink(libs, mine))
	model := filepath.Join(t.TempDir(), "my model.gguf")
	require.Equal(t, exitOK, execute(t, t.Context(), "model", "synth", "--seed", "7", "--out", model).code)
	interruptedTwice(t, awkward(t), "ladder", "--preset", "smoke", "--rungs", "fifo", "--rates", "2,4", "--seeds", "1,2", "--slo", "2s", "--duration", "1s", "--warmup", "0s",
		"--timeout", "4s", "--threads", "1", "--kv-layout", "streams", "--flash-attn", "on", "--trace-steps",
		"--model", model, "--lib", mine, "--cache", t.TempDir())
}

// TestOutputThatNobodyReads: when the reader of what a sweep says has gone, as head does,
// the sweep ends like one that was told to, and what only prints ends without a word.
func TestOutputThatNobodyReads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(os.Args[0], manyCells("--out", dir)...)
	_, code := process(t, cmd, untilCell(func(stderr io.Closer) { stderr.Close() }))
	require.Equal(t, exitInterrupted, code)
	require.FileExists(t, filepath.Join(dir, "summary.json"))
	require.Equal(t, exitOK, execute(t, t.Context(), "ladder", "--out", dir, "--resume").code)

	read, written, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, read.Close())
	cmd = exec.Command(os.Args[0], "report", dir, "--table", "summary")
	cmd.Stdout = written
	said, code := process(t, cmd, func(string, io.Closer) {})
	require.Equal(t, exitInterrupted, code)
	require.Empty(t, said)
}

// TestFirstSignalEndsWhatIsBlocked: a command that does not heed its context is ended.
func TestFirstSignalEndsWhatIsBlocked(t *testing.T) {
	ctx, end := interruptible(t.Context())
	exited := make(chan struct{})
	impatient(ctx, 0, func() { close(exited) })
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	require.NoError(t, self.Signal(syscall.SIGTERM))
	<-exited
	require.ErrorIs(t, ctx.Err(), context.Canceled)
	end()
}

// TestIgnoredSignalsStayIgnored: nohup is obeyed.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh", os.Args[0]}, manyCells("--replicates", "5", "--out", dir)...)...)
	said, code := process(t, cmd, untilCell(func(io.Closer) { require.NoError(t, cmd.Process.Signal(syscall.SIGHUP)) }))
	require.Equal(t, exitOK, code, said)
}

// TestTwoLaddersAtOnceSaySo: each of two ladders that measure at the same time knows of the
// other: the second before it starts, and both in their cells, on the console and in the
// report.
func TestTwoLaddersAtOnceSaySo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	llamatest.Open(t)
	t.Setenv("TMPDIR", t.TempDir()) // other tests are at work too
	args := func(dir string) []string {
		return append([]string{"--cache", repoCache}, small(dir, "--duration", "1s", "--rates", "2,4")...)
	}
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	cmd := exec.Command(os.Args[0], args(first)...)
	told := make(chan string, 1)
	ran := false
	said, code := process(t, cmd, func(line string, _ io.Closer) {
		if ran || !strings.Contains(line, "cells: ") {
			return
		}
		ran = true
		go func() {
			said, code := process(t, exec.Command(os.Args[0], args(second)...), func(string, io.Closer) {})
			if code != exitOK && code != exitInvalid {
				said = ""
			}
			told <- said
		}()
	})
	require.Contains(t, []int{exitOK, exitInvalid}, code, said)
	other := <-told
	require.Contains(t, other, "warning: another cadence-bench is at work on this machine (process ")
	require.NotContains(t, said, "warning: another cadence-bench")
	for _, run := range []struct{ dir, said string }{{first, said}, {second, other}} {
		require.Contains(t, run.said, "NOTE: ", run.dir)
		require.Contains(t, run.said, "another cadence-bench was at work", run.dir)
		report := execute(t, t.Context(), "report", run.dir)
		require.Equal(t, exitOK, report.code, report.stderr)
		require.Contains(t, report.stdout, "something else was at work on the machine (", run.dir)
	}
}
