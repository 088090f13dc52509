package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/analysis/paired"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/ab"
	"github.com/cadence-bench/cadence-bench/ladder/baseline"
	"github.com/cadence-bench/cadence-bench/ladder/experiment"
	"github.com/cadence-bench/cadence-bench/report/verdict"
)

// gateRealFlags are the flags of `gate --real` as they were written.
type gateRealFlags struct {
	real          bool
	from          string
	margin, plant ab.Share
	ab.Options
}

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
	f.Load = ab.DefaultLoad()
	l := &f.Load
	flags.BoolVar(&f.real, "real", false, "compare two programs on the real engine, in pairs")
	flags.StringVar(&f.A, "a", "", "with --real: what is compared with: a binary or a commit (with --aa default this program)")
	flags.StringVar(&f.B, "b", ab.ThisProgram, "with --real: what is judged: a binary or a commit")
	flags.IntVar(&f.Pairs, "pairs", ab.DefaultPairs, "with --real: pairs of a gate")
	flags.IntVar(&f.Gates, "aa", 0, "with --real: prove the gate by so many of a program against itself")
	f.margin = ab.Share(paired.DefaultRule().Margin)
	flags.Var(&f.margin, "margin", "with --real: the slowdown that is accepted")
	flags.Var(&f.plant, "plant", "with --aa: also so many gates against a side that is slowed by this share, such as 10%")
	flags.Uint64Var(&f.OrderSeed, "order-seed", 1, "with --real: seed of the coin that orders each pair")
	flags.StringVar(&f.from, "from", "", "with --real: measure nothing, and report what is in this folder")
	flags.StringVar(&l.Rung, "rung", l.Rung, "with --real: the rung that both sides run")
	flags.StringVar(&l.Model, "model", "", "with --real: GGUF file (default the synthetic model)")
	flags.IntVar(&l.Requests, "requests", l.Requests, "with --real: requests of a segment, in the mean over tapes")
	flags.IntVar(&l.MaxBatch, "max-batch", l.MaxBatch, "with --real: sequences at once")
	flags.IntVar(&l.Threads, "threads", l.Threads, "with --real: engine threads; more than one makes the time of a step scatter more")
	flags.IntVar(&l.Retain, "kv-retain", l.Retain, "with --real: KV cells of cached prefixes that nobody uses")
	flags.StringVar(&l.KVLayout, "kv-layout", l.KVLayout, "with --real: unified or streams")
	flags.StringVar(&l.FlashAttn, "flash-attn", l.FlashAttn, "with --real: on or off")
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
func (f *gateRealFlags) run(cmd *cobra.Command, where places, shared baseline.Options, outputs verdict.Outputs) error {
	if !slices.Contains(experiment.Formats, outputs.Format) {
		return fmt.Errorf("--format: %q: with --real choose from %s", outputs.Format, strings.Join(experiment.Formats, ", "))
	}
	run, err := f.measured(cmd, where, shared)
	if err != nil {
		return err
	}
	r := experiment.Of(run)
	if err := outputs.Write(cmd.OutOrStdout(), r); err != nil {
		return err
	}
	return r.Err()
}

// measured measures what is asked for, or reads what is there.
func (f *gateRealFlags) measured(cmd *cobra.Command, where places, shared baseline.Options) (*ab.Run, error) {
	if f.from != "" {
		return ab.Open(f.from)
	}
	o := f.Options
	o.Margin, o.Plant = float64(f.margin), float64(f.plant)
	if cmd.Flags().Changed("ladder") {
		o.Load.Ladder = shared.Ladder
	}
	if shared.Workload != "" {
		o.Load.Workload = shared.Workload
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.Tapes = ab.DefaultTapes()
	if shared.Seeds != "" {
		var err error
		if o.Tapes, err = ladder.ParseSeeds(shared.Seeds); err != nil {
			return nil, fmt.Errorf("--seeds: %w", err)
		}
	}
	o.Out, o.Cache, o.Lib, o.Show, o.Now = shared.Dir, where.Cache, where.Lib, cmd.ErrOrStderr(), time.Now
	o.Provenance.Command = commandLine(cmd)
	return ab.Measure(cmd.Context(), o)
}
