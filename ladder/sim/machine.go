// Package sim is a machine without a model for a ladder: the twin behind the real
// scheduler, in virtual time, from a calibration of a real machine.
package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/engine/gguf"
	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
	"github.com/cadence-bench/cadence-bench/results"
)

// Config says what is simulated.
type Config struct {
	Calibration results.Calibration
	// ID names the calibration in the results: its file's SHA-256.
	ID string
	// Setting must be one that the calibration has costs for.
	Setting results.Setting
	// Scale multiplies every cost: the machine's speed when it was calibrated over its
	// speed when it was measured. 0 is 1.
	Scale float64
	// Noise adds what the cost model leaves unexplained to every step.
	Noise bool
}

// Machine is a simulated machine.
type Machine struct {
	cfg  Config
	cost twin.Cost
	*tokenizer
}

// tokenizer is shared by the variants of a machine.
type tokenizer struct {
	encoding sync.Mutex
	encoder  *gguf.Encoder
}

var (
	_ cell.Simulator = (*Machine)(nil)
	_ cell.Leaster   = (*Machine)(nil)
	_ cell.Variable  = (*Machine)(nil)
)

// New returns the machine of a calibration under one of its settings. It trains the
// synthetic models' tokenizer, which takes most of a second.
func New(c Config) (*Machine, error) {
	m, err := costed(c)
	if err != nil {
		return nil, err
	}
	tok := gguf.TrainBPE(text.Corpus(), c.Calibration.Tokens.Vocab)
	m.tokenizer = &tokenizer{encoder: gguf.NewEncoder(tok)}
	return m, nil
}

// Vary implements cell.Variable: another setting that was calibrated too.
func (m *Machine) Vary(v spec.Variant) (cell.Machine, error) {
	c := m.cfg
	if v.FlashAttn != "" {
		c.Setting.FlashAttn = v.FlashAttn
	}
	if v.KVLayout != "" {
		c.Setting.KVLayout = v.KVLayout
	}
	if v.Threads > 0 {
		c.Setting.Threads, c.Setting.ThreadsBatch = v.Threads, v.Threads
	}
	varied, err := costed(c)
	if err != nil {
		return nil, fmt.Errorf("the twin cannot be had with %v: %w", v, err)
	}
	varied.tokenizer = m.tokenizer
	return varied, nil
}

// costed is the machine of a calibration without its tokenizer.
func costed(c Config) (*Machine, error) {
	fit, ok := c.Calibration.Cost(c.Setting)
	if !ok {
		return nil, fmt.Errorf("the calibration has no costs for %v; it has them for %s", c.Setting, settings(c.Calibration))
	}
	cost, err := CostOf(fit)
	if err != nil {
		return nil, err
	}
	if c.Scale == 0 {
		c.Scale = 1
	}
	for i := range cost.Seconds {
		cost.Seconds[i] *= c.Scale
	}
	return &Machine{cfg: c, cost: cost}, nil
}

// Rescaled is a machine like m whose every cost is scale times as high.
func (m *Machine) Rescaled(scale float64) (*Machine, error) {
	c := m.cfg
	c.Scale *= scale
	return New(c)
}

func settings(c results.Calibration) string {
	var all []string
	for _, cost := range c.Costs {
		all = append(all, cost.Setting.String())
	}
	return strings.Join(all, "; ")
}

// Backend implements cell.Machine.
func (m *Machine) Backend() string { return "twin" }

// NewClock implements cell.Machine.
func (m *Machine) NewClock() clock.Clock { return clock.NewVirtual() }

// Unified implements cell.Machine.
func (m *Machine) Unified() bool { return m.cfg.Setting.KVLayout == "unified" }

// Open implements cell.Machine.
func (m *Machine) Open(s cell.Shape) (engine.Backend, error) { return m.OpenSeeded(s, 0) }

// OpenSeeded implements cell.Simulator.
func (m *Machine) OpenSeeded(s cell.Shape, seed uint64) (cell.SimulatedBackend, error) {
	b, err := twin.New(twin.Config{
		Limits: m.limits(s), Unified: m.Unified(), Cost: m.cost, Noise: m.cfg.Noise, Seed: seed,
		Vocab: int(m.cfg.Calibration.Tokens.Text[1]),
	})
	return backend{b}, err
}

// Least implements cell.Leaster. It is exact without noise, which makes some steps
// faster than the costs say, and on average true with it.
func (m *Machine) Least(prompt, cached, output int) (work, alone time.Duration) {
	a := twin.Answer{Prompt: prompt, Cached: cached, Output: output}
	return m.cost.Least(a, m.Unified()), m.cost.Alone(a, m.Unified())
}

// limits are those that llama.cpp gives a context of this shape: it rounds cells up to
// a multiple of 256.
func (m *Machine) limits(s cell.Shape) engine.Limits {
	const pad = 256
	up := func(n int) int { return (n + pad - 1) / pad * pad }
	l := engine.Limits{Seqs: s.Seqs, Rows: s.Rows, Vocab: m.cfg.Calibration.Tokens.Vocab}
	if m.Unified() {
		l.Cells = up(s.Seqs * s.SeqCells)
		l.SeqCells = l.Cells
	} else {
		l.SeqCells = up(s.SeqCells)
		l.Cells = s.Seqs * l.SeqCells
		if m.cfg.Setting.FlashAttn == "on" {
			l.Tile = twin.AttendTile
		}
	}
	return l
}

// Encode implements cell.Machine.
func (m *Machine) Encode(system, user string, history ...string) ([]engine.Token, error) {
	m.encoding.Lock()
	defer m.encoding.Unlock()
	return m.encoder.EncodePrompt(gguf.ChatPrompt(system, user, history...)), nil
}

// MaxContext implements cell.Machine.
func (m *Machine) MaxContext() int { return m.cfg.Calibration.Tokens.Context }

// EOG implements cell.Machine.
func (m *Machine) EOG(tok engine.Token) bool {
	return slices.Contains(m.cfg.Calibration.Tokens.EOG, tok)
}

// Describe implements cell.Machine: what is simulated.
func (m *Machine) Describe() (results.Library, results.Model) {
	return m.cfg.Calibration.Library, m.cfg.Calibration.Model
}

// Params implements cell.Machine.
func (m *Machine) Params() map[string]string {
	s := m.cfg.Setting
	return map[string]string{
		"threads": strconv.Itoa(s.Threads), "threads_batch": strconv.Itoa(s.ThreadsBatch),
		"flash_attn": s.FlashAttn, "kv_layout": s.KVLayout,
		"calibration": m.cfg.ID, "twin_noise": strconv.FormatBool(m.cfg.Noise),
		"twin_scale": strconv.FormatFloat(m.cfg.Scale, 'g', 4, 64),
	}
}

// backend tells what the twin counts.
type backend struct{ *twin.Backend }

// Extrapolated implements cell.SimulatedBackend.
func (b backend) Extrapolated() (beyond, steps int64) {
	c := b.Counts()
	return c.Extrapolated, c.Steps
}
