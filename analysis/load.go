package analysis

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cadence-bench/cadence-bench/results"
)

// Run is a run folder, analysed. The rows of its cells are not kept; Records
// reads a cell's again.
type Run struct {
	*results.Run
	*Sweep
	Options Options
	// Failed are the cells that could not be measured, in the order of the sweep.
	Failed []results.Entry
	// Warnings are about the run as a whole: what its folder lacks, and which of
	// its cells could not be used.
	Warnings []string
}

// Load opens a run folder and measures its finished cells, as many at once as
// there are processors, and holds no more rows than theirs. A run without a
// finished cell is an error; a cell whose file cannot be read is too, as its
// numbers would otherwise vanish from every table without a word.
func Load(dir string, o Options) (*Run, error) {
	folder, err := results.OpenRun(dir)
	if err != nil {
		return nil, err
	}
	run := &Run{Run: folder, Options: o, Warnings: slices.Clone(folder.Warnings)}
	var finished []results.Entry
	for _, e := range folder.Entries {
		if e.State == results.CellFinished {
			finished = append(finished, e)
			continue
		}
		if e.State == results.CellFailed {
			run.Failed = append(run.Failed, e)
		}
		run.Warnings = append(run.Warnings, fmt.Sprintf("cell %d (%s) is %s and is left out: %s", e.Order, e.Name(), e.State, e.Reason))
	}
	for _, m := range folder.Manifest.Mixed {
		for _, c := range m.Changes {
			run.Warnings = append(run.Warnings, fmt.Sprintf("mixed run: when it was gone on with on %s, %v", m.At.UTC().Format(time.DateOnly), c))
		}
	}
	for _, file := range folder.Unlisted {
		run.Warnings = append(run.Warnings, fmt.Sprintf("%s is not in the journal and is left out; resuming the run takes it in", file))
	}
	if len(finished) == 0 {
		if err := folder.Whole(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s has no finished cell: run `cadence-bench ladder` into it first", dir)
	}
	if n := len(folder.Manifest.Plan); len(finished) < n {
		run.Warnings = append(run.Warnings, fmt.Sprintf("%d of %d planned cells were measured", len(finished), n))
	}
	cells, err := measureAll(folder, finished, o)
	if err != nil {
		return nil, err
	}
	judgeSpeed(cells, folder.Manifest.ExpectedProbe)
	run.Sweep = NewSweep(cells, planned(folder.Manifest.Plan))
	return run, nil
}

func measureAll(folder *results.Run, entries []results.Entry, o Options) ([]CellMetrics, error) {
	cells, errs := make([]CellMetrics, len(entries)), make([]error, len(entries))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range entries {
		g.Go(func() error {
			cell, recs, err := folder.ReadCell(entries[i])
			if errs[i] = err; err == nil {
				cells[i] = Measure(cell, recs, o)
			}
			return nil // all errors are joined below
		})
	}
	_ = g.Wait()
	return cells, errors.Join(errs...)
}

// planned returns the rungs of a plan by first appearance. A plan begins with an
// unrotated block, so that is ladder order.
func planned(plan []results.Key) []string {
	var rungs []string
	for _, k := range plan {
		rungs = append(rungs, k.Rung)
	}
	return rungs
}

// Records reads the rows of a finished cell again.
func (r *Run) Records(key results.Key) ([]results.Record, error) {
	for _, e := range r.Entries {
		if e.Key == key && e.State == results.CellFinished {
			_, recs, err := r.ReadCell(e)
			return recs, err
		}
	}
	return nil, fmt.Errorf("%s has no finished cell %s", r.Dir, key.Name())
}

// Steps reads the step trace of a finished cell; nil when its steps were not traced.
func (r *Run) Steps(key results.Key) ([]results.StepRow, error) {
	for _, e := range r.Entries {
		if e.Key == key && e.State == results.CellFinished {
			_, steps, err := results.ReadSteps(r.StepsPath(e.Order, e.Key))
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			return steps, err
		}
	}
	return nil, fmt.Errorf("%s has no finished cell %s", r.Dir, key.Name())
}
