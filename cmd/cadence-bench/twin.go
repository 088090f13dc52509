package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/live"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/replay"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/results"
)

// twinExamples are the documented command lines of the group.
const twinExamples = `  cadence-bench twin validate results/runs/ladder
  cadence-bench twin validate runs/mine --rescale --out runs/mine-twin`

func newTwin(where func() places) *cobra.Command {
	cmd := group("twin", "Compare the engine's simulation with the engine", newTwinValidate(where))
	cmd.Example = twinExamples
	return cmd
}

// twinValidateFlags are the flags of `twin validate`.
type twinValidateFlags struct {
	twin    twinFlags
	out     string
	rescale bool
}

func newTwinValidate(where func() places) *cobra.Command {
	f := twinValidateFlags{twin: twinFlags{engine: engineTwin}}
	cmd := &cobra.Command{
		Use:   "validate RUN",
		Short: "Simulate a measured run and say how far off the simulation is",
		Long: `Offer the tapes of a measured run to the twin, and compare, cell by cell, the time of a
step, TTFT, E2E, goodput and hit rate, and whether rungs that the measurement tells
apart keep their order.

Cells with a step trace (ladder --trace-steps) are replayed besides: with the recorded
times of every request and every step the scheduler must decide each step exactly as
it did, and so must its admission policy on every request; the first difference is an
error. The same replay says how long the cost
model takes for the very batches that were measured, which no queue distorts.

--rescale multiplies all costs by one number, so that these steps take as long in all
as they did: it takes out by how much the machine's speed changed since it was
calibrated.`,
		Example: twinExamples,
		Args:    func(cmd *cobra.Command, args []string) error { return coded(exitInput, cobra.ExactArgs(1)(cmd, args)) },
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), where(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.twin.calibration, "calibration", "", "what the twin simulates (default calibration.json in the cache if calibrate made one, else that of this build)")
	flags.BoolVar(&f.twin.noise, "twin-noise", false, "let the twin's steps vary as the calibrated ones did")
	flags.BoolVar(&f.rescale, "rescale", false, "scale the costs to the machine's speed during the run, as its step traces have it")
	flags.StringVar(&f.out, "out", "", "folder of the simulated run (default RUN-twin)")
	return cmd
}

func (f *twinValidateFlags) run(ctx context.Context, where places, dir string, out, log io.Writer) error {
	measured, err := analysis.Load(dir, analysis.Options{})
	if err != nil {
		return coded(exitInput, err)
	}
	if b := measured.Manifest.Backend; b != engineLlama {
		return coded(exitInput, fmt.Errorf("%s was measured on %s: only a run of the embedded engine can be compared with its simulation", dir, b))
	}
	if f.out == "" {
		f.out = filepath.Clean(dir) + "-twin"
	}
	if err := results.Vacant(f.out); err != nil {
		return coded(exitInput, err)
	}
	cfg, err := ladder.ConfigOf(measured.Manifest.Params)
	if err != nil {
		return coded(exitInput, fmt.Errorf("%s: %w", measured.ManifestPath(), err))
	}
	if cfg.Study != nil {
		return coded(exitInput, fmt.Errorf("%s is a run of knobs, whose engine differs from cell to cell: simulate the same with knobs --engine twin", dir))
	}
	start, err := artifact.Resumed(dir, measured.Manifest.Choices)
	if err != nil {
		return err
	}
	cfg.Fitted = start.Fitted
	cfg.Externals = ladder.Externals{} // servers cannot be simulated
	v := twinValidation{ctx: ctx, cfg: cfg, measured: measured, show: live.NewProgress(log)}
	v.show.Simulated()
	params := measured.Manifest.Params
	params["calibration"], params["twin_noise"] = "", strconv.FormatBool(f.twin.noise)
	m, choices, err := machine.OpenTwin(where, f.twin.calibration, "", params, v.show.Note)
	if err != nil {
		return err
	}
	if err := v.replay(m); err != nil {
		return err
	}
	if f.rescale {
		if m, err = v.rescaled(m, &choices); err != nil {
			return err
		}
		if err := v.replay(m); err != nil {
			return err
		}
	}
	err = v.simulate(m, choices, f.out)
	v.show.Close()
	if err != nil {
		return err
	}
	return v.report(f.out, out)
}

// twinValidation is a comparison under way.
type twinValidation struct {
	ctx      context.Context
	cfg      ladder.Config
	measured *analysis.Run
	show     *live.Progress

	replays report.Replays
}

// replay serves every traced cell again.
func (v *twinValidation) replay(m cell.Machine) error {
	v.replays = nil
	for _, e := range v.measured.Entries {
		path := v.measured.StepsPath(e.Order, e.Key)
		if _, err := os.Stat(path); e.State != results.CellFinished || errors.Is(err, os.ErrNotExist) {
			continue
		}
		was, records, err := v.measured.ReadCell(e)
		if err != nil {
			return coded(exitInput, err)
		}
		_, steps, err := results.ReadSteps(path)
		if err != nil {
			return coded(exitInput, err)
		}
		setup, err := v.cfg.Setup(m, was.Key)
		if err != nil {
			return coded(exitInput, err)
		}
		got, err := replay.Cell(setup, was, records, steps)
		if err != nil {
			return coded(exitInput, fmt.Errorf("replay %s: %w", e.Name(), err))
		}
		if got.Mismatch != nil {
			return fmt.Errorf("%s is not decided as it was: %v; the scheduler has changed since, or there is a bug", e.Name(), got.Mismatch)
		}
		v.replays = append(v.replays, replayOf(e.Key, got))
	}
	return v.ctx.Err()
}

func replayOf(key results.Key, r replay.Result) report.Replay {
	out := report.Replay{Key: key, Steps: r.Steps, MeasuredS: r.Measured.Seconds(), ModelledS: r.Modelled.Seconds()}
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

// rescaled is the machine with costs by which the replayed steps take as long as measured.
func (v *twinValidation) rescaled(m *sim.Machine, choices *[]results.Choice) (*sim.Machine, error) {
	measured, modelled := v.replays.Total()
	if modelled == 0 {
		return nil, coded(exitInput, errors.New("--rescale: the run has no step traces; measure it with ladder --trace-steps"))
	}
	scale := measured / modelled
	*choices = append(*choices, results.Choice{Name: "twin_scale", Value: strconv.FormatFloat(scale, 'f', 3, 64),
		Why: fmt.Sprintf("the run's steps took %.1f s, and the calibration gives the same batches %.1f s", measured, modelled)})
	return m.Rescaled(scale)
}

// simulate offers the measured run's tapes to the twin.
func (v *twinValidation) simulate(m cell.Machine, choices []results.Choice, dir string) error {
	source, err := machine.EngineSource()
	if err != nil {
		return err
	}
	sweep := ladder.Sweep{
		Machine: m, Dir: dir, Progress: v.show, Now: time.Now, Workers: runtime.GOMAXPROCS(0), Fitted: v.cfg.Fitted,
		Provenance: results.Manifest{
			Command: []string{"twin", "validate", filepath.Base(v.measured.Dir)}, Build: results.BuildInfo(), EngineSource: source, Host: results.ReadHost(), Choices: choices,
		},
	}
	if err := sweep.Start(v.ctx, v.cfg); err != nil {
		return (&ladderFlags{out: dir}).finish(io.Discard, err)
	}
	return nil
}

// report prints the comparison and keeps it beside the simulated run.
func (v *twinValidation) report(dir string, out io.Writer) error {
	simulated, err := analysis.Load(dir, analysis.Options{})
	if err != nil {
		return err
	}
	if err := results.WriteJSON(filepath.Join(dir, "replays.json"), v.replays); err != nil {
		return coded(exitWrite, err)
	}
	for _, t := range report.FidelityTables(v.measured, simulated, v.replays) {
		if err := os.WriteFile(filepath.Join(dir, t.Name+".md"), []byte(t.Markdown()), 0o644); err != nil {
			return coded(exitWrite, err)
		}
		if err := t.Text(out); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	return nil
}
