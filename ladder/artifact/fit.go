package artifact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/fit"
	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// Fit makes an artifact of recorded decisions, and judges every predictor on requests that
// were held out.
func Fit(ctx context.Context, t *Traces, started time.Time, command []string) (Artifact, *Record, error) {
	a := Artifact{MadeAt: started, Command: command, Build: results.BuildInfo(), Facts: t.facts, Traces: t.files}
	fitted, err := t.artifact(&a)
	if err != nil {
		return a, nil, fault.Input.Wrap(err)
	}
	rec, err := t.judge(ctx)
	if err != nil {
		return a, nil, fault.Input.Wrap(err)
	}
	rec.Importance = a.Importance
	return a, rec, a.Put(fitted)
}

// Traces are recorded decisions, with what they are of.
type Traces struct {
	blocks []record.Block
	files  []Trace // of each block
	facts  Facts
	open   int // requests that did not end by themselves
}

// ReadTraces reads the decision traces of some runs, which must be of one engine.
func ReadTraces(dirs []string) (*Traces, error) {
	t := &Traces{}
	for i, dir := range dirs {
		run, err := results.OpenRun(dir)
		if err != nil {
			return nil, err
		}
		if err := run.Whole(); err != nil {
			return nil, err
		}
		facts := factsOfRun(&run.Manifest)
		if i == 0 {
			t.facts = facts
		} else if d := Differences(t.facts, facts); len(d) > 0 {
			return nil, fmt.Errorf("%s is of something else than %s: %v; fit them apart", dir, dirs[0], d[0])
		}
		before := len(t.blocks)
		for _, e := range run.Entries {
			if err := t.add(run, e); err != nil {
				return nil, err
			}
		}
		if len(t.blocks) == before {
			return nil, fmt.Errorf("%s has no decision traces: record some with traces, or with ladder --trace-decisions on rungs with admission", dir)
		}
	}
	return t, nil
}

// factsOfRun are the facts of a measured run.
func factsOfRun(m *results.Manifest) Facts {
	f := Facts{Host: m.Host, Backend: m.Backend, Library: m.Library, Model: m.Model, EngineSource: m.EngineSource, Workload: m.Params["workload"]}
	f.Setting = map[string]string{}
	for _, name := range []string{"calibration", "kv_layout", "flash_attn", "threads", "threads_batch", "max_batch", "step_tokens", "twin_noise"} {
		if v, ok := m.Params[name]; ok {
			f.Setting[name] = v
		}
	}
	return f
}

// add reads the trace of one cell, if it has one.
func (t *Traces) add(run *results.Run, e results.Entry) error {
	path := run.DecisionsPath(e.Order, e.Key)
	if _, err := os.Stat(path); e.State != results.CellFinished || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	c, rows, err := results.ReadDecisions(path)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return nil
	}
	sum, err := results.HashFile(path)
	if err != nil {
		return err
	}
	b := record.Block{Name: e.Name(), Rate: e.OfferedRPS, Seed: e.Seed, Rows: cell.Decisions(rows)}
	for i := range b.Rows {
		if !b.Rows[i].Finished() {
			t.open++
		}
	}
	t.facts.SLOS = c.SLOS
	for _, name := range []string{"max_batch", "step_tokens"} {
		t.facts.Setting[name] = c.Params[name]
	}
	t.blocks = append(t.blocks, b)
	t.files = append(t.files, Trace{File: filepath.Base(path), SHA256: sum, Rows: len(rows)})
	return nil
}

// artifact fits what an engine starts from, and notes in a what was used for what.
func (t *Traces) artifact(a *Artifact) (*admission.Fitted, error) {
	fitOn, calibrateOn, err := fit.Halves(t.blocks, fit.Finest(t.blocks))
	if err != nil {
		return nil, err
	}
	for _, i := range fitOn {
		a.Traces[i].Use = "fit"
	}
	for _, i := range calibrateOn {
		a.Traces[i].Use = "calibrate"
	}
	fitted, err := fit.Make(t.blocks, fitOn, calibrateOn)
	if err != nil {
		return nil, err
	}
	median, upper := fitted.Boosted.Median.Importance(), fitted.Boosted.High.Importance()
	for i, name := range fitted.Boosted.Features {
		a.Importance = append(a.Importance, Importance{Feature: name, Median: median[i], Upper: upper[i]})
	}
	slices.SortStableFunc(a.Importance, func(x, y Importance) int { return cmp.Compare(y.Median, x.Median) })
	return fitted, nil
}

// judge judges every predictor on seeds, and on rates, that were held out.
func (t *Traces) judge(ctx context.Context) (*Record, error) {
	by := fit.Finest(t.blocks)
	rec := &Record{
		Backend: t.facts.Backend, Model: strings.TrimSuffix(t.facts.Model.File, ".gguf"), Workload: t.facts.Workload, SLOS: t.facts.SLOS, HeldOut: by.String(),
		Blocks: len(t.blocks), NotEnded: t.open,
	}
	for i := range t.blocks {
		rec.Requests += len(t.blocks[i].Rows)
		rec.Rates = append(rec.Rates, t.blocks[i].Rate)
		rec.Seeds = append(rec.Seeds, t.blocks[i].Seed)
	}
	slices.Sort(rec.Rates)
	slices.Sort(rec.Seeds)
	rec.Rates, rec.Seeds = slices.Compact(rec.Rates), slices.Compact(rec.Seeds)
	folds, err := fit.Folds(t.blocks, by)
	if err != nil {
		return nil, err
	}
	rec.Folds = len(folds)
	if rec.Judgements, err = fit.Judge(t.blocks, folds); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// Where there are too few rates to hold one out, or too few requests at those that are
	// left, that table is left out.
	if folds, err = fit.Folds(t.blocks, fit.ByRate); err != nil {
		return rec, nil
	}
	if rec.ByRate, err = fit.Judge(t.blocks, folds); errors.Is(err, fit.ErrFew) {
		rec.ByRate, err = nil, nil
	}
	return rec, err
}
