package llamacpp

import (
	"github.com/hybridgroup/yzma/pkg/llama"

	"github.com/cadence-bench/cadence-bench/engine/streams"
)

// Held asks llama.cpp which positions of a sequence are in the cache: from first up
// to next, both 0 for none.
func (c *Context) Held(seq int32) (first, next int32) {
	if seq = c.where(seq); seq == streams.None {
		return 0, 0
	}
	lo, err := llama.MemorySeqPosMin(c.mem, llama.SeqId(seq))
	if err != nil {
		panic(err)
	}
	hi, err := llama.MemorySeqPosMax(c.mem, llama.SeqId(seq))
	if err != nil {
		panic(err)
	}
	return max(int32(lo), 0), int32(hi) + 1
}

// StateSize is the number of bytes that llama.cpp would write to save the context.
func (c *Context) StateSize() int { return int(llama.StateGetSize(c.handle)) }

// Cells gives the keys and values of a sequence, in the order of its cells, as
// llama.cpp saves them. Before them it writes what names the cells, and, where the
// cache is not unified, after them the number of cells, none, of each later stream.
func (c *Context) Cells(seq int32) []byte {
	_, n := c.Held(seq)
	seq = c.where(seq)
	b := make([]byte, llama.StateSeqGetSize(c.handle, llama.SeqId(seq)))
	end := int(llama.StateSeqGetData(c.handle, b, llama.SeqId(seq)))
	if !c.params.KVUnified {
		end -= 4 * (len(c.next) - 1 - int(seq))
	}
	info := c.model.info
	return b[end-int(n)*int(info.CellBytes)-24*info.Layers : end]
}
