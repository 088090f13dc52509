package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/results"
)

type profileFlags struct {
	rung, rate, model, out string
	workload               string
	layout                 layoutFlags
	seed                   uint64
	duration, timeout      time.Duration
	threads, threadsBatch  int
}

func newProfile(where func() places) *cobra.Command {
	var f profileFlags
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "Sample where the time of a loaded run goes",
		Long: `Run one rung under load with a sampling CPU profiler, and show which share of the
busy time goes into the forward pass, sampling, tokenising, KV, scheduling and the
rest, as a table and a flame graph.

Prompts are tokenised as they arrive, as in a server; a ladder does it beforehand.
The folder gets cpu.pb.gz (for go tool pprof), stacks.txt (folded), flame.svg,
profile.md and profile.json.`,
		Example: `  cadence-bench profile
  cadence-bench profile --rung continuous --rate 3 --duration 10s --out runs/busy`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, where()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.rung, "rung", "prefix", "rung to profile, such as continuous or prefix")
	flags.StringVar(&f.rate, "rate", "auto", "offered requests per second, or auto: nine tenths of what the rung completes when all come at once")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the tape")
	flags.DurationVar(&f.duration, "duration", 30*time.Second, "how long arrivals are offered")
	flags.DurationVar(&f.timeout, "timeout", 20*time.Second, "a client gives up this long after its arrival")
	flags.StringVar(&f.workload, "workload", loadgen.SharedPrompt, "what requests say, such as shared-prompt, uniform, bimodal or trace:FILE; tape make --help lists all")
	flags.StringVar(&f.model, "model", "", "GGUF file (default a synthetic model, made when it is not there)")
	flags.IntVar(&f.threads, "threads", 0, "engine threads (default chosen by a short measurement)")
	flags.IntVar(&f.threadsBatch, "threads-batch", 0, "engine threads for passes of more than one token (default as --threads)")
	f.layout.bind(flags)
	flags.StringVar(&f.out, "out", "", "folder to write to (default runs/profile-TIME)")
	return cmd
}

func (f *profileFlags) run(cmd *cobra.Command, where places) error {
	started := time.Now()
	if f.out == "" {
		f.out = filepath.Join("runs", "profile-"+started.UTC().Format("20060102-150405"))
	}
	cfg, rung, err := f.config()
	if err != nil {
		return coded(exitInput, err)
	}
	if there, _ := os.ReadDir(f.out); len(there) > 0 {
		return coded(exitInput, fmt.Errorf("%s is not empty: give another folder with --out", f.out))
	}
	note := newProgress(cmd.ErrOrStderr()).Note
	engineFlags := ladderFlags{model: f.model}
	machine, choices, err := engineFlags.llama(where, map[string]string{
		"flash_attn": f.layout.flash, "kv_layout": f.layout.kv, "threads": fmt.Sprint(f.threads), "threads_batch": fmt.Sprint(f.threadsBatch),
	}, note)
	if err != nil {
		return err
	}
	source, err := engineSource()
	if err != nil {
		return err
	}
	cell := &loadedCell{machine, rung, f.timeout}
	retain, err := machine.boundRetain([]spec.Rung{rung}, note)
	if err != nil {
		return err
	}
	if retain != nil {
		choice, err := cell.bound(retain, f.workload)
		if err != nil {
			return err
		}
		choices = append(choices, choice)
	}
	if cfg.Rates == nil {
		note(fmt.Sprintf("measuring what %s completes when all requests come at once, to choose the rate", f.rung))
		choice, rate, err := cell.chooseRate(cmd.Context(), f.workload)
		if err != nil {
			return err
		}
		cfg.Rates, choices = []float64{rate}, append(choices, choice)
	}
	tape, err := loadgen.Make(loadgen.Spec{Workload: f.workload, RPS: cfg.Rates[0], Seed: f.seed, Duration: f.duration})
	if err != nil {
		return coded(exitInput, err)
	}
	note(fmt.Sprintf("profiling %s at %g requests/s: %d requests over %v", f.rung, cfg.Rates[0], len(tape.Requests), f.duration))
	var raw bytes.Buffer
	run, err := cell.run(cmd.Context(), tape, &raw)
	if err != nil {
		return err
	}

	m := results.Manifest{
		StartedAt: started, Command: commandLine(cmd), Build: results.BuildInfo(), EngineSource: source,
		Backend: machine.Backend(), Host: results.ReadHost(), Params: machine.Params(), Choices: choices,
		Tapes: []results.Tape{{Workload: f.workload, OfferedRPS: cfg.Rates[0], Seed: f.seed, Requests: len(tape.Requests), SHA256: tape.Hash()}},
		Plan:  []results.Key{{Rung: f.rung, OfferedRPS: cfg.Rates[0], Seed: f.seed}},
	}
	m.Library, m.Model = machine.Describe()
	m.Params["duration"], m.Params["timeout"] = f.duration.String(), f.timeout.String()
	out, err := newProfileOutput(m, run, raw.Bytes())
	if err != nil {
		return err
	}
	if err := out.write(f.out); err != nil {
		return coded(exitWrite, err)
	}
	if err := report.ProfileTable(out.profile, out.load).Text(cmd.OutOrStdout()); err != nil {
		return coded(exitWrite, err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n%s\n", filepath.Join(f.out, profileMarkdown), filepath.Join(f.out, profileFlame))
	return nil
}

// config checks what was asked for, as that of a ladder with one cell, and returns its
// rung with the knobs that a ladder turns unless told otherwise.
func (f *profileFlags) config() (ladder.Config, spec.Rung, error) {
	cfg := ladder.Config{
		Rungs: []string{f.rung}, Seeds: []uint64{f.seed}, Workload: f.workload,
		Duration: f.duration, Timeout: f.timeout, Stop: cell.StopScripted, Overrides: spec.Overrides{ShareWait: spec.DefaultShareWait},
	}
	var err error
	if cfg.Rates, err = ladder.ParseRates(f.rate); err != nil {
		return cfg, spec.Rung{}, fmt.Errorf("--rate: %w", err)
	}
	if len(cfg.Rates) > 1 {
		return cfg, spec.Rung{}, errors.New("--rate: a profile is of one rate; give one number")
	}
	if err := cfg.Check(); err != nil {
		return cfg, spec.Rung{}, err
	}
	rungs, err := ladder.Select(cfg.Rungs)
	if err != nil {
		return cfg, spec.Rung{}, err
	}
	return cfg, cfg.Overrides.Turn(rungs[0]), nil
}

// chooseRate measures the rung with twice as many requests as it can run, all at
// once. The tape's seed is no default one, so that the profile is of other text.
func (c *loadedCell) chooseRate(ctx context.Context, workload string) (results.Choice, float64, error) {
	const seed, share, patience = 0xCADE, 0.9, 2 * time.Minute
	n := 2 * c.rung.Policy.MaxBatch
	tape, err := loadgen.Make(loadgen.Spec{Workload: workload, RPS: 10, Seed: seed, Duration: time.Duration(n) * time.Second})
	if err != nil {
		return results.Choice{}, 0, err
	}
	tape.Requests = tape.Requests[:min(n, len(tape.Requests))]
	for i := range tape.Requests {
		tape.Requests[i].At, tape.Requests[i].Think = 0, 0
	}
	burst := *c
	burst.timeout = patience
	run, err := burst.run(ctx, tape, nil)
	if err != nil {
		return results.Choice{}, 0, err
	}
	if run.completed == 0 {
		return results.Choice{}, 0, coded(exitInput, fmt.Errorf("no request was completed within %v, so there is nothing to choose a rate from; give --rate", patience))
	}
	full := float64(run.completed) / run.took.Seconds()
	rate := float64(int(share*full*100)) / 100
	if rate == 0 {
		rate = share * full
	}
	return results.Choice{Name: "rate", Value: fmt.Sprint(rate), Why: fmt.Sprintf(
		"%.0f%% of the %.2f requests/s that %s completed of %d that came at once", 100*share, full, c.rung.Name, len(tape.Requests))}, rate, nil
}
