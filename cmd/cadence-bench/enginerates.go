package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
)

// newEngineRates is the process of one measurement of `engine check --compare`.
func newEngineRates(where func() places) *cobra.Command {
	return &cobra.Command{
		Use: "rates MODEL", Short: "Measure a model's speeds once, for engine check --compare", Hidden: true,
		Example: "  cadence-bench engine rates my-model.gguf",
		Args:    arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := machine.OpenLlama(where(), args[0], llamacpp.DefaultPlacement)
			if err != nil {
				return err
			}
			rates, err := llamacpp.MeasureRates(m.Model())
			if err != nil {
				return fault.Engine.Wrap(err)
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(rates)
		},
	}
}
