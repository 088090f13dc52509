package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/ladder/live"
	"github.com/cadence-bench/cadence-bench/ladder/validation"
)

// twinExamples are the documented command lines of the group.
const twinExamples = `  cadence-bench twin validate results/runs/ladder
  cadence-bench twin validate runs/mine --rescale-by runs/other --out runs/mine-twin`

func newTwin(where func() places) *cobra.Command {
	cmd := group("twin", "Compare the engine's simulation with the engine", newTwinValidate(where))
	cmd.Example = twinExamples
	return cmd
}

func newTwinValidate(where func() places) *cobra.Command {
	var o validation.Options
	cmd := &cobra.Command{
		Use:   "validate RUN",
		Short: "Simulate a measured run and say how far off the simulation is",
		Long: `Offer the tapes of a measured run to the twin, and compare, cell by cell, the time of a
step, TTFT, E2E, goodput and hit rate, and whether rungs that the measurement tells
apart keep their order.

Cells with a step trace (ladder --trace-steps) are replayed besides: with the recorded
times of every request and every step the scheduler must decide each step exactly as
it did, and so must its admission policy on every request; the first difference is an
error. The same replay says how long the cost
model takes for the very batches that were measured, which no queue distorts.

--rescale-by RUN multiplies all costs by one number, so that the steps of another run take
as long in all as they did: it takes out by how much the machine's speed changed since it
was calibrated, as far as both runs share that.`,
		Example: twinExamples,
		Args:    arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Out == "" {
				o.Out = filepath.Clean(args[0]) + "-twin"
			}
			show := live.NewProgress(cmd.ErrOrStderr())
			show.Simulated()
			o.Places, o.Progress, o.Note, o.Now = where(), show, show.Note, time.Now
			tables, err := validation.Run(cmd.Context(), args[0], o)
			show.Close()
			if err != nil {
				if errors.Is(err, context.Canceled) {
					return fmt.Errorf("interrupted before the comparison; to compare, remove %s or name another folder by --out%w", o.Out, hidden{err})
				}
				return err
			}
			return printTables(cmd.OutOrStdout(), tables)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Calibration, "calibration", "", "what the twin simulates (default calibration.json in the cache if calibrate made one, else that of this build)")
	flags.BoolVar(&o.Noise, "twin-noise", false, "let the twin's steps vary as the calibrated ones did")
	flags.StringVar(&o.RescaleBy, "rescale-by", "", "another measured run, by whose step traces the costs are scaled to the machine's speed")
	flags.StringVar(&o.Out, "out", "", "folder of the simulated run (default RUN-twin)")
	return cmd
}
