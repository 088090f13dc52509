package twin

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
)

// Config says what a Backend simulates.
type Config struct {
	Limits  engine.Limits
	Unified bool // one KV cache for all sequences
	Cost    Cost
	Noise   bool   // apply Cost.Noise
	Seed    uint64 // of the noise
	// Vocab bounds the tokens that are given: 3 … Vocab-1. 0 means Limits.Vocab. A
	// model whose special tokens come last wants less.
	Vocab int
}

// check says what is wrong with c, if anything, and completes it.
func (c *Config) check() error {
	l := c.Limits
	if c.Vocab == 0 {
		c.Vocab = l.Vocab
	}
	switch {
	case l.Seqs < 1 || l.SeqCells < 1 || l.Cells < 1 || l.Rows < 1 || l.Vocab < 1:
		return fmt.Errorf("twin: limits %+v: each must be at least 1", l)
	case c.Vocab < 1 || c.Vocab > l.Vocab:
		return fmt.Errorf("twin: tokens below %d of a vocabulary of %d", c.Vocab, l.Vocab)
	}
	if err := c.Cost.Check(); err != nil {
		return fmt.Errorf("twin: %w", err)
	}
	return nil
}

// Backend is an engine.Backend without a model. Its next token is a hash of all the
// tokens that the sequence's cells hold (see Solo), so a cell of another sequence's, a
// stale, a lost or a repeated one changes the answer. A step lasts what the cost model
// says.
type Backend struct {
	cfg     Config
	stop    atomic.Bool
	running sync.Mutex // held by Step, so that Close waits for it
	closed  bool

	meter  *Meter
	held   [][]uint64 // per sequence and position, the hash of the tokens up to there
	noise  *residual  // nil without
	counts Counts
}

// Counts sums up the steps with rows so far.
type Counts struct {
	Steps        int64
	Extrapolated int64 // with more of some term than the cost was fitted on
}

var _ engine.Backend = (*Backend)(nil)

// New returns a Backend with an empty cache.
func New(c Config) (*Backend, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b := &Backend{cfg: c, meter: NewMeter(c.Limits, c.Unified), held: make([][]uint64, c.Limits.Seqs)}
	if c.Noise {
		b.noise = newResidual(c.Cost.Noise, c.Seed)
	}
	return b, nil
}

// Limits implements engine.Backend.
func (b *Backend) Limits() engine.Limits { return b.cfg.Limits }

// Counts returns the sums so far. It must not be called while a step runs.
func (b *Backend) Counts() Counts { return b.counts }

// Abort implements engine.Backend.
func (b *Backend) Abort() { b.stop.Store(true) }

var errClosed = errors.New("twin: the backend is closed")

// Close implements engine.Backend.
func (b *Backend) Close() error {
	b.running.Lock()
	defer b.running.Unlock()
	if b.closed {
		return errClosed
	}
	b.closed = true
	return nil
}

// Step implements engine.Backend. What the real one refuses it refuses.
func (b *Backend) Step(batch *engine.Batch, res *engine.StepResult) error {
	b.running.Lock()
	defer b.running.Unlock()
	*res = engine.StepResult{Tokens: res.Tokens[:0]}
	if b.closed {
		return errClosed
	}
	if b.stop.Load() {
		return engine.ErrAborted
	}
	if err := b.check(batch); err != nil {
		return err
	}
	var w Work
	for i := range batch.Ops {
		b.edit(&batch.Ops[i])
	}
	rows := b.meter.edit(batch, &w)
	if err := b.advance(batch.Rows); err != nil {
		return err
	}
	fit := b.meter.add(rows, &w)
	res.Use = b.meter.use()
	b.time(&w, res)
	if !fit {
		b.retreat(batch.Rows)
		return engine.ErrNoSlot
	}
	for i := range batch.Rows {
		if r := &batch.Rows[i]; r.Output {
			res.Tokens = append(res.Tokens, next(b.held[r.Seq][r.Pos], r.Pos, r.Sampling, b.cfg.Vocab))
		}
	}
	return nil
}

// edit makes one edit of what sequences hold.
func (b *Backend) edit(op *engine.Op) {
	held := &b.held[op.Seq]
	if op.Kind == engine.OpCopy {
		*held = append((*held)[:0], b.held[op.Src]...)
		return
	}
	if from := int(max(op.From, 0)); from < len(*held) && op.To != 0 {
		*held = (*held)[:from]
	}
}

// advance adds the rows to what their sequences hold, or reports the row that does not
// continue its sequence and adds nothing.
func (b *Backend) advance(rows []engine.Row) error {
	for i := range rows {
		r := &rows[i]
		held := b.held[r.Seq]
		if int(r.Pos) != len(held) {
			b.retreat(rows[:i])
			return fmt.Errorf("step: row %d has position %d in sequence %d, which goes on at %d", i, r.Pos, r.Seq, len(held))
		}
		// One cache holds any sequence that fits; where less was agreed on, a longer
		// one is the scheduler's mistake.
		if l := &b.cfg.Limits; b.cfg.Unified && l.SeqCells < l.Cells && len(held) >= l.SeqCells {
			b.retreat(rows[:i])
			return fmt.Errorf("step: row %d is beyond the %d cells that a sequence may hold", i, len(held))
		}
		h := uint64(0)
		if r.Pos > 0 {
			h = held[r.Pos-1]
		}
		b.held[r.Seq] = append(held, extend(h, r.Token))
	}
	return nil
}

func (b *Backend) retreat(rows []engine.Row) {
	for i := range rows {
		held := &b.held[rows[i].Seq]
		*held = (*held)[:len(*held)-1]
	}
}

// time says how long a step of this work takes. Edits and what a step costs whatever
// its rows are the host's, the rest is the forward pass, as the real backend has it.
func (b *Backend) time(w *Work, res *engine.StepResult) {
	factor := 1.0
	if b.noise != nil {
		factor = b.noise.next()
	}
	if w[Step] > 0 {
		b.counts.Steps++
		if b.cfg.Cost.Outside(w) {
			b.counts.Extrapolated++
		}
	}
	// A step never lasts 0, which would ask a wall clock to measure it.
	res.Modelled = max(1, time.Duration(math.Round(factor*float64(b.cfg.Cost.Duration(w)))))
	host := 0.0
	for _, t := range [...]Term{Step, Copy, Remove, ScanCell} {
		host += w[t] * b.cfg.Cost.Seconds[t]
	}
	res.Host = min(res.Modelled, time.Duration(math.Round(factor*host*1e9)))
	res.Model = res.Modelled - res.Host
}
