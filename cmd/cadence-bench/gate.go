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
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/mutate"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/results"
)

// The exit codes of `gate`: 1 and 2 have meanings of their own. What went wrong before
// there was anything to compare is 2 too, so that 1 is nothing but a regression.
const (
	exitRegression    = 1
	exitNotMeasurable = 2
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
	flags.StringVar(&f.ladder, "ladder", gateLadder, "the rungs: a built-in ladder's name or a YAML file")
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
	return coded(exitNotMeasurable, err)
}

func (f *gateFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	old, err := readBaseline(f.baseline)
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
	if cfg.dir = f.out; f.out == "" {
		temp, err := os.MkdirTemp("", "cadence-gate-")
		if err != nil {
			return coded(exitWrite, err)
		}
		defer os.RemoveAll(temp)
		cfg.dir = temp
	}
	got, err := runGate(cmd.Context(), cfg)
	if err != nil {
		return err
	}
	if f.update {
		return f.write(cmd.OutOrStdout(), old, got)
	}
	return f.judge(cmd.OutOrStdout(), *old, got)
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
	return f.checkProve()
}

// readBaseline reads a baseline's file.
func readBaseline(file string) (*gate.Baseline, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no baseline: %w; gate --update --reason \"first\" writes one", err)
	}
	if err != nil {
		return nil, err
	}
	b, err := gate.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("baseline %s: %w", file, err)
	}
	return &b, nil
}

// config is the run that the flags ask for, with the load of the baseline where they do
// not say.
func (f *gateFlags) config(old *gate.Baseline) (gateConfig, error) {
	cfg := gateConfig{load: gateLoad(), command: f.command()}
	if old != nil {
		cfg.load = old.Provenance.Load
	}
	var err error
	if cfg.ladder, err = spec.Open(f.ladder); err != nil {
		return cfg, err
	}
	t := twinFlags{calibration: f.calibration}
	if cfg.calibration, cfg.id, err = t.committed(); err != nil {
		return cfg, err
	}
	if cfg.source, err = engineSource(); err != nil {
		return cfg, err
	}
	if f.rates != "" {
		if cfg.load.Rates, err = ladder.ParseRates(f.rates); err != nil {
			return cfg, fmt.Errorf("--rates: %w", err)
		}
	}
	if f.seeds != "" {
		if cfg.load.Seeds, err = ladder.ParseSeeds(f.seeds); err != nil {
			return cfg, fmt.Errorf("--seeds: %w", err)
		}
	}
	if f.duration != 0 {
		cfg.load.DurationS = f.duration.Seconds()
		cfg.load.WarmupS = cfg.load.DurationS / warmupShare
	}
	if f.slo != 0 {
		cfg.load.SLOS = f.slo.Seconds()
	}
	if f.workload != "" {
		cfg.load.Workload = f.workload
	}
	sweep := cfg.sweep()
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
	if f.ladder != gateLadder {
		words = append(words, "--ladder", filepath.ToSlash(f.ladder))
	}
	if f.calibration != "" {
		words = append(words, "--calibration", filepath.ToSlash(f.calibration))
	}
	return strings.Join(words, " ")
}

// compare holds a run against the baseline and, where a figure failed, says what was
// decided otherwise.
func (f *gateFlags) compare(old gate.Baseline, got gateRun) report.Gate {
	g := report.Gate{Baseline: old, Now: got.Measured, Result: gate.Compare(old, got.Measured, gate.Budgets()), All: f.all}
	if g.Result.Verdict == gate.Regression {
		g.Why = explain(decisionsFile(f.baseline), &g, got.decided)
	}
	return g
}

// judge compares, prints, and turns the verdict into an exit code.
func (f *gateFlags) judge(out io.Writer, old gate.Baseline, got gateRun) error {
	g := f.compare(old, got)
	if err := f.print(out, &g); err != nil {
		return coded(exitWrite, err)
	}
	switch g.Result.Verdict {
	case gate.Pass:
		return nil
	case gate.Regression:
		return coded(exitRegression, errors.New("regression: "+g.Summary()))
	}
	return coded(exitNotMeasurable, errors.New("not measurable: "+g.Summary()))
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
