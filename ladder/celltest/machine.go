// Package celltest has a machine for tests that measure cells.
package celltest

import (
	"cmp"
	"hash/fnv"
	"strings"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// Machine is a model-free machine with costs like those of the default model on
// two cores: a prompt token 0.5 ms, a step 2 ms, and each decoding row 1 ms more.
type Machine struct {
	Name    string // the model's hash
	Context int
	Opened  int           // backends so far
	Fail    map[int]error // by how many backends have been opened

	LibFile, Threads string // "f1" and "2" when empty

	Wall, Streams, Noise bool
}

// Backend implements cell.Machine.
func (m *Machine) Backend() string { return "fake" }

// Unified implements cell.Machine.
func (m *Machine) Unified() bool { return !m.Streams }

// MaxContext implements cell.Machine.
func (m *Machine) MaxContext() int { return m.Context }

// EOG implements cell.Machine.
func (m *Machine) EOG(tok engine.Token) bool { return tok == 0 }

// Params implements cell.Machine.
func (m *Machine) Params() map[string]string {
	return map[string]string{"threads": cmp.Or(m.Threads, "2")}
}

// Describe implements cell.Machine.
func (m *Machine) Describe() (results.Library, results.Model) {
	return results.Library{Version: "fake", Files: map[string]string{"libfake.so": cmp.Or(m.LibFile, "f1")}}, results.Model{SHA256: m.Name}
}

// NewClock implements cell.Machine.
func (m *Machine) NewClock() clock.Clock {
	if m.Wall {
		return clock.NewWall()
	}
	return clock.NewVirtual()
}

// Encode implements cell.Machine.
func (m *Machine) Encode(system, user string, history ...string) ([]engine.Token, error) {
	var prompt []engine.Token
	for _, word := range strings.Fields(system + " " + strings.Join(history, " ") + " " + user) {
		h := fnv.New32a()
		h.Write([]byte(word))
		prompt = append(prompt, engine.Token(h.Sum32()%vocab))
	}
	return prompt, nil
}

// Open implements cell.Machine.
func (m *Machine) Open(s cell.Shape) (engine.Backend, error) {
	m.Opened++
	if err := m.Fail[m.Opened]; err != nil {
		return nil, err
	}
	cost := twin.Cost{Noise: twin.Noise{Sigma: 0.1, Rho: 0.5}}
	cost.Seconds[twin.Step] = 2e-3
	for _, t := range []twin.Term{twin.Pass1, twin.Row2, twin.Row4, twin.Row32, twin.Output} {
		cost.Seconds[t] = 0.5e-3
	}
	return twin.New(twin.Config{
		Limits:  engine.Limits{Seqs: s.Seqs, SeqCells: s.SeqCells, Cells: s.Seqs * s.SeqCells, Rows: s.Rows, Vocab: vocab},
		Unified: !m.Streams, Cost: cost, Noise: m.Noise, Seed: 1,
	})
}

// vocab is large, so that no two words have one token by chance.
const vocab = 1 << 30
