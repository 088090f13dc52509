package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/results"
)

func newModel(where func() places) *cobra.Command {
	return group("model", "Make and look at models", newModelSynth(where), newModelInspect())
}

func newModelSynth(where func() places) *cobra.Command {
	var shape, typ, out string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "synth",
		Short: "Make a synthetic model",
		Long: `Make a GGUF model with the architecture and the cost of a real one and random
weights, the same for every machine by seed. Its text is noise; what a step costs is
that of a real model of its shape.`,
		Example: `  cadence-bench model synth
  cadence-bench model synth --shape qwen2.5-0.5b --type Q4_0 --out qwen-shape.gguf`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := gguf.ShapeByName(shape)
			if err != nil {
				return fault.Input.Errorf("--shape: %w", err)
			}
			spec := gguf.Spec{Shape: s, Seed: seed}
			if typ != "" {
				if spec.Type, err = gguf.ParseType(typ); err != nil {
					return fault.Input.Errorf("--type: %w", err)
				}
			}
			file, made, err := machine.Synthesise(where(), spec, out)
			if err != nil {
				return err
			}
			what := "made"
			if !made {
				what = "already there:"
			}
			fmt.Fprintln(cmd.OutOrStdout(), what, file)
			return nil
		},
	}
	cmd.Flags().StringVar(&shape, "shape", gguf.Shapes()[0].Name, "cadence-30m, smollm2-135m or qwen2.5-0.5b")
	cmd.Flags().StringVar(&typ, "type", "", "weights: F16, Q8_0 or Q4_0 (default the shape's)")
	cmd.Flags().Uint64Var(&seed, "seed", machine.DefaultModel().Seed, "seed of the weights")
	cmd.Flags().StringVar(&out, "out", "", "file to write (default in the cache)")
	return cmd
}

func newModelInspect() *cobra.Command {
	return &cobra.Command{
		Use:     "inspect FILE",
		Short:   "Say what a GGUF file holds, and whether it is whole",
		Example: `  cadence-bench model inspect my-model.gguf`,
		Args:    arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			info, err := gguf.Inspect(args[0])
			if err != nil {
				return fault.Engine.Wrap(err)
			}
			return printModel(cmd.OutOrStdout(), args[0], info)
		},
	}
}

func printModel(out io.Writer, file string, info gguf.Info) error {
	hash, err := results.HashFile(file)
	if err != nil {
		return fault.Engine.Wrap(err)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name string, value any) { fmt.Fprintf(w, "%s\t%v\n", name, value) }
	row("file", file)
	row("sha256", hash)
	row("size", fmt.Sprintf("%.1f MB, GGUF version %d", float64(info.FileBytes)/1e6, info.Version))
	row("name", info.Name)
	row("architecture", info.Architecture)
	row("parameters", fmt.Sprintf("%.1f million in %d tensors, %s", float64(info.Params)/1e6, info.Tensors, info.FileType))
	row("layers", info.Layers)
	row("width", fmt.Sprintf("%d, feed-forward %d", info.Width, info.FFN))
	row("heads", fmt.Sprintf("%d, of keys and values %d", info.Heads, info.KVHeads))
	row("vocabulary", fmt.Sprintf("%d tokens, %s", info.Vocab, info.Tokenizer))
	row("context", fmt.Sprintf("%d tokens", info.Context))
	row("chat template", yes(info.ChatTemplate))
	if syn := info.Synthetic; syn != nil {
		row("synthetic", fmt.Sprintf("shape %s, seed %d, schema %d", syn.Shape, syn.Seed, syn.Schema))
	}
	return w.Flush()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
