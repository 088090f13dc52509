package ladder

import (
	"cmp"
	"errors"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/results"
)

// fakeMachine is a model-free machine with costs like those of the default model on
// two cores: a prompt token 0.5 ms, a step 2 ms, and each decoding row 1 ms more.
type fakeMachine struct {
	model   string
	context int
	opened  int
	fail    map[int]error // by how many backends have been opened

	libFile, threads string // "f1" and "2" when empty

	wall, streams, noise bool
}

func (m *fakeMachine) Backend() string           { return "fake" }
func (m *fakeMachine) Unified() bool             { return !m.streams }
func (m *fakeMachine) MaxContext() int           { return m.context }
func (m *fakeMachine) EOG(tok engine.Token) bool { return tok == 0 }
func (m *fakeMachine) Params() map[string]string {
	return map[string]string{"threads": cmp.Or(m.threads, "2")}
}
func (m *fakeMachine) Describe() (results.Library, results.Model) {
	return results.Library{Version: "fake", Files: map[string]string{"libfake.so": cmp.Or(m.libFile, "f1")}}, results.Model{SHA256: m.model}
}

func (m *fakeMachine) NewClock() clock.Clock {
	if m.wall {
		return clock.NewWall()
	}
	return clock.NewVirtual()
}

func (m *fakeMachine) Encode(system, user string, history ...string) ([]engine.Token, error) {
	var prompt []engine.Token
	for _, word := range strings.Fields(system + " " + strings.Join(history, " ") + " " + user) {
		h := fnv.New32a()
		h.Write([]byte(word))
		prompt = append(prompt, engine.Token(h.Sum32()%fakeVocab))
	}
	return prompt, nil
}

func (m *fakeMachine) Open(s Shape) (engine.Backend, error) {
	m.opened++
	if err := m.fail[m.opened]; err != nil {
		return nil, err
	}
	cost := twin.Cost{Noise: twin.Noise{Sigma: 0.1, Rho: 0.5}}
	cost.Seconds[twin.Step] = 2e-3
	for _, t := range []twin.Term{twin.Pass1, twin.Row2, twin.Row4, twin.Row32, twin.Output} {
		cost.Seconds[t] = 0.5e-3
	}
	return twin.New(twin.Config{
		Limits:  engine.Limits{Seqs: s.Seqs, SeqCells: s.SeqCells, Cells: s.Seqs * s.SeqCells, Rows: s.Rows, Vocab: fakeVocab},
		Unified: !m.streams, Cost: cost, Noise: m.noise, Seed: 1,
	})
}

// fakeVocab is large, so that no two words have one token by chance.
const fakeVocab = 1 << 30

// quiet is a Progress that remembers, and can interrupt.
type quiet struct {
	notes  []string
	plan   []results.Key
	done   int
	ended  []results.Cell
	failed []error
	onEnd  func(order int)
}

func (q *quiet) Note(text string)                             { q.notes = append(q.notes, text) }
func (q *quiet) Plan(cells []results.Key, done int, _ Config) { q.plan, q.done = cells, done }
func (q *quiet) Begin(int)                                    {}
func (q *quiet) Tick(int, Status)                             {}
func (q *quiet) Failed(_ int, err error)                      { q.failed = append(q.failed, err) }
func (q *quiet) End(order int, c results.Cell, _ []results.Record) {
	q.ended = append(q.ended, c)
	if q.onEnd != nil {
		q.onEnd(order)
	}
}

var errDevice = errors.New("device lost")

// newSweep returns a sweep of a fake machine into a folder of the test's.
func newSweep(dir string) (*Sweep, *fakeMachine, *quiet) {
	m, q := &fakeMachine{model: "m1", context: 4096, fail: map[int]error{}}, &quiet{}
	calendar := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &Sweep{
		Machine: m, Dir: dir, Progress: q,
		Now: func() time.Time { return calendar },
	}, m, q
}

func smallConfig(t *testing.T) Config {
	t.Helper()
	c, err := Preset("smoke")
	if err != nil {
		t.Fatal(err)
	}
	c.Seeds = []uint64{1, 2}
	return c
}
