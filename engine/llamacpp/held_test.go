package llamacpp

import "github.com/hybridgroup/yzma/pkg/llama"

// Held asks llama.cpp which positions of a sequence are in the cache: from first up
// to next, both 0 for none.
func (c *Context) Held(seq int32) (first, next int32) {
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
