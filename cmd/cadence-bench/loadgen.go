package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/ideal"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/results"
)

// loadgenFolder is where the checks of the load generator are kept, for the blocks
// of docs/method.md.
const loadgenFolder = "results/runs/loadgen"

// studied are the arrival processes that validate examines, one of each kind.
var studied = []string{
	"poisson", "gamma:burstiness=0.5", "weibull:burstiness=0.5", "constant",
	"ramp:from=0.5,to=2", "step:at=15s,to=3", "spike:at=15s,for=5s,to=5", "diurnal:period=30s,depth=0.8",
}

func newLoadgen() *cobra.Command {
	return group("loadgen", "Check the load generator itself", newValidate(), newSelftest())
}

// validation is what validate writes.
type validation struct {
	Build   results.Build   `json:"build"`
	Studies []loadgen.Study `json:"studies"`
	Stubs   []ideal.Stub    `json:"stubs"`
}

type validateFlags struct {
	run, rates, sweep, out string
	processes              []string
	duration               time.Duration
	seeds                  int
}

func newValidate() *cobra.Command {
	var f validateFlags
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Compare the arrival processes with what they claim to be, over many seeds",
		Long: `Draw every arrival process with many seeds in the regime of a sweep, and compare the
gaps and counts with what the process claims; place the seeds that sweeps use among
them; and drive two servers of known capacity, in virtual time. Nothing is measured
on an engine. A figure outside its bounds ends with exit code 1.`,
		Example: `  cadence-bench loadgen validate
  cadence-bench loadgen validate --run results/runs/ladder --out runs/loadgen
  cadence-bench loadgen validate --rates 0.5,4 --duration 1m --seeds 1000`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.validate(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.run, "run", "", "take rates, duration and the sweep's seeds from this run")
	flags.StringVar(&f.rates, "rates", "1.4", "offered rates in requests per second, comma-separated, ascending")
	flags.DurationVar(&f.duration, "duration", 180*time.Second, "how long arrivals are offered")
	flags.IntVar(&f.seeds, "seeds", 200, "how many seeds, from 0")
	flags.StringVar(&f.sweep, "sweep-seeds", "1,2,3", "seeds that sweeps use, to place among the others")
	flags.StringArrayVar(&f.processes, "arrivals", studied, "arrival process; repeat the flag for several")
	flags.StringVar(&f.out, "out", loadgenFolder, "folder for validate.json and validate.md")
	return cmd
}

func (f *validateFlags) validate(cmd *cobra.Command) error {
	rates, seeds, err := f.regime(cmd)
	if err != nil {
		return coded(exitInput, err)
	}
	if f.seeds < 2 || f.seeds > 100_000 {
		return coded(exitInput, fmt.Errorf("--seeds: %d is out of range; give 2 to 100000", f.seeds))
	}
	v := validation{Build: results.BuildInfo()}
	for _, spec := range f.processes {
		process, err := loadgen.ParseArrivals(spec)
		if err != nil {
			return coded(exitInput, fmt.Errorf("--arrivals: %w", err))
		}
		for _, rate := range rates {
			if err := process.Check(rate, f.duration); err != nil {
				return coded(exitInput, err)
			}
			if n := rate * f.duration.Seconds(); n < 10 || n > loadgen.MaxArrivals {
				return coded(exitInput, fmt.Errorf("%g requests/s for %v are %.3g arrivals; give 10 to %d", rate, f.duration, n, loadgen.MaxArrivals))
			}
			v.Studies = append(v.Studies, loadgen.NewStudy(process, rate, f.duration, f.seeds, seeds))
		}
	}
	if v.Stubs, err = ideal.Stubs(cmd.Context(), seeds[0]); err != nil {
		return err
	}
	if err := keepTables(cmd, f.out, "validate", v, v.tables()); err != nil {
		return err
	}
	return v.verdict()
}

// regime is the rates and the sweep's seeds; flags that were given come before the
// run's.
func (f *validateFlags) regime(cmd *cobra.Command) (rates []float64, seeds []uint64, err error) {
	if f.run != "" {
		m, err := results.ReadManifest(filepath.Join(f.run, "manifest.json"))
		if err != nil {
			return nil, nil, err
		}
		cfg, err := ladder.ConfigOf(m.Params)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.run, err)
		}
		rates, seeds = cfg.Rates, cfg.Seeds
		if !cmd.Flags().Changed("duration") {
			f.duration = cfg.Duration
		}
	}
	if rates == nil || cmd.Flags().Changed("rates") {
		if rates, err = ladder.ParseRates(f.rates); err != nil || rates == nil {
			return nil, nil, fmt.Errorf("--rates: %q: %w", f.rates, errors.Join(err, errors.New("give numbers")))
		}
	}
	if seeds == nil || cmd.Flags().Changed("sweep-seeds") {
		if seeds, err = ladder.ParseSeeds(f.sweep); err != nil {
			return nil, nil, fmt.Errorf("--sweep-seeds: %w", err)
		}
	}
	return rates, seeds, nil
}

// selftest is what selftest writes.
type selftest struct {
	Build      results.Build      `json:"build"`
	Plan       ideal.Plan         `json:"plan"`
	Answers    []ideal.Answer     `json:"answers"`
	Host       results.Host       `json:"host"` // of the run in wall time
	WallLength float64            `json:"wall_length_s"`
	WallRuns   int                `json:"wall_replications"`
	Wall       []ideal.WallAnswer `json:"wall"`
}

func newSelftest() *cobra.Command {
	plan, wall := ideal.DefaultPlan(), ideal.DefaultWallPlan()
	var out string
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Compare the driver before ideal servers with queueing theory",
		Long: `Drive servers with one and four places, fixed and exponential service, at 30, 70 and
90% load through the real driver and its records, and compare the mean and the
quantiles of the wait with M/D/c and M/M/c: in virtual time within confidence
intervals, and in wall time beside the same tapes in virtual time. A value outside its
interval in virtual time ends with exit code 1; wall time depends on the machine and
is only told.`,
		Example: `  cadence-bench loadgen selftest
  cadence-bench loadgen selftest --wall 0 --replications 20 --out runs/loadgen`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if plan.Replications < 2 || plan.Requests < 100 || wall.Length < 0 || wall.Replications < 2 {
				return coded(exitInput, errors.New("give at least 2 --replications and --wall-replications, 100 --requests, and no negative --wall"))
			}
			t := selftest{Build: results.BuildInfo(), Plan: plan, Host: results.ReadHost(), WallLength: wall.Length.Seconds(), WallRuns: wall.Replications}
			var err error
			if wall.Length > 0 {
				if t.Wall, err = ideal.KnownWall(cmd.Context(), wall); err != nil {
					return err
				}
			}
			if t.Answers, err = ideal.Known(cmd.Context(), plan); err != nil {
				return err
			}
			if err := keepTables(cmd, out, "selftest", t, t.tables()); err != nil {
				return err
			}
			return t.verdict()
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

// keepTables writes what a check found as JSON and its tables as Markdown, and prints
// the tables.
func keepTables(cmd *cobra.Command, dir, name string, data any, tables []report.Table) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return coded(exitWrite, err)
	}
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, name+".json"), append(text, '\n'), 0o644); err != nil {
		return coded(exitWrite, err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(markdownOf(tables)), 0o644); err != nil {
		return coded(exitWrite, err)
	}
	for _, t := range tables {
		if err := t.Text(cmd.OutOrStdout()); err != nil {
			return coded(exitWrite, err)
		}
		fmt.Fprintln(cmd.OutOrStdout())
	}
	return nil
}
