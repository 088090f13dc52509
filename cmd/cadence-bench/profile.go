package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/live"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/profile"
	"github.com/cadence-bench/cadence-bench/ladder/session"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

type profileFlags struct {
	rung, rate, model, out string
	workload               string
	machine                machine.Config
	seed                   uint64
	duration, timeout, slo time.Duration
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
	flags.DurationVar(&f.slo, "slo", 0, "end-to-end latency objective of a rung with an admission policy (default chosen on the idle engine)")
	flags.StringVar(&f.workload, "workload", loadgen.SharedPrompt, "what requests say, such as shared-prompt, uniform, bimodal or trace:FILE; tape make --help lists all")
	flags.StringVar(&f.model, "model", "", "GGUF file (default a synthetic model, made when it is not there)")
	f.machine.Bind(flags)
	flags.StringVar(&f.out, "out", "", "folder to write to (default runs/profile-TIME)")
	return cmd
}

func (f *profileFlags) run(cmd *cobra.Command, where places) error {
	started := time.Now()
	if f.out == "" {
		f.out = filepath.Join("runs", "profile-"+started.UTC().Format("20060102-150405"))
	}
	cfg, rungs, err := f.config()
	if err != nil {
		return fault.Input.Wrap(err)
	}
	if there, _ := os.ReadDir(f.out); len(there) > 0 {
		return fault.Input.Errorf("%s is not empty: give another folder with --out", f.out)
	}
	note := live.NewProgress(cmd.ErrOrStderr()).Note
	defer session.Announce(note).Release()
	m, choices, err := machine.Choose(where, f.model, f.machine, note)
	if err != nil {
		return err
	}
	source, err := machine.EngineSource()
	if err != nil {
		return err
	}
	retain, err := m.RetainRule(rungs, note)
	if err != nil {
		return err
	}
	p, err := profile.Run(cmd.Context(), profile.Config{
		Machine: m, Load: cfg, Retain: retain, Note: note,
		Manifest: results.Manifest{
			StartedAt: started, Command: commandLine(cmd), Build: results.BuildInfo(), EngineSource: source, Host: results.ReadHost(), Choices: choices,
		},
	})
	if err != nil {
		return err
	}
	if err := p.Write(f.out); err != nil {
		return fault.Write.Wrap(err)
	}
	table := p.Table()
	if err := table.Text(cmd.OutOrStdout()); err != nil {
		return fault.Write.Wrap(err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n%s\n", filepath.Join(f.out, profile.TableFile), filepath.Join(f.out, profile.FlameFile))
	return nil
}

// config checks what was asked for, as that of a ladder with one cell, and returns its
// rung with the settings that a ladder has unless told otherwise.
func (f *profileFlags) config() (ladder.Config, []spec.Rung, error) {
	cfg := ladder.Config{
		Rungs: []string{f.rung}, Seeds: []uint64{f.seed}, Workload: f.workload, SLO: f.slo,
		Duration: f.duration, Timeout: f.timeout, Stop: cell.StopScripted, Overrides: spec.Defaults(),
	}
	var err error
	if cfg.Rates, err = ladder.ParseRates(f.rate); err != nil {
		return cfg, nil, fmt.Errorf("--rate: %w", err)
	}
	if len(cfg.Rates) > 1 {
		return cfg, nil, errors.New("--rate: a profile is of one rate; give one number")
	}
	if err := cfg.Check(); err != nil {
		return cfg, nil, err
	}
	rungs, err := cfg.Embedded()
	return cfg, rungs, err
}
