package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/results"
	"github.com/cadence-bench/cadence-bench/results/calibration"
)

// The engines of --engine.
const (
	engineLlama = "llama.cpp"
	engineTwin  = "twin"
)

// twinFlags choose between the engine and its simulation.
type twinFlags struct {
	engine, calibration string
	noise               bool
}

func (t *twinFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&t.engine, "engine", engineLlama, "llama.cpp, or twin: simulate it in virtual time, without library or model")
	flags.StringVar(&t.calibration, "calibration", "", "what the twin simulates (default calibration.json in the cache if calibrate made one, else that of this build)")
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

// machine returns the simulated machine with these parameters: "auto" and "0" are the
// calibration's, and a calibration that params name must be the one found.
func (t *twinFlags) machine(where places, model string, params map[string]string, note func(string)) (cell.Machine, []results.Choice, error) {
	c, id, from, err := t.find(where, params["calibration"])
	if err != nil {
		return nil, nil, coded(exitInput, err)
	}
	setting, err := settingOf(params, c.Chosen.Setting)
	if err != nil {
		return nil, nil, coded(exitInput, err)
	}
	m, err := sim.New(sim.Config{Calibration: c, ID: id, Setting: setting, Noise: params["twin_noise"] == "true"})
	if err != nil {
		return nil, nil, coded(exitInput, fmt.Errorf("%s: %w", from, err))
	}
	what := fmt.Sprintf("%s with %s on %s, %d cores, calibrated %s", c.Library.Version, c.Model.File, c.Host.CPU, c.Host.Cores, c.MadeAt.UTC().Format(time.DateOnly))
	note("simulating " + what)
	if c.Tokens.Shape == "" {
		note("prompts are cut into tokens by the synthetic models' tokenizer, which stands in for the model's own")
	}
	here, err := atHand(where, model, c.Library)
	if err != nil {
		return nil, nil, err
	}
	differences := sim.Differences(c, here)
	for _, d := range differences {
		note(d)
	}
	return m, []results.Choice{{
		Name: "calibration", Value: from, Why: strings.Join(append([]string{what}, differences...), "; "),
	}}, nil
}

// find reads the calibration: the one named, the cache's, or this build's. Unless want
// is "", it is the first of these with that SHA-256.
func (t *twinFlags) find(where places, want string) (c results.Calibration, id, from string, err error) {
	files := []string{t.calibration}
	if t.calibration == "" {
		files = []string{filepath.Join(where.cache, "calibration.json"), ""}
	}
	for _, file := range files {
		from = "the calibration of this build"
		if file == "" {
			c, id, err = calibration.Default()
		} else {
			from = file
			c, id, err = readCalibration(file)
			if errors.Is(err, fs.ErrNotExist) && t.calibration == "" {
				continue
			}
		}
		if err != nil || want == "" || id == want {
			return c, id, from, err
		}
	}
	return c, id, from, fmt.Errorf("the run was simulated by the calibration with SHA-256 %s, and %s is another: name the right one by --calibration", want, from)
}

// committed reads the calibration that is named or, whatever the cache has, this build's.
func (t *twinFlags) committed() (c results.Calibration, id string, err error) {
	if t.calibration != "" {
		return readCalibration(t.calibration)
	}
	return calibration.Default()
}

func readCalibration(file string) (c results.Calibration, id string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return c, "", err
	}
	if c, err = results.ParseCalibration(data); err != nil {
		return c, "", fmt.Errorf("read %s: %w", file, err)
	}
	return c, results.HashBytes(data), nil
}

// settingOf is the setting that params ask for, where they leave nothing open; what
// they do is as chosen.
func settingOf(params map[string]string, chosen results.Setting) (results.Setting, error) {
	s := chosen
	if v := params["kv_layout"]; v != "auto" {
		if _, err := parseLayout(v); err != nil {
			return s, err
		}
		s.KVLayout = v
	}
	if v := params["flash_attn"]; v != "auto" {
		if _, err := llamacpp.ParseFlashAttn(v); err != nil {
			return s, fmt.Errorf("--flash-attn: %w", err)
		}
		s.FlashAttn = v
	}
	one, err := threadCount("--threads", params["threads"])
	if err != nil {
		return s, err
	}
	more, err := threadCount("--threads-batch", params["threads_batch"])
	if err != nil {
		return s, err
	}
	if one > 0 {
		s.Threads, s.ThreadsBatch = one, one
	}
	if more > 0 {
		s.ThreadsBatch = more
	}
	return s, nil
}

// atHand is what a calibration is compared with: this machine and program, and the
// library and model that it would use, as far as they are there.
func atHand(where places, model string, lib results.Library) (sim.Here, error) {
	host := results.ReadHost()
	here := sim.Here{CPU: host.CPU, Cores: host.Cores}
	if dir, err := llamacpp.Locate(where.lib, where.cache); err == nil {
		here.Library = map[string]string{}
		for name := range lib.Files {
			if here.Library[name], err = results.HashFile(filepath.Join(dir, name)); err != nil {
				here.Library[name] = "not there"
			}
		}
	}
	var err error
	if here.EngineSource, err = engineSource(); err != nil {
		return here, err
	}
	if model == "" {
		if model = cachedModel(where, defaultSpec()); !exists(model) {
			return here, nil
		}
	} else if _, err := gguf.Inspect(model); err != nil {
		return here, coded(exitEngine, err)
	}
	here.ModelSHA256, err = results.HashFile(model)
	return here, coded(exitEngine, err)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
