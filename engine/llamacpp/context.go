package llamacpp

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/streams"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// Context is a KV cache and the state of its sequences on a model. It is an
// engine.Backend: Step must not be called twice at once, Abort may be called
// from any goroutine.
type Context struct {
	model    *Model
	native   *native
	handle   llama.Context
	mem      llama.Memory
	params   Params
	limits   engine.Limits
	ubatch   int
	warnings []string

	abort    *abortFlag
	stepping sync.Mutex // held by Step, so that Close waits for it
	lost     error      // set when the context can no longer be used

	call *stepCall
	rows rowArrays
	next []int32 // per sequence or stream, the position after its last; see setNext
	ends int     // their sum
	// holed means that positions were removed from the middle of a sequence, so that
	// its end does not tell how many cells it has.
	holed bool
	// streams places the sequences of a cache that is not unified, else nil. Behind
	// it everything is in terms of streams.
	streams *streams.Map
	draw    sampler
}

var _ engine.Backend = (*Context)(nil)

// NewContext makes a context on a model. The sizes are checked first: what
// llama.cpp would refuse with an abort, or the kernel with an out-of-memory
// kill, is an error.
func NewContext(m *Model, p Params) (*Context, error) {
	p, err := p.validate()
	if err != nil {
		return nil, fmt.Errorf("context: %w", err)
	}
	if need, free := p.memory(m.info), uint64(0); !llama.SupportsGpuOffload() {
		var ok bool
		if free, ok = availableMemory(); ok && need > free/10*9 {
			return nil, fmt.Errorf("context: %d KV cells and %d rows per pass need about %s, and %s are free; ask for fewer cells, sequences or rows", p.cells(), p.UBatch, size(need), size(free))
		}
	}
	c := &Context{model: m, native: m.native, params: p, abort: newAbortFlag()}
	np := p.native()
	np.AbortCallback, np.AbortCallbackData = c.abort.callback()
	tail.take()
	if c.handle, err = llama.InitFromModel(m.model, np); err != nil {
		return nil, fmt.Errorf("context: llama.cpp cannot make one of %d cells for %s%s", p.cells(), m.path, tail.quote())
	}
	if c.mem, err = llama.GetMemory(c.handle); err != nil || c.mem == 0 {
		llama.Free(c.handle)
		return nil, fmt.Errorf("context: %s has no KV cache", m.path)
	}
	c.limits = engine.Limits{
		Seqs:     p.Seqs,
		SeqCells: int(llama.NCtxSeq(c.handle)),
		Cells:    int(llama.NCtx(c.handle)),
		Rows:     int(llama.NBatch(c.handle)),
		Vocab:    m.info.Vocab,
	}
	if !p.KVUnified {
		c.limits.Cells = p.Seqs * c.limits.SeqCells
		c.streams = streams.New(p.Seqs)
		if p.FlashAttn == FlashOn {
			c.limits.Tile = flashTile
		}
	}
	c.ubatch = int(llama.NUBatch(c.handle))
	if m.info.CtxTrain > 0 && c.limits.SeqCells > m.info.CtxTrain {
		c.warnings = append(c.warnings, fmt.Sprintf("a sequence may hold %d positions and the model was trained for %d; text past that is worth little", c.limits.SeqCells, m.info.CtxTrain))
	}
	c.rows = newRowArrays(c.limits.Rows)
	c.call = &stepCall{ctx: c.handle}
	c.rows.point(&c.call.batch)
	c.next = make([]int32, p.nativeSeqs())
	c.draw = sampler{weights: make([]float64, m.info.Vocab)}
	return c, nil
}

// flashTile is from how many rows of a stream the CPU's flash attention goes by tiles
// (ggml: GGML_FA_TILE_Q).
const flashTile = 64

// native gives llama.cpp's form of the parameters.
func (p Params) native() llama.ContextParams {
	np := llama.ContextDefaultParams()
	np.NCtx = uint32(p.cells())
	np.NSeqMax = uint32(p.nativeSeqs())
	np.NBatch = uint32(p.Rows)
	np.NUbatch = uint32(p.UBatch)
	np.NThreads = int32(p.Threads)
	np.NThreadsBatch = int32(p.ThreadsBatch)
	np.FlashAttentionType = p.FlashAttn.native()
	np.KVUnified = cBool(p.KVUnified)
	np.TypeK, np.TypeV = cacheTypes[p.TypeK].native, cacheTypes[p.TypeV].native
	np.NoPerf = cBool(true)
	return np
}

// Limits gives the sizes that the context really has, which llama.cpp may have
// rounded.
func (c *Context) Limits() engine.Limits { return c.limits }

// Params gives the parameters with their defaults filled in.
func (c *Context) Params() Params { return c.params }

// Warnings gives what is odd about the context, but works.
func (c *Context) Warnings() []string { return slices.Clone(c.warnings) }

// Next gives the position that the next row of a sequence must have, 0 for an
// empty one.
func (c *Context) Next(seq engine.SeqID) int32 {
	if native := c.where(seq); native >= 0 {
		return c.next[native]
	}
	return 0
}

// where gives llama.cpp's id of a sequence, or streams.None for one that is empty.
func (c *Context) where(seq engine.SeqID) int32 {
	if c.streams != nil {
		return c.streams.Of(seq)
	}
	return seq
}

// SetThreads changes the number of threads for passes of one row and of more.
// It must not be called while a step runs.
func (c *Context) SetThreads(one, more int) {
	c.params.Threads, c.params.ThreadsBatch = one, more
	llama.SetNThreads(c.handle, int32(one), int32(more))
}

// Abort ends the step in progress, within one graph node, and every later one
// with engine.ErrAborted.
func (c *Context) Abort() { c.abort.set() }

var errClosed = errors.New("context is closed")

// Close waits for the step in progress and frees the context.
func (c *Context) Close() error {
	c.stepping.Lock()
	defer c.stepping.Unlock()
	if errors.Is(c.lost, errClosed) {
		return errClosed
	}
	c.lost = errClosed
	err := llama.Free(c.handle)
	c.abort.pinner.Unpin()
	return err
}

// size writes bytes for people.
func size(n uint64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20)
}
