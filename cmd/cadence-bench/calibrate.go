package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/calibrate"
	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/costs"
	"github.com/cadence-bench/cadence-bench/ladder/live"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// What calibrate writes. calibrationFile is in the cache unless --out says otherwise.
const (
	calibrationFile = "calibration.json"
	calibrationRows = "calibration.parquet"
)

type calibrateFlags struct {
	model, out string
	quick      bool
}

func newCalibrate(where func() places) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure this machine, and fit the twin to it",
		Long: `Measure the engine on this machine: speeds by number of threads, KV layout and flash
attention, then what a step costs by its rows, passes, attention and copies, and what
each rung of the ladder serves. From that it chooses defaults, rates that bracket the
knee of every rung and an SLO with half as much again as 99% of the requests take on
the idle engine, and fits the cost model with which --engine twin simulates this machine.

It takes about four minutes with the default model on two cores; nothing else should
run. The folder gets ` + calibrationFile + ` and, with every step that was measured,
` + calibrationRows + `.`,
		Example: `  cadence-bench calibrate
  cadence-bench calibrate --quick --out runs/calibration
  cadence-bench calibrate --model my-model.gguf --out runs/mine`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, where()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "GGUF file (default a synthetic model, made when it is not there)")
	flags.StringVar(&f.out, "out", "", "folder to write to (default the cache)")
	flags.BoolVar(&f.quick, "quick", false, "measure less, and only the setting that is chosen (about a minute and a half)")
	return cmd
}

func (f *calibrateFlags) run(cmd *cobra.Command, where places) error {
	started := time.Now()
	if f.out == "" {
		f.out = where.Cache
	}
	if err := writable(f.out); err != nil {
		return coded(exitWrite, err)
	}
	source, err := machine.EngineSource()
	if err != nil {
		return err
	}
	m, err := machine.OpenLlama(where, f.model)
	if err != nil {
		return err
	}
	c := calibrator{machine: m, ctx: cmd.Context(), note: live.NewProgress(cmd.ErrOrStderr()).Note, effort: fullEffort, other: otherEffort}
	if f.quick {
		c.effort, c.other = quickEffort, effort{}
	}
	c.out = results.Calibration{
		MadeAt: started, Command: commandLine(cmd), Build: results.BuildInfo(), EngineSource: source, Host: results.ReadHost(),
	}
	c.out.Library, c.out.Model = m.Describe()
	if c.out.Tokens, err = tokensOf(m.Model()); err != nil {
		return err
	}
	if err := c.measure(); err != nil {
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("interrupted; nothing was written%w", hidden{err})
		}
		return err
	}
	if err := c.write(f.out); err != nil {
		return coded(exitWrite, err)
	}
	if err := costs.Text(cmd.OutOrStdout(), &c.out); err != nil {
		return coded(exitWrite, err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n%s\n", filepath.Join(f.out, calibrationFile), filepath.Join(f.out, calibrationRows))
	return nil
}

// writable says, before minutes are spent on measuring, whether files can be made in
// dir, which it makes.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// write writes the rows first: a calibration never lacks them.
func (c *calibrator) write(dir string) error {
	if err := results.WriteCalibrationRows(filepath.Join(dir, calibrationRows), c.rows); err != nil {
		return err
	}
	return results.WriteCalibration(filepath.Join(dir, calibrationFile), c.out)
}

// tokensOf is what a simulation must know of the model's vocabulary.
func tokensOf(m *llamacpp.Model) (results.Tokens, error) {
	info := m.Info()
	t := results.Tokens{Vocab: info.Vocab, Context: info.CtxTrain}
	t.Text[0], t.Text[1] = m.TextRange()
	for tok := range info.Vocab {
		if m.EOG(engine.Token(tok)) {
			t.EOG = append(t.EOG, int32(tok))
		}
	}
	file, err := gguf.Inspect(info.Path)
	if err != nil {
		return t, coded(exitEngine, err)
	}
	if file.Synthetic != nil {
		t.Shape = file.Synthetic.Shape
	}
	return t, nil
}

// effort is how much is measured.
type effort struct {
	rounds, levels int           // of the script
	survey         time.Duration // for each rung
}

// With the default model on two cores a level takes about two seconds in each round, and
// a survey of all rungs five times its limit. A full queue needs ten seconds until
// answers are more than a tail of the prompts.
var (
	fullEffort  = effort{rounds: 5, levels: 5, survey: 10 * time.Second}
	otherEffort = effort{rounds: 3, levels: 4, survey: 6 * time.Second} // of the settings that were not chosen
	quickEffort = effort{rounds: 2, levels: 3, survey: 6 * time.Second}
)

// calibrator is a calibration under way.
type calibrator struct {
	machine *machine.Llama
	ctx     context.Context
	note    func(string)
	effort  effort
	other   effort // for the settings that are not chosen; none without rounds
	trial   ladder.Trial
	rows    []results.CalibrationRow
	out     results.Calibration
}

func (c *calibrator) measure() error {
	settings, err := c.choose()
	if err != nil {
		return err
	}
	c.out.Chosen.Setting = settings[0]
	rungs, err := ladder.Select(nil)
	if err != nil {
		return err
	}
	if c.trial, err = ladder.NewTrial(c.machine, rungs); err != nil {
		return err
	}
	for i, s := range settings {
		if err := c.setting(s, rungs, i == 0); err != nil {
			return fmt.Errorf("%v: %w", s, err)
		}
	}
	return nil
}

// setting measures and fits one setting, and takes rates and SLO from the chosen one.
func (c *calibrator) setting(s results.Setting, rungs []spec.Rung, chosen bool) error {
	if err := c.machine.Set(s); err != nil {
		return err
	}
	effort := c.effort
	if !chosen {
		effort, rungs = c.other, []spec.Rung{rungs[0], rungs[len(rungs)-1]}
	}
	if err := c.bound(rungs); err != nil {
		return err
	}
	b, err := c.machine.Open(c.trial.Shape)
	if err != nil {
		return err
	}
	defer b.Close()
	rec := &calibrate.Recorder{Backend: b, Meter: twin.NewMeter(b.Limits(), c.machine.Unified())}
	if err := c.script(rec, s, effort); err != nil {
		return err
	}
	survey := ladder.Survey{
		Machine: c.machine, Rungs: rungs, Limit: effort.survey, Step: rec.OnStep,
		Begin: func(what string) {
			c.note(fmt.Sprintf("%v: serving with %s", s, what))
			rec.Label = calibrate.Label{Kind: calibrate.Scheduled, Point: what}
		},
	}
	got, err := survey.Run(c.ctx, rec, c.trial)
	if err != nil {
		return err
	}
	if chosen {
		c.out.Chosen.Rates, c.out.Chosen.SLOS = got.Rates, got.SLO.Seconds()
		c.speeds(got, rec.Rows)
	}
	cost, err := fitSetting(s, rec.Rows)
	if err != nil {
		return err
	}
	c.out.Costs = append(c.out.Costs, cost)
	for i := range rec.Rows {
		c.rows = append(c.rows, rawRow(s, &rec.Rows[i]))
	}
	return nil
}

// bound bounds the idle cached cells, as a ladder does.
func (c *calibrator) bound(rungs []spec.Rung) error {
	rule, err := c.machine.RetainRule(rungs, c.note)
	if err != nil || rule == nil {
		return err
	}
	return ladder.Bound(rungs, rule(c.trial.LongestPrompt))
}

func (c *calibrator) script(rec *calibrate.Recorder, s results.Setting, e effort) error {
	script, err := calibrate.Script(rec.Limits(), calibrate.Plan{
		Unified: c.machine.Unified(), Context: c.trial.Shape.SeqCells, Rounds: e.rounds, Levels: e.levels, Seed: 1,
	})
	if err != nil {
		return err
	}
	c.note(fmt.Sprintf("%v: measuring %d steps of all kinds", s, len(script)))
	return calibrate.Run(c.ctx, rec, script)
}
