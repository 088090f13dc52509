package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/ladder/fitting"
	"github.com/cadence-bench/cadence-bench/results"
)

func newFit() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "fit RUN...",
		Short: "Fit, calibrate and judge the predictors of admission on recorded decisions",
		Long: `Fit every predictor on the decisions that traces (or ladder --trace-decisions) recorded,
calibrate its bounds and judge them, all in the same way: the blocks of a seed are held
out together, the others take turns in being fitted and calibrated on, so that no
request that is judged shared a queue with one that its bound was made from. A second
table holds out whole rates: what bounds are worth at a load that was not recorded.

The folder gets ` + artifact.File + `, which ladder --admission-artifact starts from, with
the machine, engine, model and traces that it is of; the tables, as Markdown, CSV and
JSON; and ` + fitting.File + `, which has all of them in one.`,
		Example: `  cadence-bench fit runs/traces
  cadence-bench fit runs/traces --out runs/fit
  cadence-bench ladder --admission-artifact runs/fit/artifact.json`,
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFit(cmd.Context(), cmd.OutOrStdout(), commandLine(cmd), args, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to write to (default RUN/fit of the first run)")
	return cmd
}

func runFit(ctx context.Context, stdout io.Writer, command, dirs []string, out string) error {
	started := time.Now()
	if out == "" {
		out = filepath.Join(dirs[0], "fit")
	}
	if err := results.Writable(out); err != nil {
		return fault.Write.Wrap(err)
	}
	traces, err := artifact.ReadTraces(dirs)
	if err != nil {
		return fault.Input.Wrap(err)
	}
	a, record, err := artifact.Fit(ctx, traces, started, command)
	if err != nil {
		return err
	}
	if err := artifact.Write(filepath.Join(out, artifact.File), a); err != nil {
		return fault.Write.Wrap(err)
	}
	if err := fitting.Write(out, record); err != nil {
		return fault.Write.Wrap(err)
	}
	if err := printTables(stdout, fitting.Tables(record)); err != nil {
		return err
	}
	fmt.Fprintln(stdout, filepath.Join(out, artifact.File))
	return nil
}
