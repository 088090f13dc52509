// Package machine opens the machines on which cells are measured: a model on llama.cpp, in
// real time, or the twin that simulates one from its calibration. Settings that are left
// open ("auto" and "0") are chosen by short measurements; every choice comes back with its
// reason.
package machine

import (
	"path/filepath"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// LlamaBackend is the name of llama.cpp in results.
const LlamaBackend = "llama.cpp"

// Llama is a model on llama.cpp, in real time.
type Llama struct {
	model   *llamacpp.Model
	hash    string // SHA-256 of the model file
	lib     llamacpp.Library
	flash   llamacpp.FlashAttn
	unified bool
	// canonical computes each sequence apart; see llamacpp.Params.
	canonical bool

	threads, threadsBatch int // for passes of one row, and of more
	memory                Memory
	typeK, typeV          llamacpp.CacheType

	planted float64 // the share by which each step is made longer; 0 but to prove a gate
}

var _ cell.Variable = (*Llama)(nil)

// Vary implements cell.Variable.
func (m *Llama) Vary(v spec.Variant) (cell.Machine, error) {
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

// LibraryDir is the folder that the libraries were loaded from.
func (m *Llama) LibraryDir() string { return m.lib.Dir }

// Model is the model that the machine runs.
func (m *Llama) Model() *llamacpp.Model { return m.model }

// Setting is the machine's with another layout.
func (m *Llama) Setting(l llamacpp.Layout) results.Setting {
	return results.Setting{KVLayout: LayoutName(l.Unified), FlashAttn: l.Flash.String(), Threads: m.threads, ThreadsBatch: m.threadsBatch}
}

// Set sets the machine up; backends opened from then on have the setting.
func (m *Llama) Set(s results.Setting) (err error) {
	if m.unified, err = parseLayout(s.KVLayout); err != nil {
		return err
	}
	m.flash, err = llamacpp.ParseFlashAttn(s.FlashAttn)
	m.threads, m.threadsBatch = s.Threads, s.ThreadsBatch
	return err
}

// SetThreads gives every pass the same number of threads.
func (m *Llama) SetThreads(n int) { m.threads, m.threadsBatch = n, n }

// Backend implements cell.Machine.
func (m *Llama) Backend() string { return LlamaBackend }

// NewClock implements cell.Machine.
func (m *Llama) NewClock() clock.Clock { return clock.NewWall() }

// Unified implements cell.Machine.
func (m *Llama) Unified() bool { return m.unified }

// Open implements cell.Machine.
func (m *Llama) Open(s cell.Shape) (engine.Backend, error) {
	p := m.base()
	p.Seqs, p.Rows, p.KVUnified, p.Canonical, p.FlashAttn = s.Seqs, s.Rows, m.unified, m.canonical, m.flash
	if m.unified {
		p.Cells = s.Seqs * s.SeqCells
	} else {
		p.SeqCells = s.SeqCells
	}
	c, err := llamacpp.NewContext(m.model, p)
	if err != nil {
		return nil, fault.Engine.Wrap(err)
	}
	if m.planted > 0 {
		return &slowed{Backend: c, share: m.planted, now: time.Now}, nil
	}
	return c, nil
}

// base is what contexts of every size and layout share.
func (m *Llama) base() llamacpp.Params {
	return llamacpp.Params{Threads: m.threads, ThreadsBatch: m.threadsBatch, TypeK: m.typeK, TypeV: m.typeV}
}

// Encode implements cell.Machine.
func (m *Llama) Encode(system, user string, history ...string) ([]engine.Token, error) {
	return m.model.Tokenize(m.model.Chat(system, user, history...), true)
}

// MaxContext implements cell.Machine.
func (m *Llama) MaxContext() int { return m.model.Info().CtxTrain }

// EOG implements cell.Machine.
func (m *Llama) EOG(tok engine.Token) bool { return m.model.EOG(tok) }

// Describe implements cell.Machine.
func (m *Llama) Describe() (results.Library, results.Model) {
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
func (m *Llama) Params() map[string]string {
	p := map[string]string{
		"threads": strconv.Itoa(m.threads), "threads_batch": strconv.Itoa(m.threadsBatch),
		"flash_attn": m.flash.String(), "kv_layout": LayoutName(m.unified),
	}
	m.memory.params(p, m.model.Placed())
	if m.planted > 0 {
		p[cell.PlantedParam] = strconv.FormatFloat(m.planted, 'g', -1, 64)
	}
	return p
}
