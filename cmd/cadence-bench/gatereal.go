package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/ladder/ab"
	"github.com/cadence-bench/cadence-bench/results"
)

// gateRealFlags are the flags of `gate --real` as they were written.
type gateRealFlags struct {
	real         bool
	a, b         string
	pairs, gates int
	margin       percentage
	plant        percentage
	seed         uint64
	again        string
	load         realLoad
}

const defaultPairs = 10

// gateRealHelp is the part of the gate's help that tells of --real.
const gateRealHelp = `With --real the two sides are two binaries or commits (--a, --b), run in turn on the real
engine: a pair is the same requests served by both, one right after the other, in an order
drawn by a coin. The verdict is on the time that the work takes: pass (shown to be slower by
less than --margin), regression (shown to be slower, and by --margin or more in the estimate)
or inconclusive (exit code 2). It prints the smallest slowdown that these pairs would have
found with a chance of 80%. With --out, what was broken off goes on when it is run again.

--aa N proves the gate: N gates of a program against itself and, with --plant 10%, N more
against itself slowed by that share; how often each verdict came, with intervals.`

const gateRealExample = `  cadence-bench gate --real --a main --b HEAD
  cadence-bench gate --real --a old/cadence-bench --pairs 20 --out runs/ab --markdown summary.md
  cadence-bench gate --real --aa 20 --plant 10% --out results/runs/gate/real
  cadence-bench gate --real --from results/runs/gate/real`

func (f *gateRealFlags) bind(flags *pflag.FlagSet) {
	flags.BoolVar(&f.real, "real", false, "compare two programs on the real engine, in pairs")
	flags.StringVar(&f.a, "a", "", "with --real: what is compared with: a binary or a commit (with --aa default this program)")
	flags.StringVar(&f.b, "b", thisProgram, "with --real: what is judged: a binary or a commit")
	flags.IntVar(&f.pairs, "pairs", defaultPairs, "with --real: pairs of a gate")
	flags.IntVar(&f.gates, "aa", 0, "with --real: prove the gate by so many of a program against itself")
	f.margin = percentage(paired.DefaultRule().Margin)
	flags.Var(&f.margin, "margin", "with --real: the slowdown that is accepted")
	flags.Var(&f.plant, "plant", "with --aa: also so many gates against a side that is slowed by this share, such as 10%")
	flags.Uint64Var(&f.seed, "order-seed", 1, "with --real: seed of the coin that orders each pair")
	flags.StringVar(&f.again, "from", "", "with --real: measure nothing, and report what is in this folder")
	f.load.bind(flags)
}

// ofBoth are the flags of the gate that have a meaning with --real too.
var ofBoth = []string{"ladder", "workload", "seeds", "out", "format", "json", "markdown", "help", "cache", "lib"}

// chosen refuses flags of the one gate where the other is asked for, which would
// otherwise have no effect.
func (f *gateRealFlags) chosen(cmd *cobra.Command) error {
	of := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(gateRealFlags).bind(of)
	var wrong error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		isReal := of.Lookup(flag.Name) != nil
		switch {
		case wrong != nil || slices.Contains(ofBoth, flag.Name):
		case isReal && !f.real:
			wrong = fmt.Errorf("--%s: only with --real", flag.Name)
		case !isReal && f.real:
			wrong = fmt.Errorf("--%s: not with --real, which has no baseline", flag.Name)
		}
	})
	return wrong
}

// run measures or reads an experiment, prints it and ends as it says. shared are the
// flags that both gates have.
func (f *gateRealFlags) run(cmd *cobra.Command, where places, shared gateFlags) error {
	if !slices.Contains(realFormats, shared.format) {
		return fmt.Errorf("--format: %q: with --real choose from %s", shared.format, strings.Join(realFormats, ", "))
	}
	run, err := f.experiment(cmd, where, shared)
	if err != nil {
		return err
	}
	r := realReportOf(run)
	if err := shared.print(cmd.OutOrStdout(), r); err != nil {
		return coded(exitWrite, err)
	}
	return r.err()
}

// experiment measures what is asked for, or reads what is there.
func (f *gateRealFlags) experiment(cmd *cobra.Command, where places, shared gateFlags) (*ab.Run, error) {
	if f.again != "" {
		return ab.Open(f.again)
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	f.load.shared(cmd.Flags(), shared)
	tapes, err := f.load.tapes(shared.seeds)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "cadence-bench-gate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	show := cmd.ErrOrStderr()
	note := func(text string) { fmt.Fprintln(show, text) }
	sides, err := f.sides(cmd.Context(), temp, note)
	if err != nil {
		return nil, err
	}
	rule := paired.DefaultRule()
	rule.Margin = float64(f.margin)
	e := ab.Experiment{
		Sides: map[string]ab.Side{}, Arms: f.arms(), Blocks: f.pairs * max(1, f.gates), Gate: f.pairs,
		Seed: f.seed, Tapes: tapes, Rule: rule, Load: f.load.command(),
	}
	s := segments{binaries: map[string]string{}, load: e.Load, where: where, dir: temp, now: time.Now}
	for name, side := range sides {
		e.Sides[name], s.binaries[name] = side.Side, side.binary
	}
	out := shared.out
	if out == "" {
		out = filepath.Join(temp, "gate")
	}
	p := realProgress{w: show, now: time.Now}
	runner := ab.Runner{Dir: out, Measure: s.measure, Now: time.Now, Begun: p.begun, Over: p.over}
	run, err := runner.Run(cmd.Context(), ab.Manifest{
		StartedAt: time.Now().UTC().Truncate(time.Second), Command: commandLine(cmd), Build: results.BuildInfo(), Host: results.ReadHost(), Experiment: e,
	})
	if err != nil && shared.out != "" {
		err = fmt.Errorf("%w; what was measured is kept in %s, and the same command goes on with it", err, shared.out)
	}
	return run, err
}

func (f *gateRealFlags) check() error {
	switch {
	case f.a == "" && f.gates == 0:
		return errors.New("--real: name the binary or the commit to compare with by --a")
	case f.gates < 0 || f.pairs < 1:
		return errors.New("--aa and --pairs must not be negative")
	case f.plant != 0 && f.gates == 0:
		return errors.New("--plant: it is for proving the gate, with --aa")
	case f.gates > 0 && f.b != thisProgram:
		return errors.New("--aa: compares one program with itself: name it by --a")
	}
	return f.load.check()
}

// arms of a gate are A and B; those of a proof A, itself again, and itself slowed.
func (f *gateRealFlags) arms() []ab.Arm {
	if f.gates == 0 {
		return []ab.Arm{{Name: "A", Side: "A"}, {Name: "B", Side: "B"}}
	}
	arms := []ab.Arm{{Name: "A", Side: "A"}, {Name: "A again", Side: "A"}}
	if f.plant != 0 {
		arms = append(arms, ab.Arm{Name: "A slowed", Side: "A", Planted: float64(f.plant)})
	}
	return arms
}

func (f *gateRealFlags) sides(ctx context.Context, temp string, note func(string)) (map[string]realSide, error) {
	asked := map[string]string{"A": f.a}
	if f.gates == 0 {
		asked["B"] = f.b
	} else if f.a == "" {
		asked["A"] = thisProgram
	}
	sides := map[string]realSide{}
	for _, name := range []string{"A", "B"} {
		if asked[name] == "" {
			continue
		}
		side, err := openSide(ctx, asked[name], temp, note)
		if err != nil {
			return nil, err
		}
		sides[name] = side
	}
	return sides, nil
}

// realProgress prints a line for each block.
type realProgress struct {
	w      io.Writer
	now    func() time.Time
	at     time.Time
	before int
}

func (p *realProgress) begun(r *ab.Run) {
	p.at, p.before = p.now(), len(r.Blocks)
	already := ""
	if p.before > 0 {
		already = fmt.Sprintf(", %d of them already measured", p.before)
	}
	fmt.Fprintf(p.w, "%d blocks of %d segments%s\n", r.Manifest.Blocks, len(r.Arms), already)
}

func (p *realProgress) over(r *ab.Run) {
	n, all := len(r.Blocks), r.Manifest.Blocks
	b := r.Blocks[n-1]
	var parts []string
	for _, name := range b.Order {
		parts = append(parts, fmt.Sprintf("%s %.3f s", name, b.Segments[name].Seconds))
	}
	for _, arm := range r.Arms[1:] {
		in := paired.Estimate(r.Logs(r.Blocks, arm.Name, func(s ab.Segment) float64 { return s.Seconds }), r.Rule.Confidence)
		parts = append(parts, fmt.Sprintf("%s so far %+.1f%%", arm.Name, 100*math.Expm1(in.Estimate)))
	}
	left := p.now().Sub(p.at) / time.Duration(n-p.before) * time.Duration(all-n)
	fmt.Fprintf(p.w, "[%d/%d] %s; %v left\n", n, all, strings.Join(parts, ", "), left.Round(time.Second))
}
