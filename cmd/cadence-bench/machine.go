package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// llamaMachine is a model on llama.cpp, in real time.
type llamaMachine struct {
	model   *llamacpp.Model
	hash    string // SHA-256 of the model file
	lib     llamacpp.Library
	flash   llamacpp.FlashAttn
	unified bool
	// canonical computes each sequence apart; see llamacpp.Params.
	canonical bool

	threads, threadsBatch int // for passes of one row, and of more

	planted float64 // by which share each step is made longer; 0 but to prove a gate
}

var _ cell.Variable = (*llamaMachine)(nil)

// Vary implements cell.Variable.
func (m *llamaMachine) Vary(v spec.Variant) (cell.Machine, error) {
	varied := *m
	var err error
	if v.FlashAttn != "" {
		if varied.flash, err = llamacpp.ParseFlashAttn(v.FlashAttn); err != nil {
			return nil, err
		}
	}
	if v.KVLayout != "" {
		if varied.unified, err = parseLayout(v.KVLayout); err != nil {
			return nil, err
		}
	}
	if v.Threads > 0 {
		varied.threads, varied.threadsBatch = v.Threads, v.Threads
	}
	return &varied, nil
}

// openMachine loads the libraries and the model: file, or the default model,
// which is made if it is not there yet.
func openMachine(p places, file string) (*llamaMachine, error) {
	if file != "" {
		if _, err := gguf.Inspect(file); err != nil {
			return nil, coded(exitEngine, err)
		}
	}
	lib, err := loadLibrary(p)
	if err != nil {
		return nil, err
	}
	if file == "" {
		if file, _, err = synthesise(p, defaultSpec(), ""); err != nil {
			return nil, err
		}
	}
	model, err := llamacpp.OpenModel(file, llamacpp.ModelOptions{})
	if err != nil {
		return nil, coded(exitEngine, err)
	}
	hash, err := results.HashFile(file)
	if err != nil {
		return nil, coded(exitEngine, err)
	}
	return &llamaMachine{model: model, hash: hash, lib: lib}, nil
}

func loadLibrary(p places) (llamacpp.Library, error) {
	dir, err := llamacpp.Locate(p.lib, p.cache)
	if err == nil {
		err = llamacpp.Load(dir)
	}
	if err != nil {
		return llamacpp.Library{}, coded(exitEngine, err)
	}
	lib, _ := llamacpp.Loaded()
	return lib, nil
}

// Backend implements cell.Machine.
func (m *llamaMachine) Backend() string { return "llama.cpp" }

// NewClock implements cell.Machine.
func (m *llamaMachine) NewClock() clock.Clock { return clock.NewWall() }

// Unified implements cell.Machine.
func (m *llamaMachine) Unified() bool { return m.unified }

// Open implements cell.Machine.
func (m *llamaMachine) Open(s cell.Shape) (engine.Backend, error) {
	p := llamacpp.Params{
		Seqs: s.Seqs, Rows: s.Rows, KVUnified: m.unified, Canonical: m.canonical,
		Threads: m.threads, ThreadsBatch: m.threadsBatch, FlashAttn: m.flash,
	}
	if m.unified {
		p.Cells = s.Seqs * s.SeqCells
	} else {
		p.SeqCells = s.SeqCells
	}
	c, err := llamacpp.NewContext(m.model, p)
	if err != nil {
		return nil, coded(exitEngine, err)
	}
	if m.planted > 0 {
		return &slowed{Backend: c, share: m.planted, now: time.Now}, nil
	}
	return c, nil
}

// Encode implements cell.Machine.
func (m *llamaMachine) Encode(system, user string, history ...string) ([]engine.Token, error) {
	return m.model.Tokenize(m.model.Chat(system, user, history...), true)
}

// MaxContext implements cell.Machine.
func (m *llamaMachine) MaxContext() int { return m.model.Info().CtxTrain }

// EOG implements cell.Machine.
func (m *llamaMachine) EOG(tok engine.Token) bool { return m.model.EOG(tok) }

// Describe implements cell.Machine.
func (m *llamaMachine) Describe() (results.Library, results.Model) {
	lib := results.Library{Version: "llama.cpp " + m.lib.Version, Files: map[string]string{}}
	for _, f := range m.lib.Files {
		lib.Files[f.Name] = f.SHA256
	}
	info := m.model.Info()
	return lib, results.Model{
		File: filepath.Base(info.Path), Bytes: int64(info.Bytes), SHA256: m.hash, Description: info.Description,
	}
}

// Params implements cell.Machine.
func (m *llamaMachine) Params() map[string]string {
	p := map[string]string{
		"threads": strconv.Itoa(m.threads), "threads_batch": strconv.Itoa(m.threadsBatch),
		"flash_attn": m.flash.String(), "kv_layout": layout(m.unified),
	}
	if m.planted > 0 {
		p[cell.PlantedParam] = strconv.FormatFloat(m.planted, 'g', -1, 64)
	}
	return p
}

func defaultSpec() gguf.Spec {
	return gguf.Spec{Shape: gguf.Shapes()[0], Seed: 1}
}

// cachedModel is the place of a synthetic model in the cache.
func cachedModel(p places, spec gguf.Spec) string {
	typ := spec.Type
	if typ == gguf.Default {
		typ = spec.Shape.Type
	}
	name := fmt.Sprintf("%s-%s-s%d.gguf", spec.Shape.Name, strings.ToLower(typ.String()), spec.Seed)
	return filepath.Join(p.cache, "models", name)
}

// synthesise writes a synthetic model to path, or to its place in the cache when
// path is empty, unless the same model is there already.
func synthesise(p places, spec gguf.Spec, path string) (file string, made bool, err error) {
	if path == "" {
		path = cachedModel(p, spec)
	}
	if _, err := gguf.Inspect(path); err == nil {
		return path, false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", false, coded(exitWrite, err)
	}
	spec.Corpus = loadgen.Corpus()
	if err := gguf.Write(path, spec); err != nil {
		return "", false, coded(exitWrite, err)
	}
	return path, true, nil
}
