package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
	"github.com/cadence-bench/cadence-bench/results"
)

// Places are where the things that the program fetches and makes are.
type Places struct {
	Cache string
	Lib   string // the folder of the libraries; "": the cache's
}

// OpenLlama loads the libraries and the model: file, or the default model,
// which is made if it is not there yet, and puts it where it shall lie.
func OpenLlama(p Places, file string, where llamacpp.Placement) (*Llama, error) {
	if file != "" {
		if _, err := gguf.Inspect(file); err != nil {
			return nil, fault.Engine.Wrap(err)
		}
	}
	lib, err := loadLibrary(p)
	if err != nil {
		return nil, err
	}
	if file == "" {
		if file, _, err = Synthesise(p, DefaultModel(), ""); err != nil {
			return nil, err
		}
	}
	model, err := llamacpp.OpenModel(file, where)
	if err != nil {
		return nil, fault.Engine.Wrap(err)
	}
	hash, err := results.HashFile(file)
	if err != nil {
		return nil, fault.Engine.Wrap(err)
	}
	return &Llama{model: model, hash: hash, lib: lib, memory: Memory{Placement: where}}, nil
}

func loadLibrary(p Places) (llamacpp.Library, error) {
	dir, err := llamacpp.Locate(p.Lib, p.Cache)
	if err == nil {
		err = llamacpp.Load(dir)
	}
	if err != nil {
		return llamacpp.Library{}, fault.Engine.Wrap(err)
	}
	lib, _ := llamacpp.Loaded()
	return lib, nil
}

// DefaultModel is the synthetic model that runs where no other is named.
func DefaultModel() gguf.Spec {
	return gguf.Spec{Shape: gguf.Shapes()[0], Seed: 1}
}

// cachedModel is the place of a synthetic model in the cache.
func cachedModel(p Places, spec gguf.Spec) string {
	typ := spec.Type
	if typ == gguf.Default {
		typ = spec.Shape.Type
	}
	name := fmt.Sprintf("%s-%s-s%d.gguf", spec.Shape.Name, strings.ToLower(typ.String()), spec.Seed)
	return filepath.Join(p.Cache, "models", name)
}

// Synthesise writes a synthetic model to path, or to its place in the cache when
// path is empty, unless the same model is there already.
func Synthesise(p Places, spec gguf.Spec, path string) (file string, made bool, err error) {
	if path == "" {
		path = cachedModel(p, spec)
	}
	if _, err := gguf.Inspect(path); err == nil {
		return path, false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", false, fault.Write.Wrap(err)
	}
	spec.Corpus = text.Corpus()
	if err := gguf.Write(path, spec); err != nil {
		return "", false, fault.Write.Wrap(err)
	}
	return path, true, nil
}
