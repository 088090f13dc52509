// Package baseline runs the gate's ladder on the twin, and keeps and proves its baseline: the
// figures that a change is held against, and the decisions that they came from. What is a
// regression is judged by analysis/gate.
package baseline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/analysis/figures"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// Config is one run of the gate's ladder. It may be run many times, and changed in
// between; runs share nothing.
type Config struct {
	// ladder has the rungs. Its Text is what the provenance has the hash of, so that a
	// ladder whose rungs were changed after it was read passes for the one of its file.
	Ladder *spec.Ladder
	// Rungs are the names of those to run; nil is all that are not optional.
	Rungs       []string
	Load        gate.Load
	Calibration results.Calibration
	ID          string // the calibration's SHA-256
	Source      string // hash of the engine's
	Command     string // that makes such a baseline
	Dir         string // to keep the run in, which must be empty or not there; "": nowhere
}

// Run is what became of it.
type Run struct {
	gate.Measured
	Decided []decided.Cell // what was decided in its cells
}

// Measure simulates the gate's ladder and computes its figures. Cells that could not be
// measured are void ones, not an error.
func Measure(ctx context.Context, cfg Config) (Run, error) {
	machine, err := sim.New(sim.Config{Calibration: cfg.Calibration, ID: cfg.ID, Setting: cfg.Calibration.Chosen.Setting})
	if err != nil {
		return Run{}, err
	}
	var c collector
	sweep := ladder.Sweep{
		Machine: machine, Dir: cfg.Dir, Progress: &c, Take: c.take, Now: func() time.Time { return time.Time{} },
		TraceSteps: true, Workers: runtime.GOMAXPROCS(0),
		Provenance: results.Manifest{Command: []string{cfg.Command}, Build: results.BuildInfo(), EngineSource: cfg.Source},
	}
	if err := sweep.Start(ctx, cfg.Sweep()); err != nil && !errors.Is(err, ladder.ErrCells) {
		return Run{}, err
	}
	var run Run
	if run.Measured, run.Decided, err = c.cells.Measured(c.run.Plan); err != nil {
		return Run{}, err
	}
	run.Provenance = cfg.provenance(run.Provenance.Rungs, c.run.Tapes)
	run.Void = append(run.Void, c.failed...)
	allocs, err := allocations(ctx, machine, cfg.Sweep())
	run.Figures = append(run.Figures, allocs...)
	return run, err
}

// collector keeps of a sweep what the gate needs, in memory.
type collector struct {
	ladder.Unseen
	run    *results.Manifest
	cells  figures.Cells
	failed []gate.Void
}

// Plan implements ladder.Progress.
func (c *collector) Plan(run *results.Manifest, _ int, _ ladder.Config) { c.run = run }

// Failed implements ladder.Progress.
func (c *collector) Failed(order int, err error) {
	c.failed = append(c.failed, gate.Void{Cell: c.run.Plan[order].Name(), Why: err.Error()})
}

func (c *collector) take(r *cell.Result) error { return c.cells.Add(r.Cell, r.Records, r.Steps) }

// allocations are those of each rung per step. Nothing else runs meanwhile.
func allocations(ctx context.Context, m cell.Machine, cfg ladder.Config) ([]gate.Figure, error) {
	rungs, err := cfg.Embedded()
	if err != nil {
		return nil, err
	}
	var all []gate.Figure
	for _, r := range rungs {
		n, err := cell.AllocsPerStep(ctx, m, r)
		if err != nil {
			return nil, fmt.Errorf("allocations of rung %s: %w", r.Name, err)
		}
		all = append(all, gate.Figure{Rung: r.Name, Metric: gate.Allocs, Value: float64(n)})
	}
	return all, nil
}

// Sweep is what the gate's load is for the ladder.
func (c *Config) Sweep() ladder.Config {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	cfg := ladder.Config{
		Ladder: c.Ladder, Rungs: c.Rungs, Rates: c.Load.Rates, Seeds: c.Load.Seeds, Workload: c.Load.Workload, Stop: cell.StopScripted,
		Duration: seconds(c.Load.DurationS), Warmup: seconds(c.Load.WarmupS), Timeout: seconds(c.Load.TimeoutS), SLO: seconds(c.Load.SLOS),
	}
	cfg.ShareWait = spec.DefaultShareWait
	return cfg
}

func (c *Config) provenance(rungs []string, tapes []results.Tape) gate.Provenance {
	p := gate.Provenance{
		Command: c.Command, Calibration: c.ID, Ladder: c.Ladder.Name, LadderFile: c.Ladder.SHA256(),
		Rungs: rungs, Load: c.Load, EngineSource: c.Source,
	}
	for _, t := range tapes {
		p.Tapes = append(p.Tapes, gate.Tape{RateRPS: t.OfferedRPS, Seed: t.Seed, Requests: t.Requests, SHA256: t.SHA256})
	}
	return p
}

// DefaultLoad is what the gate's own ladder is offered: rates below, at and beyond the knee
// of the calibrated machine. A client waits for ten minutes, which nobody does, so that
// no latency is cut.
func DefaultLoad() gate.Load {
	return gate.Load{Workload: "shared-prompt", Rates: []float64{1, 2.5, 4}, Seeds: []uint64{1, 2}, DurationS: 120, WarmupS: 10, TimeoutS: 600, SLOS: 2}
}

// defaultLadder is the name of the ladder that the gate runs unless another is named.
const defaultLadder = "gate"
