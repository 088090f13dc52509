// Package session measures a ladder, or single knobs of a rung, into a folder: it opens the
// machine that the configuration asks for, settles by measurements what is left open,
// starts or resumes the sweep, and writes the summary of what was measured.
package session

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/results"
)

// Options are what is measured, and how.
type Options struct {
	Dir    string // the run's folder
	Config ladder.Config
	Knobs  *Knobs // instead of the ladder; nil: the ladder

	// Machine is opened where the configuration needs an engine: a model on llama.cpp or,
	// with Twin, its simulation.
	Machine     machine.Config
	Twin        bool
	Calibration string // the twin's file; "": the default one
	Model       string // a GGUF file; "": the synthetic model
	Places      machine.Places

	// Resume is the run to go on with; nil starts one. Config and Machine are then the
	// run's own.
	Resume     *results.Run
	AllowMixed bool

	// Artifact is the file that admission policies start from; "": they learn on-line.
	Artifact           string
	AllowOtherArtifact bool

	TraceSteps, TraceDecisions bool
	TargetKey                  string
	Command                    []string
	Now                        func() time.Time
	Progress                   ladder.Progress
}

// Measure measures what o says into its folder, which must be vacant, and writes the summary. Cells that are
// invalid are an error too, after everything has been written.
func (o *Options) Measure(ctx context.Context) error {
	here := o.announce()
	defer here.Release()
	sweep, err := o.sweep(ctx)
	if err != nil {
		return err
	}
	sweep.System = system(here)
	if o.Resume != nil {
		err = sweep.Resume(ctx)
	} else {
		err = sweep.Start(ctx, o.Config)
	}
	whole := err == nil
	if !whole && !errors.Is(err, context.Canceled) && fault.Of(err) != fault.Cells {
		return err
	}
	summary := summarise(o.Dir)
	if !whole {
		return err // with a summary of what there is, if there is anything
	}
	return summary
}

// sweep opens the machine and settles what depends on it.
func (o *Options) sweep(ctx context.Context) (*ladder.Sweep, error) {
	if err := o.recall(); err != nil {
		return nil, err
	}
	m, choices, err := o.open()
	if err != nil {
		return nil, err
	}
	source, err := machine.EngineSource()
	if err != nil {
		return nil, err
	}
	sources, err := o.sources(m)
	if err != nil {
		return nil, err
	}
	var expected results.Opt[results.Probe]
	if llama, ok := m.(*machine.Llama); ok {
		expected = llama.ExpectedProbe(ctx, o.Places)
	}
	var retain ladder.RetainRule
	var start artifact.Start
	if o.Resume != nil {
		if start, err = artifact.Resumed(o.Dir, o.Resume.Manifest.Choices); err != nil {
			return nil, err
		}
	} else {
		if o.Knobs != nil {
			if err := o.Knobs.Apply(&o.Config, m, o.Progress.Note); err != nil {
				return nil, fault.Input.Wrap(err)
			}
		}
		if retain, err = o.retain(m); err != nil {
			return nil, err
		}
		if o.Artifact != "" {
			if start, err = artifact.Open(o.Artifact, o.AllowOtherArtifact, artifact.FactsOf(m, source, o.Config.Workload, o.Config.SLO), o.Progress.Note); err != nil {
				return nil, err
			}
			choices = append(choices, start.Choice)
			if err := start.Keep(o.Dir); err != nil {
				return nil, err
			}
		}
	}
	return &ladder.Sweep{
		Machine: m, Dir: o.Dir, Progress: o.Progress, Now: o.Now, Workers: runtime.GOMAXPROCS(0),
		TraceSteps: o.TraceSteps, TraceDecisions: o.TraceDecisions, Fitted: start.Fitted, Retain: retain,
		AllowMixed: o.AllowMixed, TargetKey: o.TargetKey, CPU: results.CPUTime,
		Provenance: results.Manifest{
			Command: o.Command, Build: results.BuildInfo(), EngineSource: source, Host: results.ReadHost(), Sources: sources,
			ExpectedProbe: expected, Choices: choices,
		},
	}, nil
}

// open opens the machine; nil where none is needed.
func (o *Options) open() (cell.Machine, []results.Choice, error) {
	switch {
	case !o.Config.NeedsEngine():
		return nil, nil, nil
	case o.Twin:
		if o.Calibration == "" && o.Resume == nil {
			o.Calibration = machine.CachedCalibration(o.Places)
		}
		return machine.OpenTwin(o.Places, o.Calibration, o.Model, o.Machine, o.Progress.Note)
	}
	return machine.Choose(o.Places, o.Model, o.Machine, o.Progress.Note)
}

// retain measures how idle cached cells are to be bounded, where that is left open.
func (o *Options) retain(m cell.Machine) (ladder.RetainRule, error) {
	llama, ok := m.(*machine.Llama)
	if !ok || o.Config.KVRetain != 0 {
		return nil, nil
	}
	rungs, err := o.Config.Embedded()
	if err != nil {
		return nil, fault.Input.Wrap(err)
	}
	return llama.RetainRule(rungs, o.Progress.Note)
}

// summarise writes summary.json of what a run has. Invalid cells are an error.
func summarise(dir string) error {
	run, err := analysis.Load(dir, analysis.Options{})
	if err != nil {
		return err
	}
	if err := results.WriteSummary(run.SummaryPath(), cautions.Summaries(run.Sweep)); err != nil {
		return fault.Write.Wrap(err)
	}
	invalid := 0
	cells := run.All()
	for i := range cells {
		if !cells[i].Valid() {
			invalid++
		}
	}
	if invalid > 0 {
		return fault.Invalid.Errorf("%d of %d cells are invalid: the report says why", invalid, len(cells))
	}
	return nil
}
