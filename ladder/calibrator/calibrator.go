// Package calibrator measures an engine on a machine: its speeds by number of threads, KV
// layout and flash attention, what a step costs, and what each rung serves. From that it
// chooses the defaults, and fits the cost model with which the twin simulates the machine.
package calibrator

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/calibrate"
	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// The files of a calibration.
const (
	File     = "calibration.json"
	RowsFile = "calibration.parquet"
)

// Config says what is calibrated.
type Config struct {
	Machine *machine.Llama
	Quick   bool                // measures less, and only the setting that is chosen
	Facts   results.Calibration // what the program knows of itself and the host
	Note    func(string)        // is told what happens
}

// Result is a calibration, with every step that was measured.
type Result struct {
	Calibration results.Calibration
	Rows        []results.CalibrationRow
}

// Run calibrates a machine.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	c := calibrator{machine: cfg.Machine, ctx: ctx, note: cfg.Note, effort: fullEffort, other: otherEffort, out: cfg.Facts}
	if cfg.Quick {
		c.effort, c.other = quickEffort, effort{}
	}
	return c.run()
}

// run describes, measures and fits.
func (c *calibrator) run() (*Result, error) {
	c.out.Library, c.out.Model = c.machine.Describe()
	var err error
	if c.out.Tokens, err = tokensOf(c.machine.Model()); err != nil {
		return nil, err
	}
	if err := c.measure(); err != nil {
		return nil, err
	}
	return &Result{c.out, c.rows}, nil
}

// Write writes the rows first: a calibration never lacks them.
func (r *Result) Write(dir string) error {
	if err := results.WriteCalibrationRows(filepath.Join(dir, RowsFile), r.Rows); err != nil {
		return err
	}
	return results.WriteCalibration(filepath.Join(dir, File), r.Calibration)
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
		return t, fault.Engine.Wrap(err)
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
