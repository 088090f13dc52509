package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/baseline"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/mutate"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/results"
)

const gateExitCodes = `Exit codes: 0 passed, 1 a regression, 2 not measurable: no baseline, one of another
schema, calibration, ladder or tape, a figure that is missing or rests on too few
requests, a void cell, or a command line that makes no sense. 5 and 130 are as for the
other commands.`

// gateFlags are the flags of `gate` as they were written.
type gateFlags struct {
	baseline, ladder, calibration string
	rates, seeds, workload        string
	duration, slo                 time.Duration
	update                        bool
	reason                        string
	out, format                   string
	json, junit, markdown         string
	all, proving                  bool
}

func newGate(where func() places) *cobra.Command {
	var f gateFlags
	var r gateRealFlags
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Fail when scheduling, KV cache or admission became worse",
		Long: `Simulate a ladder on the twin, in virtual time, and compare its figures with those of a
committed baseline, each within its budget. The same source gives the same figures to
the bit, on a busy machine as on an idle one. An improvement never fails; --update makes
the figures the new baseline, with a reason that stays in its history.

The load is the baseline's. Flags that change it make sense with --update, or with a
baseline that was made with the same ones. docs/gate.md lists the metrics and budgets.

` + gateRealHelp + `

` + gateExitCodes,
		Example: `  cadence-bench gate
  cadence-bench gate --markdown "$GITHUB_STEP_SUMMARY" --junit gate.xml --json gate.json
  cadence-bench gate --prove
  cadence-bench gate --update --reason "prefixes are published before the last chunk"
  cadence-bench gate --ladder my.yaml --baseline my.json --rates 1,2,4 --slo 2s --update --reason "first"
` + gateRealExample,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.chosen(cmd); err != nil {
				return notRegression(err)
			}
			if r.real {
				return notRegression(r.run(cmd, where(), f))
			}
			return notRegression(f.run(cmd))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.baseline, "baseline", filepath.Join("results", "runs", "gate", "baseline.json"), "what to compare with, or to write with --update")
	flags.StringVar(&f.ladder, "ladder", baseline.DefaultLadder, "the rungs: a built-in ladder's name or a YAML file")
	flags.StringVar(&f.calibration, "calibration", "", "what the twin simulates (default that of this build)")
	flags.StringVar(&f.rates, "rates", "", "offered rates in requests per second, comma-separated, ascending (default the baseline's)")
	flags.StringVar(&f.seeds, "seeds", "", "seeds of the tapes, comma-separated (default the baseline's)")
	flags.DurationVar(&f.duration, "duration", 0, "how long each cell offers arrivals (default the baseline's)")
	flags.DurationVar(&f.slo, "slo", 0, "end-to-end latency objective (default the baseline's)")
	flags.StringVar(&f.workload, "workload", "", "what requests say; tape make --help lists all (default the baseline's)")
	flags.BoolVar(&f.update, "update", false, "write the baseline anew")
	flags.StringVar(&f.reason, "reason", "", "with --update: why these figures are right, in one line")
	flags.StringVar(&f.out, "out", "", "keep the run in this folder, for report and compare")
	flags.StringVar(&f.format, "format", "text", "what to print: text, markdown, json or junit")
	flags.StringVar(&f.json, "json", "", "write JSON to this file too")
	flags.StringVar(&f.junit, "junit", "", "write JUnit XML to this file too")
	flags.StringVar(&f.markdown, "markdown", "", "append Markdown to this file too, such as a step summary")
	flags.BoolVar(&f.proving, "prove", false, "make mistakes on purpose, one at a time, and fail unless the gate catches each")
	flags.BoolVar(&f.all, "all", false, "print every figure, not only each metric's worst and what failed")
	r.bind(flags)
	return cmd
}

// notRegression gives an error the code that says that nothing was compared, unless it
// has one.
func notRegression(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return coded(gate.ExitNotMeasurable, err)
}

func (f *gateFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	old, err := baseline.Read(f.baseline)
	if err != nil && !(f.update && errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	cfg, err := f.config(old)
	if err != nil {
		return err
	}
	if f.proving {
		return f.prove(cmd.Context(), cmd.OutOrStdout(), *old, cfg, mutate.Mutations())
	}
	cfg.Dir = f.out
	got, err := baseline.Measure(cmd.Context(), cfg)
	if err != nil {
		return err
	}
	if f.update {
		return f.write(cmd.OutOrStdout(), old, got)
	}
	return f.judge(cmd.OutOrStdout(), *old, got)
}

// prove makes mistakes on purpose, and fails unless the gate is red exactly when it
// should be.
func (f *gateFlags) prove(ctx context.Context, out io.Writer, old gate.Baseline, cfg baseline.Config, mutations []mutate.Mutation) error {
	proof, err := baseline.Prove(ctx, old, cfg, mutations)
	if err != nil {
		return err
	}
	p := report.GateProof{Baseline: old, Proof: proof}
	if err := f.print(out, &p); err != nil {
		return fault.Write.Wrap(err)
	}
	if problems := p.Problems(gate.Budgets()); len(problems) > 0 {
		return coded(gate.ExitRegression, fmt.Errorf("the gate is not proved: %s", p.Summary()))
	}
	return nil
}

// write makes what was measured the baseline, and says what differs from the old one.
func (f *gateFlags) write(out io.Writer, old *gate.Baseline, got baseline.Run) error {
	next, err := got.Next(old, f.reason, time.Now())
	if err != nil {
		return err
	}
	if old != nil {
		g := f.compare(*old, got)
		if err := f.print(out, &g); err != nil {
			return fault.Write.Wrap(err)
		}
	}
	if err := baseline.Write(f.baseline, next, got.Decided); err != nil {
		return err
	}
	if f.format == "text" {
		_, err := fmt.Fprintf(out, "wrote %s: %s\n", f.baseline, f.reason)
		return fault.Write.Wrap(err)
	}
	return nil
}

func (f *gateFlags) check() error {
	one := strings.TrimSpace(f.reason)
	switch {
	case f.update && one == "":
		return errors.New("--update: say why by --reason, in one line; it stays in the baseline's history")
	case f.update && strings.ContainsAny(one, "\r\n"):
		return errors.New("--reason: give one line")
	case !f.update && f.reason != "":
		return errors.New("--reason: only --update takes one")
	case !slices.Contains(report.GateFormats(), f.format):
		return fmt.Errorf("--format: unknown format %q; %s", f.format, meant(f.format, report.GateFormats()))
	}
	f.reason = one
	switch {
	case !f.proving:
		return nil
	case f.update:
		return errors.New("--prove: it compares with the baseline that is there; run --update before it")
	case f.out != "":
		return errors.New("--out: --prove makes many runs and keeps none")
	case f.format == "junit" || f.junit != "":
		return errors.New("--prove: it is given as text, markdown and json")
	}
	return nil
}

// config is the run that the flags ask for, with the load of the baseline where they do
// not say.
func (f *gateFlags) config(old *gate.Baseline) (baseline.Config, error) {
	cfg := baseline.Config{Load: baseline.DefaultLoad(), Command: f.command()}
	if old != nil {
		cfg.Load = old.Provenance.Load
	}
	var err error
	if cfg.Ladder, err = spec.Open(f.ladder); err != nil {
		return cfg, err
	}
	t := twinFlags{calibration: f.calibration}
	if cfg.Calibration, cfg.ID, err = t.committed(); err != nil {
		return cfg, err
	}
	if cfg.Source, err = machine.EngineSource(); err != nil {
		return cfg, err
	}
	if f.rates != "" {
		if cfg.Load.Rates, err = ladder.ParseRates(f.rates); err != nil {
			return cfg, fmt.Errorf("--rates: %w", err)
		}
	}
	if f.seeds != "" {
		if cfg.Load.Seeds, err = ladder.ParseSeeds(f.seeds); err != nil {
			return cfg, fmt.Errorf("--seeds: %w", err)
		}
	}
	if f.duration != 0 {
		cfg.Load.DurationS = f.duration.Seconds()
		cfg.Load.WarmupS = cfg.Load.DurationS / warmupShare
	}
	if f.slo != 0 {
		cfg.Load.SLOS = f.slo.Seconds()
	}
	if f.workload != "" {
		cfg.Load.Workload = f.workload
	}
	sweep := cfg.Sweep()
	if len(sweep.Rates) == 0 || sweep.SLO == 0 {
		return cfg, errors.New("rates and SLO are not chosen here: give --rates and --slo")
	}
	return cfg, sweep.Check()
}

// warmupShare is what a duration is over its warm-up.
const warmupShare = 12

// command is what writes such a baseline, without its reason.
func (f *gateFlags) command() string {
	words := []string{"cadence-bench", "gate", "--update"}
	if f.ladder != baseline.DefaultLadder {
		words = append(words, "--ladder", filepath.ToSlash(f.ladder))
	}
	if f.calibration != "" {
		words = append(words, "--calibration", filepath.ToSlash(f.calibration))
	}
	return strings.Join(words, " ")
}

// compare holds a run against the baseline and, where a figure failed, says what was
// decided otherwise.
func (f *gateFlags) compare(old gate.Baseline, got baseline.Run) report.Gate {
	g := report.Gate{Baseline: old, Now: got.Measured, Result: gate.Compare(old, got.Measured, gate.Budgets()), All: f.all}
	if g.Result.Verdict == gate.Regression {
		g.Explain(baseline.DecisionsFile(f.baseline), got.Decided)
	}
	return g
}

// judge compares, prints, and turns the verdict into an exit code.
func (f *gateFlags) judge(out io.Writer, old gate.Baseline, got baseline.Run) error {
	g := f.compare(old, got)
	if err := f.print(out, &g); err != nil {
		return fault.Write.Wrap(err)
	}
	if g.Result.Verdict == gate.Pass {
		return nil
	}
	word := "not measurable: "
	if g.Result.Verdict == gate.Regression {
		word = "regression: "
	}
	return coded(g.Result.Verdict.Exit(), errors.New(word+g.Summary()))
}

// print writes what was found to stdout and to the files that are asked for.
func (f *gateFlags) print(out io.Writer, g interface{ Format(string) ([]byte, error) }) error {
	data, err := g.Format(f.format)
	if err != nil {
		return err
	}
	if _, err := out.Write(data); err != nil {
		return err
	}
	for _, file := range []struct{ format, name string }{{"json", f.json}, {"junit", f.junit}} {
		if file.name == "" {
			continue
		}
		if data, err = g.Format(file.format); err == nil {
			err = results.WriteBytes(file.name, data)
		}
		if err != nil {
			return err
		}
	}
	if f.markdown == "" {
		return nil
	}
	if data, err = g.Format("markdown"); err != nil {
		return err
	}
	return appendTo(f.markdown, data)
}

// appendTo adds to a file, as a step summary wants it.
func appendTo(name string, data []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}
