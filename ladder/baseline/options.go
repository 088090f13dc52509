package baseline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/mutate"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/report/verdict"
	"github.com/cadence-bench/cadence-bench/results/calibration"
)

// Options are what is asked of the gate.
type Options struct {
	Baseline    string // its file
	Ladder      string // a built-in one's name, or a file
	Calibration string // a file; "": that of this build
	Source      string // hash of the engine's
	Dir         string // to keep the run in; "": nowhere

	// Rates, Seeds, Workload and times that are zero are the baseline's.
	Rates, Seeds, Workload string
	Duration, SLO          time.Duration

	Update bool   // make the figures the new baseline
	Reason string // for Update, in one line
	Prove  bool   // make mistakes on purpose, instead
	All    bool   // tell every figure, not only the worst
}

// Bind makes the flags.
func (o *Options) Bind(flags *pflag.FlagSet) {
	flags.StringVar(&o.Baseline, "baseline", filepath.Join("results", "runs", "gate", "baseline.json"), "what to compare with, or to write with --update")
	flags.StringVar(&o.Ladder, "ladder", defaultLadder, "the rungs: a built-in ladder's name or a YAML file")
	flags.StringVar(&o.Calibration, "calibration", "", "what the twin simulates (default that of this build)")
	flags.StringVar(&o.Rates, "rates", "", "offered rates in requests per second, comma-separated, ascending (default the baseline's)")
	flags.StringVar(&o.Seeds, "seeds", "", "seeds of the tapes, comma-separated (default the baseline's)")
	flags.DurationVar(&o.Duration, "duration", 0, "how long each cell offers arrivals (default the baseline's)")
	flags.DurationVar(&o.SLO, "slo", 0, "end-to-end latency objective (default the baseline's)")
	flags.StringVar(&o.Workload, "workload", "", "what requests say; tape make --help lists all (default the baseline's)")
	flags.BoolVar(&o.Update, "update", false, "write the baseline anew")
	flags.StringVar(&o.Reason, "reason", "", "with --update: why these figures are right, in one line")
	flags.StringVar(&o.Dir, "out", "", "keep the run in this folder, for report and compare")
	flags.BoolVar(&o.Prove, "prove", false, "make mistakes on purpose, one at a time, and fail unless the gate catches each")
	flags.BoolVar(&o.All, "all", false, "print every figure, not only each metric's worst and what failed")
}

// Check says which of the flags contradict each other.
func (o *Options) Check() error {
	o.Reason = strings.TrimSpace(o.Reason)
	switch {
	case o.Update && o.Reason == "":
		return errors.New("--update: say why by --reason, in one line; it stays in the baseline's history")
	case o.Update && strings.ContainsAny(o.Reason, "\r\n"):
		return errors.New("--reason: give one line")
	case !o.Update && o.Reason != "":
		return errors.New("--reason: only --update takes one")
	case o.Prove && o.Update:
		return errors.New("--prove: it compares with the baseline that is there; run --update before it")
	case o.Prove && o.Dir != "":
		return errors.New("--out: --prove makes many runs and keeps none")
	}
	return nil
}

// Run compares the ladder with its baseline, proves the gate, or writes the baseline
// anew, as o asks. The document says what was found; it is nil for a first baseline.
func (o *Options) Run(ctx context.Context, now time.Time) (verdict.Document, error) {
	old, err := Read(o.Baseline)
	if err != nil && !(o.Update && errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	cfg, err := o.config(old)
	if err != nil {
		return nil, err
	}
	if o.Prove {
		proof, err := Prove(ctx, *old, cfg, mutate.Mutations())
		return &verdict.Proof{Baseline: *old, Proof: proof}, err
	}
	got, err := Measure(ctx, cfg)
	if err != nil {
		return nil, err
	}
	var found verdict.Document
	if old != nil {
		g := verdict.Gate{Baseline: *old, Now: got.Measured, Result: gate.Compare(*old, got.Measured, gate.Budgets()), All: o.All}
		if g.Result.Verdict == gate.Regression {
			g.Explain(DecisionsFile(o.Baseline), got.Decided)
		}
		found = &g
	}
	if !o.Update {
		return found, nil
	}
	next, err := got.Next(old, o.Reason, now)
	if err != nil {
		return nil, err
	}
	return found, Write(o.Baseline, next, got.Decided)
}

// config is the run that o asks for, with the load of the baseline, unless that is nil,
// where o does not say.
func (o *Options) config(old *gate.Baseline) (Config, error) {
	cfg := Config{Load: DefaultLoad(), Command: o.command(), Source: o.Source, Dir: o.Dir}
	if old != nil {
		cfg.Load = old.Provenance.Load
	}
	var err error
	if cfg.Ladder, err = spec.Open(o.Ladder); err != nil {
		return cfg, err
	}
	if cfg.Calibration, cfg.ID, err = calibration.Open(o.Calibration); err != nil {
		return cfg, err
	}
	if o.Rates != "" {
		if cfg.Load.Rates, err = ladder.ParseRates(o.Rates); err != nil {
			return cfg, fmt.Errorf("--rates: %w", err)
		}
	}
	if o.Seeds != "" {
		if cfg.Load.Seeds, err = ladder.ParseSeeds(o.Seeds); err != nil {
			return cfg, fmt.Errorf("--seeds: %w", err)
		}
	}
	if o.Duration != 0 {
		cfg.Load.DurationS = o.Duration.Seconds()
		cfg.Load.WarmupS = cfg.Load.DurationS / warmupShare
	}
	if o.SLO != 0 {
		cfg.Load.SLOS = o.SLO.Seconds()
	}
	if o.Workload != "" {
		cfg.Load.Workload = o.Workload
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
func (o *Options) command() string {
	words := []string{"cadence-bench", "gate", "--update"}
	if o.Ladder != defaultLadder {
		words = append(words, "--ladder", filepath.ToSlash(o.Ladder))
	}
	if o.Calibration != "" {
		words = append(words, "--calibration", filepath.ToSlash(o.Calibration))
	}
	return strings.Join(words, " ")
}
