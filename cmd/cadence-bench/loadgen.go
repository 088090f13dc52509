package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/loadgen/ideal"
	"github.com/cadence-bench/cadence-bench/report/loadcheck"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// loadgenFolder is where the checks of the load generator are kept.
const loadgenFolder = "results/runs/loadgen"

func newLoadgen() *cobra.Command {
	return group("loadgen", "Check the load generator itself", newValidate(), newSelftest())
}

// validateFlags are the flags of `loadgen validate` that are no part of a regime as
// they stand.
type validateFlags struct {
	ideal.Regime
	run, rates, sweep, out string
}

func newValidate() *cobra.Command {
	var f validateFlags
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Compare the arrival processes with what they claim to be",
		Long: `Draw every arrival process with many seeds in the regime of a sweep, and compare gaps
and counts with what the process claims. Place the seeds that sweeps use among them. Drive
two servers of known capacity in virtual time. No engine is measured. The exit code is 1
when a figure is outside its bounds.`,
		Example: `  cadence-bench loadgen validate
  cadence-bench loadgen validate --run results/runs/ladder --out runs/loadgen
  cadence-bench loadgen validate --rates 0.5,4 --duration 1m --seeds 1000`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.resolve(cmd); err != nil {
				return fault.Input.Wrap(err)
			}
			v, err := ideal.Validate(cmd.Context(), f.Regime)
			if err != nil {
				return err
			}
			if err := keepTables(cmd, filepath.Join(f.out, loadcheck.ValidationFile), v, loadcheck.Validation(v)); err != nil {
				return err
			}
			return v.Verdict()
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.run, "run", "", "take rates, duration and the sweep's seeds from this run")
	flags.StringVar(&f.rates, "rates", "1.4", "offered rates in requests per second, comma-separated, ascending")
	flags.DurationVar(&f.Duration, "duration", 180*time.Second, "how long arrivals are offered")
	flags.IntVar(&f.Seeds, "seeds", 200, "how many seeds, from 0")
	flags.StringVar(&f.sweep, "sweep-seeds", "1,2,3", "seeds that sweeps use, to place among the others")
	flags.StringArrayVar(&f.Processes, "arrivals", ideal.Processes(), "arrival process; repeat the flag for several")
	flags.StringVar(&f.out, "out", loadgenFolder, "folder for validate.json and validate.md")
	return cmd
}

// resolve completes the regime: flags that were given come before the run's values, and
// these before the flags' defaults.
func (f *validateFlags) resolve(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if f.run != "" {
		m, err := results.ReadManifest(filepath.Join(f.run, "manifest.json"))
		if err != nil {
			return err
		}
		cfg, err := ladder.ConfigOf(m.Params)
		if err != nil {
			return fmt.Errorf("%s: %w", f.run, err)
		}
		f.Rates, f.Sweep = cfg.Rates, cfg.Seeds
		if !given("duration") {
			f.Duration = cfg.Duration
		}
	}
	var err error
	if f.Rates == nil || given("rates") {
		if f.Rates, err = ladder.ParseRates(f.rates); err != nil {
			return fmt.Errorf("--rates: %w", err)
		}
		if f.Rates == nil {
			return fmt.Errorf("--rates: %q: give numbers", f.rates)
		}
	}
	if f.Sweep == nil || given("sweep-seeds") {
		if f.Sweep, err = ladder.ParseSeeds(f.sweep); err != nil {
			return fmt.Errorf("--sweep-seeds: %w", err)
		}
	}
	return nil
}

func newSelftest() *cobra.Command {
	plan, wall := ideal.DefaultPlan(), ideal.DefaultWallPlan()
	var out string
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Compare the driver before ideal servers with queueing theory",
		Long: `Drive servers with one and four places, fixed and exponential service, at 30, 70 and
90% load through the real driver and its records. Compare mean and quantiles of the wait
with M/D/c and M/M/c: in virtual time within confidence intervals, and in wall time beside
the same tapes in virtual time. The exit code is 1 when a value in virtual time is outside
its interval. Wall time depends on the machine and is not judged.`,
		Example: `  cadence-bench loadgen selftest
  cadence-bench loadgen selftest --wall 0 --replications 20 --out runs/loadgen`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := ideal.RunSelftest(cmd.Context(), plan, wall)
			if err != nil {
				return err
			}
			if err := keepTables(cmd, filepath.Join(out, loadcheck.SelftestFile), t, loadcheck.Selftest(t)); err != nil {
				return err
			}
			return t.Verdict()
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&plan.Replications, "replications", plan.Replications, "runs of each queue in virtual time")
	flags.IntVar(&plan.Requests, "requests", plan.Requests, "requests of each run at 30% load; busier queues take more")
	flags.DurationVar(&wall.Length, "wall", wall.Length, "how long the run in wall time takes; 0 leaves it out")
	flags.IntVar(&wall.Replications, "wall-replications", wall.Replications, "runs of each queue in wall time, all at once")
	flags.StringVar(&out, "out", loadgenFolder, "folder for selftest.json and selftest.md")
	return cmd
}

// keepTables keeps what a check found, and prints its tables.
func keepTables(cmd *cobra.Command, file string, data any, tables []table.Table) error {
	if err := loadcheck.Write(file, data, tables); err != nil {
		return fault.Write.Wrap(err)
	}
	return printTables(cmd.OutOrStdout(), tables)
}
