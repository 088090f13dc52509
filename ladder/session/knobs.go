package session

import (
	"fmt"
	"runtime"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/knob"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Knobs is a study of single knobs of a rung.
type Knobs struct {
	Base   string   // the rung
	Knobs  []string // their names; nil: all
	Values []string // of the one knob; nil: those that it has
}

// Apply makes a ladder's configuration one of knobs. Which values are a rung's own, and
// are left out, depends on the machine, which may be nil before it is open. What it
// cannot be had with is an error, unless nobody asked for it: then it is left out.
func (k *Knobs) Apply(cfg *ladder.Config, m cell.Machine, note func(string)) error {
	bare := *cfg
	bare.Study, bare.Rungs, bare.Repeats = nil, []string{k.Base}, ladder.Repeats{}
	rungs, err := bare.Embedded()
	if err != nil {
		return fmt.Errorf("--base: %w", err)
	}
	var engine map[string]string
	if m != nil {
		engine = m.Params()
	}
	arms, err := ladder.StudyArms(rungs[0], engine, runtime.NumCPU(), k.Knobs, k.Values)
	if err != nil {
		return err
	}
	cfg.Rungs = nil
	cfg.Of, cfg.Study = k.Base, &results.Study{Base: k.Base, Arms: arms}
	if m == nil || len(k.Knobs) > 0 {
		return nil
	}
	if rungs, err = cfg.Embedded(); err != nil {
		return err
	}
	cfg.Study.Arms = nil
	for i, arm := range arms {
		if _, err := cell.Vary(m, rungs[i].Variant); err != nil {
			note(fmt.Sprintf("%s is left out: %v", arm, err))
			continue
		}
		cfg.Study.Arms = append(cfg.Study.Arms, arm)
	}
	return nil
}

// StudyTables are the verdicts of the study that a run is of; none where it is of a ladder.
func StudyTables(dir string) ([]table.Table, error) {
	run, err := analysis.Load(dir, analysis.Options{})
	if err != nil {
		return nil, err
	}
	study, err := results.StudyOf(run.Manifest.Params)
	if err != nil || study == nil {
		return nil, err
	}
	return knob.Tables(run.Sweep, study, caption.Of(run.Sweep, caption.Model(run.Manifest))), nil
}
