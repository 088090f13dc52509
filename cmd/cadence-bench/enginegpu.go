package main

import (
	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/ladder/libraries"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
)

func newEngineGPUCheck(where func() places) *cobra.Command {
	var out string
	var shapes []string
	cmd := &cobra.Command{
		Use:   "gpu-check",
		Short: "Say where a GPU takes the layers that it is given, and what it buys",
		Long: `Open synthetic models with all layers on the GPU, with half of them there, and with none;
read back where llama.cpp put them; decode the same text each time; and measure tokens per
second. The findings go to one JSON file. It takes some minutes. A placement that llama.cpp
did not follow, or other tokens than the CPU's in the first eight, end it with exit code 1.`,
		Example: `  cadence-bench engine install --backend cuda
  cadence-bench --lib cuda engine gpu-check --out gpu-check.json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return libraries.CheckGPU(cmd.OutOrStdout(), where(), shapes, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "gpu-check.json", "file for the findings")
	cmd.Flags().StringSliceVar(&shapes, "shapes", []string{machine.DefaultModel().Shape.Name, "qwen2.5-0.5b"}, "shapes of the synthetic models")
	return cmd
}
