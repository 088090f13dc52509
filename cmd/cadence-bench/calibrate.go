package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/calibrator"
	"github.com/cadence-bench/cadence-bench/ladder/costs"
	"github.com/cadence-bench/cadence-bench/ladder/live"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/outside"
	"github.com/cadence-bench/cadence-bench/ladder/session"
	"github.com/cadence-bench/cadence-bench/results"
)

type calibrateFlags struct {
	model, out string
	quick      bool

	server outside.Server
}

func newCalibrate(where func() places) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure this machine, and fit the twin to it",
		Long: `Measure the engine on this machine: speeds by number of threads, KV layout and flash
attention, then what a step costs by its rows, passes, attention and copies, and what
each rung of the ladder serves. From that it chooses defaults, rates that bracket the
knee of every rung and an SLO with half as much again as 99% of the requests take on
the idle engine, and fits the cost model with which --engine twin simulates this machine.

It takes about four minutes with the default model on two cores; nothing else should
run. With --target it measures a server from outside instead, in two minutes: prompts of
several lengths alone, and short ones together, for the time that a pass of so many rows takes;
and then offers a load that was no part of that, and says how far the twin is from it.

The folder gets ` + calibrator.File + ` and, with every step that was measured,
` + calibrator.RowsFile + `.`,
		Example: `  cadence-bench calibrate
  cadence-bench calibrate --quick --out runs/calibration
  cadence-bench calibrate --model my-model.gguf --out runs/mine
  cadence-bench calibrate --target vllm=http://gpu:8000 --out runs/vllm
  cadence-bench ladder --engine twin --calibration runs/vllm/calibration.json --rates 2,4,8 --slo 4s`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, where()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "GGUF file (default a synthetic model, made when it is not there)")
	flags.StringVar(&f.out, "out", "", "folder to write to (default the cache)")
	flags.BoolVar(&f.quick, "quick", false, "measure less, and only the setting that is chosen (about a minute and a half)")
	flags.StringVar(&f.server.Target, "target", "", "a server to measure from outside, as NAME=URL")
	flags.StringVar(&f.server.API, "api", "chat", "what the target speaks: chat, completions or llama (llama-server's own)")
	flags.StringVar(&f.server.Model, "target-model", "", "model that requests to the target name (default the first that it lists)")
	return cmd
}

func (f *calibrateFlags) run(cmd *cobra.Command, where places) error {
	started := time.Now()
	if f.out == "" {
		f.out = where.Cache
	}
	if err := results.Writable(f.out); err != nil {
		return fault.Write.Wrap(err)
	}
	source, err := machine.EngineSource()
	if err != nil {
		return err
	}
	facts := results.Calibration{
		MadeAt: started, Command: commandLine(cmd), Build: results.BuildInfo(), EngineSource: source, Host: results.ReadHost(),
	}
	note := live.NewProgress(cmd.ErrOrStderr()).Note
	if f.server.Target != "" {
		return outside.Calibrate(cmd.Context(), cmd.OutOrStdout(), f.server, filepath.Join(f.out, calibrator.File), os.Getenv(keyVariable), facts, note)
	}
	m, err := machine.OpenLlama(where, f.model, llamacpp.DefaultPlacement)
	if err != nil {
		return err
	}
	defer session.Announce(note).Release()
	got, err := calibrator.Run(cmd.Context(), calibrator.Config{Machine: m, Quick: f.quick, Note: note, Facts: facts})
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("interrupted; nothing was written%w", hidden{err})
		}
		return err
	}
	if err := got.Write(f.out); err != nil {
		return fault.Write.Wrap(err)
	}
	if err := costs.Text(cmd.OutOrStdout(), &got.Calibration); err != nil {
		return fault.Write.Wrap(err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\n%s\n%s\n", filepath.Join(f.out, calibrator.File), filepath.Join(f.out, calibrator.RowsFile))
	return nil
}
