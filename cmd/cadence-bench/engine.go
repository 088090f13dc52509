package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/libraries"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
)

func newEngine(where func() places) *cobra.Command {
	return group("engine", "Install, build and check the llama.cpp libraries", newEngineInstall(where), newEngineBuild(where), newEngineCheck(where), newEngineGPUCheck(where), newEngineRates(where))
}

func newEngineInstall(where func() places) *cobra.Command {
	var platform, backend string
	var force bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Fetch the prebuilt libraries for this platform",
		Long: `Fetch the prebuilt llama.cpp libraries of the pinned release into the cache: through
npm where it is installed, else from the release's publisher. Every file is checked
against its pinned SHA-256. What is there and whole is left as it is.`,
		Example: `  cadence-bench engine install
  cadence-bench engine install --backend cuda    and then --lib cuda uses them
  cadence-bench engine install --force
  cadence-bench --lib /opt/llama.cpp/lib engine check    use your own build instead`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if platform == "" {
				p, err := llamacpp.BackendPlatform(backend)
				if err != nil {
					return fault.Engine.Wrap(err)
				}
				platform = string(p)
			}
			dir, err := llamacpp.Install(cmd.Context(), llamacpp.Options{
				Cache: where().Cache, Platform: llamacpp.Platform(platform), Force: force, Log: cmd.ErrOrStderr(),
			})
			if err != nil {
				return fault.Engine.Wrap(err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), "installed in", dir)
			return nil
		},
	}
	cmd.Flags().StringVar(&backend, "backend", "cpu", "cpu, cuda, vulkan or metal")
	cmd.Flags().StringVar(&platform, "platform", "", "for another machine, such as linux-arm64 or win-x64-cuda (default this machine's with --backend)")
	cmd.Flags().BoolVar(&force, "force", false, "fetch again although it is there and whole")
	return cmd
}

func newEngineBuild(where func() places) *cobra.Command {
	var o llamacpp.BuildOptions
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Compile the libraries for this machine's processor or GPU",
		Long: `Compile the pinned llama.cpp release for this machine with git, cmake and a C++ compiler.
The sources come through npm and are checked against their pinned SHA-256. It takes about
a quarter of an hour on two cores; an interrupted build goes on where it was. The result
is tried before it is kept, and compiled once more without AMX where this machine has it in
name only. --lib native uses it, and --lib native-cuda one for CUDA.`,
		Example: `  cadence-bench engine build
  cadence-bench engine build --backend cuda --cmake CMAKE_CUDA_ARCHITECTURES=90
  cadence-bench --lib native engine check`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Cache, o.Log = where().Cache, cmd.ErrOrStderr()
			o.Try = func(ctx context.Context, dir string) error { return libraries.Try(ctx, where(), dir) }
			dir, err := llamacpp.Build(cmd.Context(), o)
			if err != nil {
				return fault.Engine.Wrap(err)
			}
			fmt.Fprintln(cmd.OutOrStdout(), "built in", dir)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Backend, "backend", "cpu", "cpu, cuda, vulkan or metal")
	flags.StringArrayVar(&o.CMake, "cmake", nil, "a further setting of cmake, such as GGML_OPENMP=OFF (repeatable)")
	flags.StringVar(&o.Bundle, "bundle", "", "the sources: llama/gitRelease.bundle of the npm package node-llama-cpp@3.22.1 (default fetch it)")
	flags.BoolVar(&o.Force, "force", false, "compile again although it is there and whole")
	return cmd
}

func newEngineCheck(where func() places) *cobra.Command {
	var model, shape string
	var compare bool
	var types []string
	var rounds int
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say which engine this is, where it runs, and that it decodes",
		Long: `Say which engine this is, where it runs, and that it decodes. With --compare, say what
the libraries of engine build (or those of --lib) buy over the prebuilt ones: tokens per
second of prefill and decode, alone and in a full batch. Each round runs both, in turn.
Two whose ranges overlap are not told apart. Nothing else should run meanwhile.`,
		Example: `  cadence-bench engine check
  cadence-bench engine check --compare --shape qwen2.5-0.5b --types Q8_0,Q4_0`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if compare {
				return libraries.Compare(cmd.Context(), cmd.OutOrStdout(), where(), shape, types, rounds)
			}
			dir, err := llamacpp.Locate(where().Lib, where().Cache)
			if err != nil {
				return fault.Engine.Wrap(err)
			}
			if model == "" {
				if model, _, err = machine.Synthesise(where(), machine.DefaultModel(), ""); err != nil {
					return err
				}
			}
			check, err := llamacpp.Check(dir, model)
			if err != nil {
				return fault.Engine.Wrap(err)
			}
			return printCheck(cmd.OutOrStdout(), check)
		},
	}
	cmd.Flags().StringVar(&model, "model", "", "GGUF file for the decode (default the synthetic model)")
	cmd.Flags().BoolVar(&compare, "compare", false, "compare the native libraries with the prebuilt ones")
	cmd.Flags().StringVar(&shape, "shape", machine.DefaultModel().Shape.Name, "with --compare: shape of the synthetic models")
	cmd.Flags().StringSliceVar(&types, "types", []string{"F16", "Q8_0", "Q4_0"}, "with --compare: types of weights")
	cmd.Flags().IntVar(&rounds, "rounds", 5, "with --compare: measurements of each library")
	return cmd
}

func printCheck(out io.Writer, c llamacpp.CheckResult) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("library", "llama.cpp %s, commit %s, ggml %s", c.Library.Version, c.Library.Commit, c.Library.GGML)
	row("folder", "%s", c.Library.Dir)
	pinned := "a build of your own, not pinned"
	if c.Library.Pinned {
		pinned = "equal to their pins"
	}
	row("files", "%d, %s", len(c.Library.Files), pinned)
	row("CPU variant", "%s", c.CPUVariant)
	for _, d := range c.Devices {
		row("device", "%s: %s, %s, %.1f of %.1f GiB free", d.Name, d.Description, d.Type, float64(d.Free)/(1<<30), float64(d.Total)/(1<<30))
	}
	row("system", "%s", c.SystemInfo)
	row("decode", "%d tokens in %v from %s: %q", len(c.Tokens), c.Took.Round(time.Microsecond), c.Model.Description, c.Text)
	return w.Flush()
}
