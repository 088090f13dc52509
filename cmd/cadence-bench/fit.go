package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/fit"
	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/results"
)

// What fit writes.
const (
	fitArtifact = "artifact.json"
	fitRecord   = "fit.json"
)

func newFit() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "fit RUN...",
		Short: "Fit, calibrate and judge the predictors of admission on recorded decisions",
		Long: `Fit every predictor on the decisions that traces (or ladder --trace-decisions) recorded,
calibrate its bounds and judge them, all in the same way: the blocks of a seed are held
out together, the others take turns in being fitted and calibrated on, so that no
request that is judged shared a queue with one that its bound was made from. A second
table holds out whole rates: what bounds are worth at a load that was not recorded.

The folder gets ` + fitArtifact + `, which ladder --admission-artifact starts from, with
the machine, engine, model and traces that it is of; the tables, as Markdown, CSV and
JSON; and ` + fitRecord + `, which has all of them in one.`,
		Example: `  cadence-bench fit runs/traces
  cadence-bench fit runs/traces --out runs/fit
  cadence-bench ladder --admission-artifact runs/fit/artifact.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			return coded(exitInput, cobra.MinimumNArgs(1)(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFit(cmd.Context(), cmd.OutOrStdout(), commandLine(cmd), args, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to write to (default RUN/fit of the first run)")
	return cmd
}

func runFit(ctx context.Context, stdout io.Writer, command, dirs []string, out string) error {
	started := time.Now()
	if out == "" {
		out = filepath.Join(dirs[0], "fit")
	}
	if err := writable(out); err != nil {
		return coded(exitWrite, err)
	}
	t, err := readTraces(dirs)
	if err != nil {
		return coded(exitInput, err)
	}
	a := artifact.Artifact{MadeAt: started, Command: command, Build: results.BuildInfo(), Facts: t.facts, Traces: t.files}
	fitted, err := t.artifact(&a)
	if err != nil {
		return coded(exitInput, err)
	}
	rec, err := t.judge(ctx)
	if err != nil {
		return coded(exitInput, err)
	}
	rec.Importance = a.Importance
	if err := a.Put(fitted); err != nil {
		return err
	}
	if err := artifact.Write(filepath.Join(out, fitArtifact), a); err != nil {
		return coded(exitWrite, err)
	}
	if err := rec.write(out); err != nil {
		return coded(exitWrite, err)
	}
	for _, table := range rec.tables() {
		if err := table.Text(stdout); err != nil {
			return err
		}
		fmt.Fprintln(stdout)
	}
	fmt.Fprintln(stdout, filepath.Join(out, fitArtifact))
	return nil
}

// traces are recorded decisions, with what they are of.
type traces struct {
	blocks []record.Block
	files  []artifact.Trace // of each block
	facts  artifact.Facts
	open   int // requests that did not end by themselves
}

// readTraces reads the decision traces of some runs, which must be of one engine.
func readTraces(dirs []string) (*traces, error) {
	t := &traces{}
	for i, dir := range dirs {
		run, err := results.OpenRun(dir)
		if err != nil {
			return nil, err
		}
		facts := factsOfRun(&run.Manifest)
		if i == 0 {
			t.facts = facts
		} else if d := artifact.Differences(t.facts, facts); len(d) > 0 {
			return nil, fmt.Errorf("%s is of another engine than %s: %v; fit them apart", dir, dirs[0], d[0])
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
func factsOfRun(m *results.Manifest) artifact.Facts {
	f := artifact.Facts{Host: m.Host, Backend: m.Backend, Library: m.Library, Model: m.Model, EngineSource: m.EngineSource, Workload: m.Params["workload"]}
	f.Setting = map[string]string{}
	for _, name := range []string{"calibration", "kv_layout", "flash_attn", "threads", "threads_batch", "max_batch", "step_tokens", "twin_noise"} {
		if v, ok := m.Params[name]; ok {
			f.Setting[name] = v
		}
	}
	return f
}

// add reads the trace of one cell, if it has one.
func (t *traces) add(run *results.Run, e results.Entry) error {
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
	t.files = append(t.files, artifact.Trace{File: filepath.Base(path), SHA256: sum, Rows: len(rows)})
	return nil
}

// artifact fits what an engine starts from, and notes in a what was used for what.
func (t *traces) artifact(a *artifact.Artifact) (*admission.Fitted, error) {
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
		a.Importance = append(a.Importance, artifact.Importance{Feature: name, Median: median[i], Upper: upper[i]})
	}
	slices.SortStableFunc(a.Importance, func(x, y artifact.Importance) int { return cmp.Compare(y.Median, x.Median) })
	return fitted, nil
}

// judge judges every predictor on seeds, and on rates, that were held out.
func (t *traces) judge(ctx context.Context) (*fitRecordData, error) {
	by := fit.Finest(t.blocks)
	rec := &fitRecordData{
		Backend: t.facts.Backend, Model: report.ModelName(results.Manifest{Model: t.facts.Model}), Workload: t.facts.Workload, SLOS: t.facts.SLOS, HeldOut: by.String(),
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
	if rec.Judgements, err = judgements(t.blocks, folds); err != nil {
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
	if rec.ByRate, err = judgements(t.blocks, folds); errors.Is(err, fit.ErrFew) {
		rec.ByRate, err = nil, nil
	}
	return rec, err
}
