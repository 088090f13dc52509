package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/analysis/figures"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// gateConfig is one run of the gate's ladder. It may be run many times, and changed in
// between; runs share nothing.
type gateConfig struct {
	// ladder has the rungs. Its Text is what the provenance has the hash of, so that a
	// ladder whose rungs were changed after it was read passes for the one of its file.
	ladder *spec.Ladder
	// rungs are the names of those to run; nil is all that are not optional.
	rungs       []string
	load        gate.Load
	calibration results.Calibration
	id          string // the calibration's SHA-256
	source      string // hash of the engine's
	command     string
	dir         string // of the run folder, which must be empty or not there
}

// gateRun is what became of it.
type gateRun struct {
	gate.Measured
	decided []decided.Cell // what was decided in its cells
}

// runGate simulates the gate's ladder into a run folder and reads its figures. Cells that
// could not be measured are void ones, not an error.
func runGate(ctx context.Context, cfg gateConfig) (gateRun, error) {
	machine, err := sim.New(sim.Config{Calibration: cfg.calibration, ID: cfg.id, Setting: cfg.calibration.Chosen.Setting})
	if err != nil {
		return gateRun{}, err
	}
	sweep := ladder.Sweep{
		Machine: machine, Dir: cfg.dir, Progress: unseen{}, Now: func() time.Time { return time.Time{} },
		TraceSteps: true, Workers: runtime.GOMAXPROCS(0),
		Provenance: results.Manifest{Command: []string{cfg.command}, Build: results.BuildInfo(), EngineSource: cfg.source},
	}
	if err := sweep.Start(ctx, cfg.sweep()); err != nil && !errors.Is(err, ladder.ErrCells) {
		return gateRun{}, err
	}
	run, err := analysis.Load(cfg.dir, analysis.Options{})
	if err != nil {
		return gateRun{}, err
	}
	read, err := figures.Of(run)
	if err != nil {
		return gateRun{}, err
	}
	allocs, err := allocations(ctx, machine, cfg.sweep())
	if err != nil {
		return gateRun{}, err
	}
	return gateRun{gate.Measured{
		Provenance: cfg.provenance(run), Figures: append(read.Figures, allocs...), Void: read.Void,
		Decisions: gate.DecisionsOf(read.Decisions),
	}, read.Decisions}, nil
}

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

// sweep is what the gate's load is for the ladder.
func (c *gateConfig) sweep() ladder.Config {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	cfg := ladder.Config{
		Ladder: c.ladder, Rungs: c.rungs, Rates: c.load.Rates, Seeds: c.load.Seeds, Workload: c.load.Workload, Stop: cell.StopScripted,
		Duration: seconds(c.load.DurationS), Warmup: seconds(c.load.WarmupS), Timeout: seconds(c.load.TimeoutS), SLO: seconds(c.load.SLOS),
	}
	cfg.ShareWait = spec.DefaultShareWait
	return cfg
}

func (c *gateConfig) provenance(run *analysis.Run) gate.Provenance {
	p := gate.Provenance{
		Command: c.command, Calibration: c.id, Ladder: c.ladder.Name, LadderFile: c.ladder.SHA256(),
		Rungs: run.Rungs, Load: c.load, EngineSource: c.source,
	}
	for _, t := range run.Manifest.Tapes {
		p.Tapes = append(p.Tapes, gate.Tape{RateRPS: t.OfferedRPS, Seed: t.Seed, Requests: t.Requests, SHA256: t.SHA256})
	}
	return p
}

// unseen shows nothing: what the gate prints must be the same every time.
type unseen struct{}

func (unseen) Note(string)                             {}
func (unseen) Plan([]results.Key, int, ladder.Config)  {}
func (unseen) Begin(int)                               {}
func (unseen) Tick(int, cell.Status)                   {}
func (unseen) End(int, results.Cell, []results.Record) {}
func (unseen) Failed(int, error)                       {}

// gateLoad is what the gate's own ladder is offered: rates below, at and beyond the knee
// of the calibrated machine. A client waits for ten minutes, which nobody does, so that
// no latency is cut.
func gateLoad() gate.Load {
	return gate.Load{Workload: "shared-prompt", Rates: []float64{1, 2.5, 4}, Seeds: []uint64{1, 2}, DurationS: 120, WarmupS: 10, TimeoutS: 600, SLOS: 2}
}

// gateLadder is the name of the ladder that the gate runs unless another is named.
const gateLadder = "gate"
