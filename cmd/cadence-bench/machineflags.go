package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/ladder/machine"
	"github.com/cadence-bench/cadence-bench/ladder/published"
)

// The engines of --engine.
const (
	engineLlama = machine.LlamaBackend
	engineTwin  = "twin"
)

// twinFlags choose between the engine and its simulation.
type twinFlags struct {
	engine, calibration string
	noise               bool
}

func (t *twinFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&t.engine, "engine", engineLlama, "llama.cpp, or twin: simulate it in virtual time, without library or model")
	flags.StringVar(&t.calibration, "calibration", "", "what the twin simulates: a file, or "+strings.Join(published.Names(), " or ")+", of which others published the costs (default calibration.json in the cache if calibrate made one, else that of this build)")
	flags.BoolVar(&t.noise, "twin-noise", false, "let the twin's steps vary as the calibrated ones did")
}

func (t *twinFlags) simulated() bool { return t.engine == engineTwin }

// did says what was done, for messages.
func (t *twinFlags) did() string {
	if t.simulated() {
		return "simulated"
	}
	return "measured"
}

// check says what is wrong with the flags, if anything.
func (t *twinFlags) check(canonical bool) error {
	switch {
	case t.engine != engineLlama && t.engine != engineTwin:
		return fmt.Errorf("--engine: unknown engine %q; choose %s or %s", t.engine, engineLlama, engineTwin)
	case t.simulated() && canonical:
		return errors.New("--canonical: the twin has no costs for it, and its answers are equal on every rung anyway")
	case !t.simulated() && t.calibration != "":
		return errors.New("--calibration: only --engine twin takes one")
	case !t.simulated() && t.noise:
		return errors.New("--twin-noise: only --engine twin has it")
	}
	return nil
}
