package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/session"
)

// The blocks of traces where nothing else is asked for. The seeds are far from those of
// the presets: what is fitted on must not be what is measured.
const (
	tracesRounds    = 4
	tracesFirstSeed = 10_001
	tracesTimeout   = 10 * time.Minute
)

func newTraces(where func() places) *cobra.Command {
	f := ladderFlags{Options: session.Options{TraceDecisions: true}}
	rounds := tracesRounds
	cmd := &cobra.Command{
		Use:   "traces",
		Short: "Record what an admission policy would see, with nothing refused",
		Long: `Offer every rate in every round to the engine with its prefix cache and no admission, on
a fresh engine for each block, and keep one row per request with all that an admission
policy would have been told: the request, the state of the engine, the steps since the
request before, and what became of it. fit learns from it.

A block is a cell of a ladder with one rung, and the run's folder is a run like any
other: report shows it, and --resume goes on with it. A round is a seed, and rounds
have other seeds than the presets of ladder. Clients wait long enough to see every
answer, since one that was given up on teaches little.

ladder --trace-decisions keeps the same of any run with an admission policy.`,
		Example: `  cadence-bench traces --out runs/traces
  cadence-bench traces --engine twin --rounds 10 --rates 2,4,6,8,12 --slo 2s --duration 60s --out runs/twin-traces
  cadence-bench traces --out runs/traces --resume`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.traces(cmd, rounds); err != nil {
				return fault.Input.Wrap(err)
			}
			return runLadder(cmd, where(), f)
		},
	}
	flags := cmd.Flags()
	f.bind(flags)
	for _, name := range []string{"rungs", "ladder", "seeds", "replicates", "anchor", "target", "api", "target-model", "trace-decisions", "admission-artifact", "allow-other-artifact"} {
		if fl := flags.Lookup(name); fl != nil {
			fl.Hidden = true
		}
	}
	flags.Lookup("timeout").Usage = fmt.Sprintf("a client gives up this long after its arrival (default %v)", tracesTimeout)
	flags.Lookup("out").Usage = "folder of the run (default runs/traces-TIME)"
	flags.IntVar(&rounds, "rounds", tracesRounds, "how often every rate is offered, each time with another seed")
	return cmd
}

// traces makes the flags those of the one rung that is recorded.
func (f *ladderFlags) traces(cmd *cobra.Command, rounds int) error {
	for _, name := range []string{"rungs", "ladder", "seeds", "replicates", "anchor", "target", "admission-artifact"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s: traces has one rung and no admission; use ladder --trace-decisions for others", name)
		}
	}
	f.TraceDecisions = true
	if f.resume {
		if cmd.Flags().Changed("rounds") {
			return errors.New("--rounds: a resumed run keeps the rounds it was started with; drop the flag")
		}
		return nil
	}
	if rounds < 1 || rounds > 1000 {
		return fmt.Errorf("--rounds: %d is out of range; give 1 to 1000", rounds)
	}
	l, err := ladder.TracesLadder()
	if err != nil {
		return err
	}
	f.adjust = func(c *ladder.Config) {
		c.Ladder, c.Seeds, c.Timeout = l, nil, tracesTimeout
		for i := range rounds {
			c.Seeds = append(c.Seeds, uint64(tracesFirstSeed+i))
		}
	}
	if f.Dir == "" {
		f.Dir = runFolder("traces")
	}
	return nil
}
