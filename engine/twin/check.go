package twin

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/engine"
)

// check refuses what is out of range, as the real backend does, and a removal from
// within a sequence, which would leave a hole that no scheduler makes. It changes
// nothing.
func (b *Backend) check(batch *engine.Batch) error {
	l := &b.cfg.Limits
	if len(batch.Rows) > l.Rows {
		return fmt.Errorf("step: %d rows, the context takes %d", len(batch.Rows), l.Rows)
	}
	for i := range batch.Ops {
		op := &batch.Ops[i]
		switch {
		case uint(op.Seq) >= uint(l.Seqs) || op.Kind == engine.OpCopy && uint(op.Src) >= uint(l.Seqs):
			return fmt.Errorf("step: edit %d names a sequence out of 0 to %d", i, l.Seqs-1)
		case op.Kind > engine.OpCopy || op.Kind == engine.OpCopy && op.Src == op.Seq:
			return fmt.Errorf("step: edit %d is of an unknown kind or copies a sequence to itself", i)
		case op.Kind == engine.OpRemove && op.To > 0 && int(op.To) < len(b.held[op.Seq]):
			return fmt.Errorf("step: edit %d removes positions %d to %d from within sequence %d", i, op.From, op.To, op.Seq)
		}
	}
	for i := range batch.Rows {
		r := &batch.Rows[i]
		switch {
		case uint(r.Seq) >= uint(l.Seqs):
			return fmt.Errorf("step: row %d has sequence %d out of 0 to %d", i, r.Seq, l.Seqs-1)
		case uint(r.Token) >= uint(l.Vocab):
			return fmt.Errorf("step: row %d has token %d out of 0 to %d", i, r.Token, l.Vocab-1)
		case r.Output && !(r.Sampling.Temperature >= 0):
			return fmt.Errorf("step: row %d has temperature %v", i, r.Sampling.Temperature)
		}
	}
	return nil
}
