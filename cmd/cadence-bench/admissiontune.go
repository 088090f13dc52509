package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/ladder/tune"
	"github.com/cadence-bench/cadence-bench/loadgen"
)

// kneeShare is the share of all arrivals that the rung without admission answers in time
// up to its knee.
const kneeShare = 0.95

// kneeRates is among how many rates the knee is looked for.
const kneeRates = 32

// admissionTune are the flags of `admission tune`.
type admissionTune struct {
	ladder, out              string
	rungs                    []string
	tries                    int
	attain                   float64
	loads, tuneSeeds, seeds  string
	workload                 string
	duration, warmup, slo    time.Duration
	timeout                  time.Duration
	twin                     twinFlags
	offeredLoads             []float64
	tuningSeeds, testedSeeds []uint64
}

func newAdmissionTune(where func() places) *cobra.Command {
	f := admissionTune{twin: twinFlags{engine: engineTwin}}
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
			err := f.run(cmd.Context(), where(), cmd.OutOrStdout(), newProgress(cmd.ErrOrStderr()).Note)
			if errors.As(err, new(ladder.InputError)) {
				return coded(exitInput, err)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.ladder, "ladder", "arms", "built-in ladder or file; its first rung has no admission policy")
	flags.StringSliceVar(&f.rungs, "rungs", nil, "rungs to tune (default all that have a policy)")
	flags.StringVar(&f.out, "out", filepath.Join("results", "runs", "admission", "tuned.yaml"), "ladder to write")
	flags.IntVar(&f.tries, "tries", 24, "sets of parameters for each policy")
	flags.Float64Var(&f.attain, "attain", 0, "share of the admitted that must be in time at every load, such as 0.95; parameters that reach it are better than those that do not")
	flags.StringVar(&f.loads, "loads", "0.7,1.5,3,10", "offered rates as multiples of the knee")
	flags.StringVar(&f.tuneSeeds, "tune-seeds", "101,102,103,104,105", "seeds of the tapes that policies are tuned on")
	flags.StringVar(&f.seeds, "seeds", "1,2,3,4,5,6,7,8,9,10", "seeds of the tapes that they are compared on")
	flags.StringVar(&f.workload, "workload", loadgen.SharedPrompt, "what requests say; tape make --help lists all")
	flags.DurationVar(&f.duration, "duration", time.Minute, "how long each cell offers arrivals")
	flags.DurationVar(&f.warmup, "warmup", 10*time.Second, "arrivals before this are left out")
	flags.DurationVar(&f.timeout, "timeout", time.Minute, "a client gives up this long after its arrival")
	flags.DurationVar(&f.slo, "slo", 0, "end-to-end latency objective (default that of ladder --slo auto)")
	flags.StringVar(&f.twin.calibration, "calibration", "", "what the twin simulates (default as ladder --engine twin)")
	flags.BoolVar(&f.twin.noise, "twin-noise", false, "let the twin's steps vary as the calibrated ones did")
	return cmd
}

// tuning is a run of `admission tune`.
type tuning struct {
	*admissionTune
	bench tune.Bench
	base  spec.Rung   // without a policy
	arms  []spec.Rung // to tune
	knee  float64
	rates []float64
	found []tune.Tuned
}

func (f *admissionTune) run(ctx context.Context, where places, out io.Writer, note func(string)) error {
	t := tuning{admissionTune: f}
	if err := t.read(); err != nil {
		return coded(exitInput, err)
	}
	params := map[string]string{"kv_layout": "auto", "flash_attn": "auto", "threads": "0", "threads_batch": "0", "twin_noise": strconv.FormatBool(f.twin.noise)}
	machine, _, err := f.twin.machine(where, "", params, note)
	if err != nil {
		return err
	}
	cfg := ladder.Config{
		NumRates: kneeRates, Workload: f.workload, Stop: cell.StopScripted, Duration: f.duration, Warmup: f.warmup,
		Timeout: f.timeout, SLO: f.slo,
	}
	cfg.ShareWait = spec.DefaultShareWait
	t.bench = tune.Bench{Machine: machine.(cell.Simulator), Workers: runtime.GOMAXPROCS(0), Config: cfg, Now: time.Now}
	if err := t.findKnee(ctx, note); err != nil {
		return err
	}
	note(fmt.Sprintf("tuning %d policies, %d tries each, at %s requests/s", len(t.arms), f.tries, rateList(t.rates)))
	if t.found, err = t.bench.Tune(ctx, t.arms, tune.Budget{Tries: f.tries, Rates: t.rates, Seeds: f.tuningSeeds, Attain: f.attain}); err != nil {
		return err
	}
	if err := t.write(); err != nil {
		return coded(exitWrite, err)
	}
	note("comparing them on other tapes")
	return t.compare(ctx, out)
}

// read reads the flags.
func (t *tuning) read() (err error) {
	if t.offeredLoads, err = ladder.ParseRates(t.loads); err != nil {
		return fmt.Errorf("--loads: %w", err)
	}
	if !slices.IsSorted(t.offeredLoads) {
		return fmt.Errorf("--loads: %s: give them ascending", t.loads)
	}
	if t.tuningSeeds, err = ladder.ParseSeeds(t.tuneSeeds); err != nil {
		return fmt.Errorf("--tune-seeds: %w", err)
	}
	if t.testedSeeds, err = ladder.ParseSeeds(t.seeds); err != nil {
		return fmt.Errorf("--seeds: %w", err)
	}
	for _, s := range t.testedSeeds {
		if slices.Contains(t.tuningSeeds, s) {
			return fmt.Errorf("--seeds: %d is a seed that the policies are tuned on; compare them on others", s)
		}
	}
	if !(t.attain >= 0 && t.attain < 1) {
		return fmt.Errorf("--attain: %g is not a share from 0 to below 1", t.attain)
	}
	if t.tries < 2 {
		return fmt.Errorf("--tries: %d is too few; give 2 or more", t.tries)
	}
	l, err := spec.Open(t.ladder)
	if err != nil {
		return err
	}
	t.base = l.Rungs[0]
	if t.base.Admission.Policy != "" {
		return fmt.Errorf("--ladder: the first rung of %s has an admission policy; begin with one that has none", l.Name)
	}
	for _, r := range l.Rungs[1:] {
		if r.Admission.Policy != "" && (len(t.rungs) == 0 || slices.Contains(t.rungs, r.Name)) {
			t.arms = append(t.arms, r)
		}
	}
	for _, name := range t.rungs {
		if !slices.ContainsFunc(t.arms, func(r spec.Rung) bool { return r.Name == name }) {
			return fmt.Errorf("--rungs: %s has no rung %q with an admission policy", l.Name, name)
		}
	}
	if len(t.arms) == 0 {
		return fmt.Errorf("--ladder: no rung of %s has an admission policy", l.Name)
	}
	return nil
}

// findKnee measures the rung without a policy, and fixes the SLO and the rates.
func (t *tuning) findKnee(ctx context.Context, note func(string)) error {
	t.bench.Note = note
	table, cfg, err := t.bench.Measure(ctx, []spec.Rung{t.base}, nil, t.tuningSeeds)
	if err != nil {
		return err
	}
	t.bench.Note, t.bench.Config.SLO = nil, cfg.SLO
	if t.knee = tune.Knee(table[t.base.Name], kneeShare); t.knee == 0 {
		return coded(exitInput, fmt.Errorf("%s answers %.0f%% of the arrivals within %v at none of the rates %s", t.base.Name, 100*kneeShare, cfg.SLO, rateList(cfg.Rates)))
	}
	for _, load := range t.offeredLoads {
		rate, _ := strconv.ParseFloat(strconv.FormatFloat(load*t.knee, 'g', 3, 64), 64)
		t.rates = append(t.rates, rate)
	}
	note(fmt.Sprintf("SLO %v, knee of %s %g requests/s", cfg.SLO, t.base.Name, t.knee))
	return nil
}

// write writes the ladder of the tuned arms, with how it came about.
func (t *tuning) write() error {
	l := spec.Ladder{Name: "arms-tuned", Description: "admission policies, tuned on the twin", Rungs: []spec.Rung{t.base}}
	for _, f := range t.found {
		l.Rungs = append(l.Rungs, f.Rung)
	}
	text, err := l.Render()
	if err != nil {
		return err
	}
	source, err := engineSource()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by `cadence-bench admission tune`; made again by it, not by hand.\n")
	for _, line := range [][2]string{
		{"calibration", t.bench.Machine.Params()["calibration"]},
		{"engine source", source},
		{"workload", fmt.Sprintf("%s, %v of arrivals, the first %v left out", t.workload, t.duration, t.warmup)},
		{"SLO", t.bench.Config.SLO.String()},
		{"knee", fmt.Sprintf("%g requests/s of %s, up to which %.0f%% of all arrivals are in time", t.knee, t.base.Name, 100*kneeShare)},
		{"loads", fmt.Sprintf("%s times the knee: %s requests/s", t.loads, rateList(t.rates))},
		{"seeds", t.tuneSeeds},
		{"budget", fmt.Sprintf("%d tries for each policy", t.tries)},
		{"objective", t.objective() + ": as it came, and tuned"},
	} {
		fmt.Fprintf(&b, "# %s: %s\n", line[0], line[1])
	}
	for _, f := range t.found {
		fmt.Fprintf(&b, "#   %-18s %.3f  %.3f\n", f.Rung.Name, f.Default, f.Best)
	}
	if err := os.MkdirAll(filepath.Dir(t.out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(t.out, []byte(b.String()+text), 0o644)
}

// objective says what a policy is tuned for.
func (t *tuning) objective() string {
	s := "mean goodput over loads and seeds, requests/s"
	if t.attain > 0 {
		s += fmt.Sprintf(", if at every load %g%% of the admitted are in time, else the least share that is, less 1", 100*t.attain)
	}
	return s
}

// compare measures all on the other tapes and prints a row for each.
func (t *tuning) compare(ctx context.Context, out io.Writer) error {
	rungs := []spec.Rung{t.base}
	for i, f := range t.found {
		plain := t.arms[i]
		plain.Name += "-as-it-came"
		rungs = append(rungs, f.Rung, plain)
	}
	table, _, err := t.bench.Measure(ctx, rungs, t.rates, t.testedSeeds)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "SLO %v; knee %g requests/s; mean over seeds %s\n", t.bench.Config.SLO, t.knee, t.seeds)
	fmt.Fprintf(out, "goodput in requests/s, and the share of the admitted that was in time\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for i, load := range t.offeredLoads {
		fmt.Fprintf(w, "%g× (%g/s)\t\t", load, t.rates[i])
	}
	fmt.Fprintln(w, "mean\t")
	for _, r := range rungs {
		fmt.Fprintf(w, "%s\t", r.Name)
		var all tune.Cell
		for _, rate := range t.rates {
			c := tune.Sum(table[r.Name][rate])
			all = tune.Sum([]tune.Cell{all, c})
			fmt.Fprintf(w, "%.2f\t%.1f%%\t", c.Goodput(), 100*float64(c.Good)/float64(max(1, c.Admitted)))
		}
		fmt.Fprintf(w, "%.2f\t\n", all.Goodput())
	}
	return w.Flush()
}

func rateList(rates []float64) string {
	var all []string
	for _, r := range rates {
		all = append(all, strconv.FormatFloat(r, 'g', -1, 64))
	}
	return strings.Join(all, ",")
}
