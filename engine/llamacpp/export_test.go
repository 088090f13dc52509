package llamacpp

import (
	"github.com/hybridgroup/yzma/pkg/llama"
	"github.com/hybridgroup/yzma/pkg/loader"
	"github.com/jupiterrider/ffi"

	"github.com/cadence-bench/cadence-bench/engine/streams"
)

// Logits gives the rows of logits of the last step, for its outputs in batch
// order.
func (c *Context) Logits(outputs int) []float32 {
	return c.call.logits(c.native, outputs, c.limits.Vocab)
}

// CacheNext asks llama.cpp where a sequence goes on.
func (c *Context) CacheNext(seq int32) int32 {
	if seq = c.where(seq); seq == streams.None {
		return 0
	}
	last, err := llama.MemorySeqPosMax(c.mem, llama.SeqId(seq))
	if err != nil {
		panic(err)
	}
	return int32(last) + 1
}

// Handles gives what calling the binding directly needs.
func (c *Context) Handles() (llama.Context, llama.Memory) { return c.handle, c.mem }

// FailAssertion makes ggml fail as an assertion of its own does.
func FailAssertion() {
	lib, err := loader.LoadLibrary(loaded.lib.Dir, "ggml-base")
	if err != nil {
		panic(err)
	}
	f, err := lib.Prep("ggml_abort", &ffi.TypeVoid, &ffi.TypePointer, &ffi.TypeSint32, &ffi.TypePointer)
	if err != nil {
		panic(err)
	}
	file, msg, line := &[]byte("test\x00")[0], &[]byte("on purpose\x00")[0], int32(1)
	f.Call(nil, &file, &line, &msg)
}

// BuildFrom is Build with another hash of the bundle.
var BuildFrom = build
