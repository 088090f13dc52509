package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/baseline"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/report/verdict"
)

const gateExitCodes = `Exit codes: 0 passed, 1 a regression, 2 not measurable: no baseline, one of another
schema, calibration, ladder or tape, a figure that is missing or rests on too few
requests, a void cell, or a command line that makes no sense. 5 and 130 are as for the
other commands.`

func newGate(where func() places) *cobra.Command {
	var o baseline.Options
	var outputs verdict.Outputs
	var r gateRealFlags
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Fail when scheduling, KV cache or admission became worse",
		Long: `Simulate a ladder on the twin, in virtual time, and compare its figures with those of a
committed baseline, each within its budget. The same source gives the same figures to
the bit, on a busy machine as on an idle one. An improvement never fails; --update makes
the figures the new baseline, with a reason that stays in its history.

The load is the baseline's. Flags that change it make sense with --update, or with a
baseline that was made with the same ones. docs/gate.md lists the metrics and budgets.

` + gateRealHelp + `

` + gateExitCodes,
		Example: `  cadence-bench gate
  cadence-bench gate --markdown "$GITHUB_STEP_SUMMARY" --junit gate.xml --json gate.json
  cadence-bench gate --prove
  cadence-bench gate --update --reason "prefixes are published before the last chunk"
  cadence-bench gate --ladder my.yaml --baseline my.json --rates 1,2,4 --slo 2s --update --reason "first"
` + gateRealExample,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := r.chosen(cmd)
			switch {
			case err != nil:
			case r.real:
				err = r.run(cmd, where(), o, outputs)
			default:
				err = runGate(cmd, o, outputs)
			}
			return fault.Unmeasurable.Wrap(err)
		},
	}
	o.Bind(cmd.Flags())
	outputs.Bind(cmd.Flags())
	r.bind(cmd.Flags())
	return cmd
}

func runGate(cmd *cobra.Command, o baseline.Options, outputs verdict.Outputs) error {
	if err := o.Check(); err != nil {
		return err
	}
	if err := outputs.Check(o.Prove); err != nil {
		return err
	}
	var err error
	if o.Source, err = machine.EngineSource(); err != nil {
		return err
	}
	found, err := o.Run(cmd.Context(), time.Now())
	if err != nil {
		return err
	}
	if found != nil {
		if err := outputs.Write(cmd.OutOrStdout(), found); err != nil {
			return err
		}
	}
	if !o.Update {
		return found.Err()
	}
	if outputs.Format == "text" {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %s: %s\n", o.Baseline, o.Reason)
	}
	return fault.Write.Wrap(err)
}
