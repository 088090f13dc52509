// Package libraries says what builds of llama.cpp are worth on this machine: a native one beside
// the prebuilt, each measured in a process of its own, and one for GPUs.
package libraries

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/versus"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/results"
)

// Compare prints what the native libraries buy, for a shape by types of weights.
func Compare(ctx context.Context, out io.Writer, where machine.Places, shape string, types []string, rounds int) error {
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
		r, err := ratesWith(ctx, where, lib[native], file)
		if err != nil && ctx.Err() == nil {
			err = fault.Engine.Errorf("measure %s with %s: %w", file, lib[native], err)
		}
		return r, err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d rounds; prebuilt %s, native %s\n", rounds, filepath.Base(lib[false]), filepath.Base(lib[true]))
	return versus.Text(out, rows)
}

// ratesWith measures a model with the libraries in a folder, in a process of its own.
func ratesWith(ctx context.Context, where machine.Places, lib, model string) (r llamacpp.Rates, err error) {
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

// Try computes prompts and answers of the default model, alone and in a full batch.
func Try(ctx context.Context, where machine.Places, lib string) error {
	model, _, err := machine.Synthesise(where, machine.DefaultModel(), "")
	if err != nil {
		return err
	}
	_, err = ratesWith(ctx, where, lib, model)
	return err
}

// CheckGPU looks where the libraries put the layers of models of these shapes, and writes what
// it found to a file.
func CheckGPU(w io.Writer, where machine.Places, shapes []string, out string) error {
	dir, err := llamacpp.Locate(where.Lib, where.Cache)
	if err != nil {
		return fault.Engine.Wrap(err)
	}
	var models []string
	for _, name := range shapes {
		shape, err := gguf.ShapeByName(name)
		if err != nil {
			return fault.Input.Errorf("--shapes: %w", err)
		}
		file, _, err := machine.Synthesise(where, gguf.Spec{Shape: shape, Seed: 1}, "")
		if err != nil {
			return err
		}
		models = append(models, file)
	}
	check, err := llamacpp.GPUCheck(dir, models)
	if err != nil {
		return fault.Engine.Wrap(err)
	}
	if err := results.WriteJSON(out, check); err != nil {
		return fault.Write.Wrap(err)
	}
	fmt.Fprintf(w, "%d models on %d devices: %s\n", len(models), len(check.Devices), out)
	return check.Err()
}
