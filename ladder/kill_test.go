package ladder

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/internal/killpoint"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/results"
)

// everything reads all files of a run by name, but for those that are nobody's: of
// Parquet files the hash, and of the journal the lines in any order.
func everything(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") || d.Name() == "run.lock" {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		switch filepath.Ext(path) {
		case ".parquet":
			all[name] = results.HashBytes(data)
		case ".jsonl": // what is adopted comes before what was under way beside it
			all[name] = strings.Join(slices.Sorted(strings.Lines(string(data))), "")
		default:
			all[name] = string(data)
		}
		return err
	}))
	return all
}

// killedConfig is a sweep of a few cells, with nothing left to measure.
func killedConfig(t *testing.T) Config {
	cfg := smallConfig(t)
	cfg.Rungs, cfg.Rates, cfg.SLO, cfg.Seeds = []string{"fifo", "prefix"}, []float64{4}, 2e9, []uint64{1}
	cfg.Duration, cfg.Warmup = 3e9, 0
	cfg.Repeats.Anchor = "fifo"
	return cfg
}

// simulator makes a fake machine one of which several cells are measured at once.
type simulator struct {
	*celltest.Machine
	opening *sync.Mutex
}

func (s simulator) OpenSeeded(shape cell.Shape, _ uint64) (cell.SimulatedBackend, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	b, err := s.Open(shape)
	return simulated{b}, err
}

// simulated is a backend that knows all its costs.
type simulated struct{ engine.Backend }

func (simulated) Extrapolated() (beyond, steps int64) { return 0, 0 }

func killedSweep(dir string, workers int) (*Sweep, *quiet) {
	s, m, q := newSweep(dir)
	s.TraceSteps = true
	if workers > 1 {
		s.Machine, s.Workers = simulator{m, new(sync.Mutex)}, workers
	}
	return s, q
}

// goOn starts a sweep or, if there is something of it, resumes it.
func goOn(t *testing.T, s *Sweep) error {
	if results.Vacant(s.Dir) == nil {
		return s.Start(t.Context(), killedConfig(t))
	}
	return s.Resume(t.Context())
}

// sweepAndDie measures until the n-th moment of a durable write, and is killed there. In
// the middle of a write, half of the data is in the file.
func sweepAndDie(t *testing.T, dir string, workers, n int) {
	var counting sync.Mutex
	killpoint.Reached = func(moment, path string, to io.Writer, data []byte) {
		counting.Lock() // the other workers stop here too, as they would
		if n--; n > 0 {
			counting.Unlock()
			return
		}
		if moment == killpoint.Write {
			_, err := to.Write(data[:len(data)/2])
			require.NoError(t, err)
		}
		fmt.Println("killed at", moment, filepath.Base(filepath.Dir(path)), filepath.Base(path))
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGKILL))
		select {}
	}
	s, _ := killedSweep(dir, workers)
	require.NoError(t, goOn(t, s))
	fmt.Println("not killed")
}

const killVariable = "SWEEP_AND_DIE" // dir, workers and n, by spaces

// TestKilledAtEveryWrite kills a sweep with SIGKILL at every moment of every durable write,
// resumes it, and finds each time what a sweep that was never killed leaves: only the
// cells in progress were measured again.
func TestKilledAtEveryWrite(t *testing.T) {
	if args := strings.Fields(os.Getenv(killVariable)); len(args) > 0 {
		workers, _ := strconv.Atoi(args[1])
		n, _ := strconv.Atoi(args[2])
		sweepAndDie(t, args[0], workers, n)
		return
	}
	for _, workers := range []int{1, 2} {
		whole, _ := killedSweep(filepath.Join(t.TempDir(), "whole"), workers)
		require.NoError(t, goOn(t, whole))
		want := everything(t, whole.Dir)
		require.Len(t, want, 2+2*3, "manifest, journal, cells and steps")
		var seen []string
		step := 1 + 2*(workers-1) // with more workers, some will do
		for n := 1; ; n += step {
			dir := filepath.Join(t.TempDir(), "run")
			said := die(t, dir, workers, n)
			if said == "not killed" {
				require.Equal(t, want, everything(t, dir))
				break
			}
			seen = append(seen, said)
			kept := len(finishedCells(t, dir))
			s, q := killedSweep(dir, workers)
			require.NoError(t, goOn(t, s), said)
			require.Equal(t, want, everything(t, dir), said)
			require.Len(t, q.ended, 3-kept, "%s: what was whole is not measured again", said)
			require.Empty(t, leftovers(t, dir), said)
		}
		if workers == 1 {
			require.Len(t, seen, 3+3*(3+3+2), "the moments of the manifest, and of a trace, a cell and a line for each cell: %v", seen)
		}
	}
}

// die runs this test as a process that is killed, and returns its last words.
func die(t *testing.T, dir string, workers, n int) string {
	child := exec.Command(os.Args[0], "-test.run=^TestKilledAtEveryWrite$")
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d", killVariable, dir, workers, n))
	out, err := child.Output()
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "killed at") {
			require.ErrorContains(t, err, "signal: killed")
			return line
		} else if line == "not killed" {
			require.NoError(t, err)
			return line
		}
	}
	require.Fail(t, "neither killed nor done", "%s", out)
	return ""
}

// finishedCells are the cells whose files are whole.
func finishedCells(t *testing.T, dir string) []string {
	found, err := filepath.Glob(filepath.Join(dir, "cells", "*.parquet"))
	require.NoError(t, err)
	return found
}

// leftovers are temporary files and locks.
func leftovers(t *testing.T, dir string) []string {
	var all []string
	for _, pattern := range []string{".*", "*.lock", "cells/.*", "steps/.*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		all = append(all, found...)
	}
	return all
}
