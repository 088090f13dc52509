// Package validation simulates a measured run and compares the two: it offers the run's
// tapes to the twin, and replays every traced cell with the times that were recorded, in
// which each decision must be as it was.
package validation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/replay"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/report/agreement"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Options say how a run is simulated.
type Options struct {
	Places      machine.Places
	Calibration string // file; "": the cache's, if it has one, else that of this build
	Noise       bool   // let the twin's steps vary as the calibrated ones did
	// RescaleBy is the folder of another measured run, by whose replayed steps all costs are
	// scaled: fitted on the run itself, the factor would flatter it. "" scales nothing.
	RescaleBy string
	Out       string // folder of the simulated run

	Progress ladder.Progress
	Note     func(string)
	Now      func() time.Time
}

// Run simulates the run in a folder into another, keeps the comparison beside it and
// returns its tables. A cell that would be decided otherwise now ends it with an error.
func Run(ctx context.Context, dir string, o Options) ([]table.Table, error) {
	v, m, choices, err := open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if err := v.replay(m); err != nil {
		return nil, err
	}
	if o.RescaleBy != "" {
		if m, err = v.rescaled(m, &choices); err != nil {
			return nil, err
		}
		if err := v.replay(m); err != nil {
			return nil, err
		}
	}
	if err := v.simulate(m, choices); err != nil {
		return nil, err
	}
	return v.compare()
}

// open reads the measured run and opens the twin.
func open(ctx context.Context, dir string, o Options) (*validation, *sim.Machine, []results.Choice, error) {
	measured, err := analysis.Load(dir, analysis.Options{})
	if err != nil {
		return nil, nil, nil, fault.Input.Wrap(err)
	}
	if err := measured.Whole(); err != nil {
		return nil, nil, nil, err
	}
	if b := measured.Manifest.Backend; b != machine.LlamaBackend {
		return nil, nil, nil, fault.Input.Errorf("%s was measured on %s: only a run of the embedded engine can be compared with its simulation", dir, b)
	}
	if err := results.Vacant(o.Out); err != nil {
		return nil, nil, nil, fault.Input.Wrap(err)
	}
	cfg, err := ladder.ConfigOf(measured.Manifest.Params)
	if err != nil {
		return nil, nil, nil, fault.Input.Errorf("%s: %w", measured.ManifestPath(), err)
	}
	if cfg.Study != nil {
		return nil, nil, nil, fault.Input.Errorf("%s is a run of knobs, whose engine differs from cell to cell: simulate the same with knobs --engine twin", dir)
	}
	start, err := artifact.Resumed(dir, measured.Manifest.Choices)
	if err != nil {
		return nil, nil, nil, err
	}
	cfg.Fitted = start.Fitted
	cfg.Externals = ladder.Externals{} // servers cannot be simulated
	want, err := machine.ConfigOf(measured.Manifest.Params)
	if err != nil {
		return nil, nil, nil, err
	}
	want.Calibration, want.Noise = "", o.Noise
	m, choices, err := machine.OpenTwin(o.Places, o.Calibration, "", want, o.Note)
	if err != nil {
		return nil, nil, nil, err
	}
	return &validation{Options: o, ctx: ctx, cfg: cfg, measured: measured}, m, choices, nil
}

// validation is a comparison under way.
type validation struct {
	Options
	ctx      context.Context
	cfg      ladder.Config
	measured *analysis.Run
	replays  agreement.Replays
}

// replay serves every traced cell again.
func (v *validation) replay(m cell.Machine) error {
	v.replays = nil
	for _, e := range v.measured.Entries {
		path := v.measured.StepsPath(e.Order, e.Key)
		if _, err := os.Stat(path); e.State != results.CellFinished || errors.Is(err, os.ErrNotExist) {
			continue
		}
		was, records, err := v.measured.ReadCell(e)
		if err != nil {
			return fault.Input.Wrap(err)
		}
		_, steps, err := results.ReadSteps(path)
		if err != nil {
			return fault.Input.Wrap(err)
		}
		setup, err := v.cfg.Setup(m, was.Key)
		if err != nil {
			return fault.Input.Wrap(err)
		}
		got, err := replay.Cell(setup, was, records, steps)
		if err != nil {
			return fault.Input.Errorf("replay %s: %w", e.Name(), err)
		}
		if got.Mismatch != nil {
			return fmt.Errorf("%s is not decided as it was: %v; the scheduler has changed since, or there is a bug", e.Name(), got.Mismatch)
		}
		v.replays = append(v.replays, replayOf(e.Key, got))
	}
	return v.ctx.Err()
}

func replayOf(key results.Key, r replay.Result) agreement.Replay {
	out := agreement.Replay{Key: key, Steps: r.Steps, MeasuredS: r.Measured.Seconds(), ModelledS: r.Modelled.Seconds()}
	var off []float64
	for _, ratio := range r.Ratios {
		off = append(off, math.Abs(ratio-1))
	}
	if len(off) > 0 {
		slices.Sort(off)
		out.MedianError, out.P90Error = off[len(off)/2], off[len(off)*9/10]
	}
	return out
}

// rescaled is the machine with costs by which the replayed steps of another run take as long
// as measured.
func (v *validation) rescaled(m *sim.Machine, choices *[]results.Choice) (*sim.Machine, error) {
	o := v.Options
	o.Out = filepath.Join(v.Out, "none") // which is only looked at
	by, _, _, err := open(v.ctx, v.RescaleBy, o)
	if err != nil {
		return nil, err
	}
	if by.measured.Manifest.StartedAt.Equal(v.measured.Manifest.StartedAt) {
		return nil, fault.Input.Errorf("--rescale-by %s: this is the run that is judged; name another", v.RescaleBy)
	}
	if err := by.replay(m); err != nil {
		return nil, err
	}
	measured, modelled := by.replays.Total()
	if modelled == 0 {
		return nil, fault.Input.Errorf("--rescale-by %s: the run has no step traces; measure it with ladder --trace-steps", v.RescaleBy)
	}
	scale := measured / modelled
	*choices = append(*choices, results.Choice{Name: "twin_scale", Value: strconv.FormatFloat(scale, 'f', 3, 64),
		Why: fmt.Sprintf("the steps of %s took %.1f s, and the calibration gives the same batches %.1f s", filepath.Base(v.RescaleBy), measured, modelled)})
	return m.Rescaled(scale)
}

// simulate offers the measured run's tapes to the twin.
func (v *validation) simulate(m cell.Machine, choices []results.Choice) error {
	source, err := machine.EngineSource()
	if err != nil {
		return err
	}
	sweep := ladder.Sweep{
		Machine: m, Dir: v.Out, Progress: v.Progress, Now: v.Now, Workers: runtime.GOMAXPROCS(0), Fitted: v.cfg.Fitted,
		Provenance: results.Manifest{
			Command: []string{"twin", "validate", filepath.Base(v.measured.Dir)}, Build: results.BuildInfo(), EngineSource: source, Host: results.ReadHost(), Choices: choices,
		},
	}
	return sweep.Start(v.ctx, v.cfg)
}

// compare makes the tables of the comparison and keeps them beside the simulated run.
func (v *validation) compare() ([]table.Table, error) {
	simulated, err := analysis.Load(v.Out, analysis.Options{})
	if err != nil {
		return nil, err
	}
	if err := results.WriteJSON(filepath.Join(v.Out, "replays.json"), v.replays); err != nil {
		return nil, fault.Write.Wrap(err)
	}
	tables := agreement.Tables(v.measured, simulated, v.replays)
	for _, t := range tables {
		if err := os.WriteFile(filepath.Join(v.Out, t.Name+".md"), []byte(t.Markdown()), 0o644); err != nil {
			return nil, fault.Write.Wrap(err)
		}
	}
	return tables, nil
}
