package llamacpp

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// apply makes one edit of the KV cache. Its sequences are in range.
func (c *Context) apply(op *engine.Op) error {
	seq := llama.SeqId(op.Seq)
	if op.Kind == engine.OpCopy {
		return c.copySeq(llama.SeqId(op.Src), seq)
	}
	from, to := max(op.From, 0), op.To
	if to < 0 || to >= c.next[seq] {
		to = -1
	}
	if from >= c.next[seq] || to == 0 {
		return nil
	}
	c.holed = c.holed || to >= 0
	ok, err := llama.MemorySeqRm(c.mem, seq, llama.Pos(from), llama.Pos(to))
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("step: this model's cache cannot drop positions %d to %d of sequence %d; only a whole sequence", op.From, op.To, op.Seq)
	}
	c.readNext(op.Seq)
	return nil
}

// copySeq replaces dst by src. It copies the whole, because llama.cpp aborts
// when a part is copied between the separate caches of sequences that are not
// unified. There the data moves at the next decode, before its rows are run.
func (c *Context) copySeq(src, dst llama.SeqId) error {
	if c.next[dst] > 0 {
		if _, err := llama.MemorySeqRm(c.mem, dst, -1, -1); err != nil {
			return err
		}
		c.setNext(int32(dst), 0)
	}
	if c.next[src] == 0 {
		return nil
	}
	if err := llama.MemorySeqCp(c.mem, src, dst, -1, -1); err != nil {
		return err
	}
	c.setNext(int32(dst), c.next[src])
	return nil
}

// readNext asks the cache where a sequence ends.
func (c *Context) readNext(seq engine.SeqID) {
	last, err := llama.MemorySeqPosMax(c.mem, llama.SeqId(seq))
	if err != nil {
		last = -1
	}
	c.setNext(seq, int32(last)+1)
}

func (c *Context) setNext(seq, next int32) {
	c.ends += int(next - c.next[seq])
	c.next[seq] = next
}
