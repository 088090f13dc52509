package llamacpp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/engine"
)

// GPUFindings are what GPUCheck found.
type GPUFindings struct {
	Library string     `json:"library"` // llama.cpp's version and commit
	Devices []Device   `json:"devices"`
	Trials  []GPUTrial `json:"trials"` // of each model: all layers, half of them, none
}

// GPUTrial is a model at one placement.
type GPUTrial struct {
	Model  string         `json:"model"`
	Asked  int            `json:"asked"` // layers
	Placed Placed         `json:"placed"`
	Tokens []engine.Token `json:"tokens"` // of the same greedy decode
	Rates  Rates          `json:"rates"`  // tokens/s
}

// agreeing is how many tokens the placements of a model must have in common. Kernels round
// differently, so that a text parts sooner or later.
const agreeing = 8

// GPUCheck opens each model with all layers on the GPUs, with half of them and with none.
func GPUCheck(dir string, models []string) (f GPUFindings, err error) {
	if err := Load(dir); err != nil {
		return f, err
	}
	lib, _ := Loaded()
	f.Library, f.Devices = fmt.Sprintf("llama.cpp %s, commit %s", lib.Version, lib.Commit), devices()
	if !slices.ContainsFunc(f.Devices, func(d Device) bool { return d.gpu() }) {
		return f, fmt.Errorf("the engine library %s finds no GPU on this machine; install one that has with `cadence-bench engine install --backend cuda` (or vulkan), and look at the driver", lib.Dir)
	}
	for _, path := range models {
		layers, err := layersOf(path)
		if err != nil {
			return f, err
		}
		for _, asked := range []int{layers, layers / 2, 0} {
			t := GPUTrial{Asked: asked}
			if err := t.run(path); err != nil {
				return f, fmt.Errorf("%d layers on the GPU: %w", asked, err)
			}
			f.Trials = append(f.Trials, t)
		}
	}
	return f, nil
}

// layersOf is how many layers a GPU can be given: the model's, and the output.
func layersOf(path string) (int, error) {
	m, err := OpenModel(path, Placement{})
	if err != nil {
		return 0, err
	}
	defer m.Close()
	return m.Info().Layers + 1, nil
}

func (t *GPUTrial) run(path string) error {
	m, err := OpenModel(path, Placement{GPULayers: t.Asked})
	if err != nil {
		return err
	}
	defer m.Close()
	t.Model, t.Placed = m.Info().Description, m.Placed()
	var r CheckResult
	if err := r.decodeOn(m); err != nil {
		return err
	}
	t.Tokens = r.Tokens
	t.Rates, err = MeasureRates(m)
	return err
}

// Err says which trials did not do as they were asked.
func (f *GPUFindings) Err() error {
	var errs []error
	for i := range f.Trials {
		t := &f.Trials[i]
		if t.Placed.Offloaded != t.Asked {
			errs = append(errs, fmt.Errorf("%s: %d layers were asked for and %d are on the GPU", t.Model, t.Asked, t.Placed.Offloaded))
		}
		cpu := f.Trials[i/3*3+2].Tokens
		if n := min(agreeing, len(cpu), len(t.Tokens)); !slices.Equal(t.Tokens[:n], cpu[:n]) {
			errs = append(errs, fmt.Errorf("%s with %d layers on the GPU: its first %d tokens differ from the CPU's", t.Model, t.Asked, n))
		}
	}
	return errors.Join(errs...)
}
