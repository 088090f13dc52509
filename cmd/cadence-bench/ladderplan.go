package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/outline"
)

func newLadderPlan() *cobra.Command {
	var f ladderFlags
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show the cells that a ladder would measure, in order, with an estimated end",
		Long: `Print the cells in the order in which ladder with the same flags would measure them, and
about when each would begin. Nothing is measured and no engine is opened. The times are
an estimate from the length of a cell: its arrivals, and half of a client's patience
for what they leave behind. Rates that are left to auto are chosen when ladder starts.`,
		Example: `  cadence-bench ladder plan --preset full
  cadence-bench ladder plan --ladder kv --rates 1,2,4 --seeds 1,2`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.resume {
				return fault.Input.Errorf("--resume: a plan is of a run that is not begun; drop the flag")
			}
			if err := f.resolve(cmd); err != nil {
				return fault.Input.Wrap(err)
			}
			return outline.Plan(cmd.OutOrStdout(), f.Config, time.Now(), f.twin.simulated())
		},
	}
	f.bind(cmd.Flags())
	return cmd
}
