package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/versus"
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

// compareLibraries prints what the native libraries buy, for a shape by types of weights.
func compareLibraries(cmd *cobra.Command, where places, shape string, types []string, rounds int) error {
	s, err := gguf.ShapeByName(shape)
	if err != nil {
		return fault.Input.Errorf("--shape: %w", err)
	}
	if rounds < 3 { // fewer have no range
		return fault.Input.Errorf("--rounds %d: want at least 3", rounds)
	}
	native := where.Lib
	if native == "" {
		native = llamacpp.Native
	}
	lib := map[bool]string{}
	if lib[true], err = llamacpp.Locate(native, where.Cache); err != nil {
		return fault.Engine.Wrap(err)
	}
	if lib[false], err = llamacpp.Installed(where.Cache); err != nil {
		return fault.Engine.Wrap(err)
	}
	var models []versus.Model
	for _, name := range types {
		typ, err := gguf.ParseType(name)
		if err != nil {
			return fault.Input.Errorf("--types: %w", err)
		}
		file, _, err := machine.Synthesise(where, gguf.Spec{Shape: s, Type: typ, Seed: 1}, "")
		if err != nil {
			return err
		}
		models = append(models, versus.Model{Name: shape + " " + typ.String(), File: file})
	}
	rows, err := versus.Run(models, rounds, func(native bool, file string) (llamacpp.Rates, error) {
		r, err := ratesWith(cmd.Context(), where, lib[native], file)
		if err != nil && cmd.Context().Err() == nil {
			err = fault.Engine.Errorf("measure %s with %s: %w", file, lib[native], err)
		}
		return r, err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d rounds; prebuilt %s, native %s\n", rounds, filepath.Base(lib[false]), filepath.Base(lib[true]))
	return versus.Text(cmd.OutOrStdout(), rows)
}

// ratesWith measures a model with the libraries in a folder, in a process of its own.
func ratesWith(ctx context.Context, where places, lib, model string) (r llamacpp.Rates, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	child := exec.CommandContext(ctx, self, "--cache", where.Cache, "--lib", lib, "engine", "rates", model)
	var said bytes.Buffer
	child.Stderr = &said
	out, err := child.Output()
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case err != nil && strings.Contains(said.String()+err.Error(), "illegal instruction"),
		err != nil && strings.Contains(said.String(), "SIGILL"):
		return r, llamacpp.ErrIllegalInstruction
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return r, fmt.Errorf("%w: %s", err, line)
	}
	return r, json.Unmarshal(out, &r)
}

// tryLibraries computes prompts and answers of the default model, alone and in a full batch.
func tryLibraries(ctx context.Context, where places, lib string) error {
	model, _, err := machine.Synthesise(where, machine.DefaultModel(), "")
	if err != nil {
		return err
	}
	_, err = ratesWith(ctx, where, lib, model)
	return err
}
