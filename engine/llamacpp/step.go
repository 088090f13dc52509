package llamacpp

import (
	"errors"
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// rowArrays are the columns of a llama_batch, in Go memory that C reads during
// the call. One row has one sequence, so seqPtr and seqCount never change.
type rowArrays struct {
	token    []llama.Token
	pos      []llama.Pos
	seq      []llama.SeqId
	output   []int8
	seqPtr   []*llama.SeqId
	seqCount []int32
	order    []int32 // batch row → row of the step
	rank     []int32 // step row → its place among the logits rows
	bucket   []int32 // per sequence, scratch of the sort
}

func newRowArrays(rows int) rowArrays {
	a := rowArrays{
		token:    make([]llama.Token, rows),
		pos:      make([]llama.Pos, rows),
		seq:      make([]llama.SeqId, rows),
		output:   make([]int8, rows),
		seqPtr:   make([]*llama.SeqId, rows),
		seqCount: make([]int32, rows),
		order:    make([]int32, rows),
		rank:     make([]int32, rows),
		bucket:   make([]int32, maxSeqs+1),
	}
	for i := range rows {
		a.seqPtr[i], a.seqCount[i] = &a.seq[i], 1
	}
	return a
}

// point makes a batch use the arrays.
func (a *rowArrays) point(b *llama.BatchData) {
	b.Token, b.Pos, b.Logits = &a.token[0], &a.pos[0], &a.output[0]
	b.SeqId, b.NSeqId = &a.seqPtr[0], &a.seqCount[0]
}

// Step applies the batch's edits, runs one forward pass over its rows and
// samples where they ask for it. A batch that llama.cpp would die of is an
// error and leaves the rows undone.
//
// Edits are not undone by any error. After engine.ErrNoSlot the rows can be given
// again, the edits must not: a copy takes what its source holds then, which another
// edit of the batch may have changed since.
func (c *Context) Step(b *engine.Batch, res *engine.StepResult) error {
	c.stepping.Lock()
	defer c.stepping.Unlock()
	start := time.Now()
	*res = engine.StepResult{Tokens: res.Tokens[:0]}
	err := c.step(b, res)
	if err == nil || errors.Is(err, engine.ErrNoSlot) {
		res.Use = c.use(b.Rows, err)
	}
	res.Host = time.Since(start) - res.Model
	return err
}

func (c *Context) step(b *engine.Batch, res *engine.StepResult) error {
	if c.lost != nil {
		return c.lost
	}
	if c.abort.isSet() {
		return engine.ErrAborted
	}
	if err := c.check(b); err != nil {
		return err
	}
	if c.streams != nil {
		b = c.streams.Translate(b, !c.params.Canonical)
	}
	for i := range b.Ops {
		if err := c.apply(&b.Ops[i]); err != nil {
			return err
		}
	}
	if len(b.Rows) == 0 {
		return nil
	}
	if c.params.Canonical {
		return c.stepApart(b.Rows, res)
	}
	return c.forward(b.Rows, res)
}

// forward runs the rows in one decode and samples.
func (c *Context) forward(rows []engine.Row, res *engine.StepResult) error {
	if err := c.advance(rows); err != nil {
		return err
	}
	outputs := c.fill(rows)

	began := time.Now()
	code := c.call.decode(c.native)
	c.call.synchronize(c.native)
	res.Model = time.Since(began)
	if code != 0 {
		return c.failed(code, rows)
	}
	return c.sample(rows, outputs, res)
}

// check refuses what is out of range. It changes nothing.
func (c *Context) check(b *engine.Batch) error {
	if len(b.Rows) > c.limits.Rows {
		return fmt.Errorf("step: %d rows, the context takes %d", len(b.Rows), c.limits.Rows)
	}
	for i := range b.Ops {
		op := &b.Ops[i]
		if uint(op.Seq) >= uint(c.limits.Seqs) || op.Kind == engine.OpCopy && uint(op.Src) >= uint(c.limits.Seqs) {
			return fmt.Errorf("step: edit %d names a sequence out of 0 to %d", i, c.limits.Seqs-1)
		}
		if op.Kind > engine.OpCopy || op.Kind == engine.OpCopy && op.Src == op.Seq {
			return fmt.Errorf("step: edit %d is of an unknown kind or copies a sequence to itself", i)
		}
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		if uint(r.Seq) >= uint(c.limits.Seqs) {
			return fmt.Errorf("step: row %d has sequence %d out of 0 to %d", i, r.Seq, c.limits.Seqs-1)
		}
		if uint(r.Token) >= uint(c.limits.Vocab) {
			return fmt.Errorf("step: row %d has token %d out of 0 to %d", i, r.Token, c.limits.Vocab-1)
		}
		if r.Output && !(r.Sampling.Temperature >= 0) {
			return fmt.Errorf("step: row %d has temperature %v", i, r.Sampling.Temperature)
		}
	}
	return nil
}

// advance moves the sequences' ends over the rows, or reports the row that does
// not continue its sequence and moves nothing.
func (c *Context) advance(rows []engine.Row) error {
	for i := range rows {
		r := &rows[i]
		if r.Pos != c.next[r.Seq] {
			want := c.next[r.Seq]
			c.retreat(rows[:i])
			return fmt.Errorf("step: row %d has position %d in sequence %d, which goes on at %d", i, r.Pos, r.Seq, want)
		}
		c.setNext(r.Seq, r.Pos+1)
	}
	return nil
}

func (c *Context) retreat(rows []engine.Row) {
	for i := range rows {
		c.setNext(rows[i].Seq, c.next[rows[i].Seq]-1)
	}
}

// failed turns a result of llama_decode into an error and brings the sequences'
// ends in line with what the cache holds.
func (c *Context) failed(code int32, rows []engine.Row) error {
	switch code {
	case 1: // nothing was run, the cache is as before
		c.retreat(rows)
		return engine.ErrNoSlot
	case 2: // some passes of the step may have been run
		for i := range rows {
			c.readNext(rows[i].Seq)
		}
		return engine.ErrAborted
	case -1: // the batch was refused before anything was run
		c.retreat(rows)
		return fmt.Errorf("step: llama.cpp refused the batch of %d rows%s", len(rows), tail.quote())
	}
	c.lost = fmt.Errorf("step: llama.cpp failed with code %d%s; the context is lost, make a new one", code, tail.quote())
	return c.lost
}
