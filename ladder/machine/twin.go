package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/published"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/results"
	"github.com/cadence-bench/cadence-bench/results/calibration"
)

// OpenTwin returns the simulated machine: what c leaves open is as the calibration has it,
// which must be the one that c names, if it does. file is the calibration's; "" is the
// cache's, if it has one, else that of this build.
func OpenTwin(p Places, file, model string, want Config, note func(string)) (*sim.Machine, []results.Choice, error) {
	c, id, from, err := findCalibration(p, file, want.Calibration)
	if err != nil {
		return nil, nil, fault.Input.Wrap(err)
	}
	setting, err := want.setting(c.Chosen.Setting)
	if err != nil {
		return nil, nil, fault.Input.Wrap(err)
	}
	m, err := sim.New(sim.Config{Calibration: c, ID: id, Setting: setting, Noise: want.Noise})
	if err != nil {
		return nil, nil, fault.Input.Errorf("%s: %w", from, err)
	}
	what := fmt.Sprintf("%s with %s on %s, %d cores, calibrated %s", c.Library.Version, c.Model.File, c.Host.CPU, c.Host.Cores, c.MadeAt.UTC().Format(time.DateOnly))
	if c.MadeAt.IsZero() {
		what = fmt.Sprintf("%s with %s on %s, from published measurements", c.Library.Version, c.Model.File, c.Host.CPU)
	}
	note("simulating " + what)
	if c.Tokens.Shape == "" {
		note("prompts are cut into tokens by the synthetic models' tokenizer, which stands in for the model's own")
	}
	here, err := atHand(p, model, c.Library)
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

// CachedCalibration is the file of the calibration that calibrate put into the cache; "" if
// it did not.
func CachedCalibration(p Places) string {
	if file := filepath.Join(p.Cache, "calibration.json"); exists(file) {
		return file
	}
	return ""
}

// findCalibration reads the calibration: the one named, the cache's, or this build's.
// Unless want is "", it is the first of these with that SHA-256.
func findCalibration(p Places, named, want string) (c results.Calibration, id, from string, err error) {
	if slices.Contains(published.Names(), named) {
		m, id, err := published.Open(named)
		if err == nil {
			c, err = m.Calibration()
		}
		if err == nil && want != "" && want != id {
			err = fmt.Errorf("the run was simulated by the calibration with SHA-256 %s, and %s has %s", want, named, id)
		}
		return c, id, named + ", as published by " + m.Source, err
	}
	files := []string{named}
	if named == "" {
		files = []string{filepath.Join(p.Cache, "calibration.json"), ""}
	}
	for _, file := range files {
		if from = file; file == "" {
			from = "the calibration of this build"
		}
		c, id, err = calibration.Open(file)
		if errors.Is(err, fs.ErrNotExist) && named == "" {
			continue
		}
		if err != nil || want == "" || id == want {
			return c, id, from, err
		}
	}
	return c, id, from, fmt.Errorf("the run was simulated by the calibration with SHA-256 %s, and %s is another: name the right one by --calibration", want, from)
}

// setting is the setting of a calibration that c asks for: what c leaves open is as chosen.
func (c *Config) setting(s results.Setting) (results.Setting, error) {
	if c.KVLayout != auto {
		if _, err := parseLayout(c.KVLayout); err != nil {
			return s, err
		}
		s.KVLayout = c.KVLayout
	}
	if c.FlashAttn != auto {
		if _, err := llamacpp.ParseFlashAttn(c.FlashAttn); err != nil {
			return s, fmt.Errorf("--flash-attn: %w", err)
		}
		s.FlashAttn = c.FlashAttn
	}
	if c.Threads > 0 {
		s.Threads, s.ThreadsBatch = c.Threads, c.Threads
	}
	if c.ThreadsBatch > 0 {
		s.ThreadsBatch = c.ThreadsBatch
	}
	return s, c.check()
}

// atHand is what a calibration is compared with: this machine and program, and the
// library and model that it would use, as far as they are there.
func atHand(p Places, model string, lib results.Library) (results.Origin, error) {
	here := results.Origin{Host: results.ReadHost()}
	if dir, err := llamacpp.Locate(p.Lib, p.Cache); err == nil {
		here.Library.Files = map[string]string{}
		for name := range lib.Files {
			if here.Library.Files[name], err = results.HashFile(filepath.Join(dir, name)); err != nil {
				here.Library.Files[name] = "not there"
			}
		}
	}
	var err error
	if here.EngineSource, err = EngineSource(); err != nil {
		return here, err
	}
	if model == "" {
		if model = cachedModel(p, DefaultModel()); !exists(model) {
			return here, nil
		}
	} else if _, err := gguf.Inspect(model); err != nil {
		return here, fault.Engine.Wrap(err)
	}
	here.Model.SHA256, err = results.HashFile(model)
	return here, fault.Engine.Wrap(err)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
