package main

import (
	"context"
	"io"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/live"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/tune"
	"github.com/cadence-bench/cadence-bench/loadgen"
)

// tuneFlags are the flags of `admission tune` as they were written.
type tuneFlags struct {
	tune.Options
	out, loads, tuneSeeds, seeds string
	twin                         twinFlags
}

func newAdmissionTune(where func() places) *cobra.Command {
	f := tuneFlags{twin: twinFlags{engine: engineTwin}}
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Tune the parameters of admission policies on the twin",
		Long: `Look for the parameters with which each rung's admission policy has the most goodput, and
write them as a ladder. Every policy gets the same number of tries: the parameters that
it comes with, points of its whole search range, and as many around the best of these.
Each is measured on the twin at the same loads, which are multiples of the knee (the
highest rate up to which the first rung of the ladder, which has no policy, answers 95%
of all arrivals in time), and on the same tapes. The objective is the mean of the goodput
over loads and seeds; with --attain, among parameters that also keep a promise to those
who are admitted. What a policy promises itself, such as alpha, is not varied.

Then the first rung, every policy as it came and every policy as tuned are compared on
other tapes, those of --seeds.`,
		Example: `  cadence-bench admission tune               tune every arm, and compare them (minutes)
  cadence-bench admission tune --attain 0.95 --out tuned-95.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), where(), cmd.OutOrStdout(), live.NewProgress(cmd.ErrOrStderr()).Note)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Ladder, "ladder", "arms", "built-in ladder or file; its first rung has no admission policy")
	flags.StringSliceVar(&f.Rungs, "rungs", nil, "rungs to tune (default all that have a policy)")
	flags.StringVar(&f.out, "out", filepath.Join("results", "runs", "admission", "tuned.yaml"), "ladder to write")
	flags.IntVar(&f.Tries, "tries", 24, "sets of parameters for each policy")
	flags.Float64Var(&f.Attain, "attain", 0, "share of the admitted that must be in time at every load, such as 0.95; parameters that reach it are better than those that do not")
	flags.StringVar(&f.loads, "loads", "0.7,1.5,3,10", "offered rates as multiples of the knee")
	flags.StringVar(&f.tuneSeeds, "tune-seeds", "101,102,103,104,105", "seeds of the tapes that policies are tuned on")
	flags.StringVar(&f.seeds, "seeds", "1,2,3,4,5,6,7,8,9,10", "seeds of the tapes that they are compared on")
	flags.StringVar(&f.Workload, "workload", loadgen.SharedPrompt, "what requests say; tape make --help lists all")
	flags.DurationVar(&f.Duration, "duration", time.Minute, "how long each cell offers arrivals")
	flags.DurationVar(&f.Warmup, "warmup", 10*time.Second, "arrivals before this are left out")
	flags.DurationVar(&f.Timeout, "timeout", time.Minute, "a client gives up this long after its arrival")
	flags.DurationVar(&f.SLO, "slo", 0, "end-to-end latency objective (default that of ladder --slo auto)")
	flags.StringVar(&f.twin.calibration, "calibration", "", "what the twin simulates (default as ladder --engine twin)")
	flags.BoolVar(&f.twin.noise, "twin-noise", false, "let the twin's steps vary as the calibrated ones did")
	return cmd
}

func (f *tuneFlags) run(ctx context.Context, where places, out io.Writer, note func(string)) (err error) {
	if f.Loads, err = ladder.ParseRates(f.loads); err != nil {
		return fault.Input.Errorf("--loads: %w", err)
	}
	if f.TuneSeeds, err = ladder.ParseSeeds(f.tuneSeeds); err != nil {
		return fault.Input.Errorf("--tune-seeds: %w", err)
	}
	if f.Seeds, err = ladder.ParseSeeds(f.seeds); err != nil {
		return fault.Input.Errorf("--seeds: %w", err)
	}
	study, err := tune.NewStudy(f.Options)
	if err != nil {
		return err
	}
	want := machine.Defaults()
	want.Noise = f.twin.noise
	m, _, err := machine.OpenTwin(where, f.twin.calibration, "", want, note)
	if err != nil {
		return err
	}
	source, err := machine.EngineSource()
	if err != nil {
		return err
	}
	if err := study.Run(ctx, m, runtime.GOMAXPROCS(0), time.Now, note); err != nil {
		return err
	}
	if err := study.Write(f.out, source); err != nil {
		return err
	}
	note("comparing them on other tapes")
	return study.Compare(ctx, out)
}
