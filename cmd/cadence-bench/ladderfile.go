package main

import (
	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/outline"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

func newLadderList() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the built-in ladders and their rungs",
		Example: "  cadence-bench ladder list",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return outline.List(cmd.OutOrStdout())
		},
	}
}

func newLadderCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE|NAME",
		Short: "Say what each rung of a ladder changes against the one below",
		Long: `Read a ladder and print, for each rung, the settings in which it differs from the rung
below it. A rung that changes more than one mechanism is warned of: what it gains or
loses cannot be put down to either. The rung below is the nearest one before it that is
not optional or, for an optional rung, the nearest one.

Warnings do not change the exit code; an error, which is one line with the file and the
line, does (2). docs/ladders.md says which settings make up a mechanism.`,
		Example: `  cadence-bench ladder check cadence
  cadence-bench ladder check my-ladder.yaml`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := spec.Open(args[0])
			if err != nil {
				return fault.Input.Wrap(err)
			}
			return outline.Check(cmd.OutOrStdout(), l)
		},
	}
}
