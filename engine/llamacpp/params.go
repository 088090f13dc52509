package llamacpp

import (
	"errors"
	"fmt"
	"math"

	"github.com/cadence-bench/cadence-bench/engine/streams"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// FlashAttn says whether attention is computed by the fused kernel. On a CPU it
// can win or lose by a factor of two, with the layout of the KV cache.
type FlashAttn int8

const (
	FlashAuto FlashAttn = iota // left open: a context takes llama.cpp's choice
	FlashOn
	FlashOff
)

func (f FlashAttn) String() string {
	return [...]string{"auto", "on", "off"}[f]
}

// ParseFlashAttn reads auto, on or off. What is left open by auto the caller may
// choose by measurement; see MeasureLayouts.
func ParseFlashAttn(s string) (FlashAttn, error) {
	for _, f := range []FlashAttn{FlashAuto, FlashOn, FlashOff} {
		if f.String() == s {
			return f, nil
		}
	}
	return 0, fmt.Errorf("flash attention %q: want auto, on or off", s)
}

func (f FlashAttn) native() llama.FlashAttentionType {
	switch f {
	case FlashOn:
		return llama.FlashAttentionTypeEnabled
	case FlashOff:
		return llama.FlashAttentionTypeDisabled
	}
	return llama.FlashAttentionTypeAuto
}

// Params are the sizes and settings of a context.
type Params struct {
	Seqs int // sequence ids; llama.cpp allows 256, streams.Spare of which streams need

	// KVUnified keeps all sequences in one cache of Cells cells: a copy of a
	// sequence costs nothing and any sequence may use all cells, but attention
	// spans the cells of every sequence. Otherwise each sequence has SeqCells
	// cells of its own.
	KVUnified bool
	Cells     int // in all; unified only
	SeqCells  int // per sequence; not unified only; made a multiple of 256

	Rows   int // rows per step, at most (n_batch)
	UBatch int // rows per pass through the graph; 0 is min(Rows, 512)

	Threads      int // for a pass of one row; 0 is one per physical core
	ThreadsBatch int // for a pass of more; 0 is Threads

	FlashAttn FlashAttn

	// TypeK and TypeV are how keys and values are kept. Quantised values need flash
	// attention, which FlashAuto then means.
	TypeK, TypeV CacheType

	// Canonical runs the rows of each sequence of a step in a decode of their own, so
	// that what they are computed to does not depend, to the bit, on what else is in
	// the step. Results are then a function of how a request's tokens were cut into
	// steps, and engine.Policy.ChunkAlign makes that a function of the request. It is
	// slow and meant for proofs. Not unified: there attention runs over the cells of
	// all, and even with ChunkAlign 25 of 30 requests had other keys and values. In
	// streams ChunkAlign alone was enough with chunks of 32 tokens and not with 64,
	// nor 128 (cadence-30m, AVX-512). The number of threads must be the same too.
	Canonical bool
}

// maxSeqs is LLAMA_MAX_SEQ.
const maxSeqs = 256

// validate reports the first setting that makes no sense, and completes the
// rest.
func (p Params) validate() (Params, error) {
	switch {
	case p.Seqs < 1 || p.nativeSeqs() > maxSeqs:
		return p, fmt.Errorf("%d sequences: want 1 to %d", p.Seqs, maxSeqs-p.nativeSeqs()+p.Seqs)
	case p.Rows < 1 || p.Rows > math.MaxInt32:
		return p, fmt.Errorf("%d rows per step: want at least 1", p.Rows)
	case p.UBatch < 0 || p.UBatch > p.Rows:
		return p, fmt.Errorf("%d rows per pass: want 1 to the %d rows of a step", p.UBatch, p.Rows)
	case p.KVUnified && p.SeqCells != 0, !p.KVUnified && p.Cells != 0:
		return p, errors.New("a unified KV cache is sized by Cells, one that is not by SeqCells, never by both")
	case p.KVUnified && p.Cells < 1:
		return p, fmt.Errorf("%d KV cells: want at least 1", p.Cells)
	case !p.KVUnified && p.SeqCells < 1:
		return p, fmt.Errorf("%d KV cells per sequence: want at least 1", p.SeqCells)
	case p.Threads < 0 || p.ThreadsBatch < 0 || p.Threads > 512 || p.ThreadsBatch > 512:
		return p, fmt.Errorf("%d and %d threads: want 1 to 512", p.Threads, p.ThreadsBatch)
	case p.Canonical && p.KVUnified:
		return p, errors.New("canonical results need a KV cache that is not unified")
	case p.FlashAttn < FlashAuto || p.FlashAttn > FlashOff:
		return p, fmt.Errorf("flash attention %d: unknown", p.FlashAttn)
	case int(p.TypeK) >= len(cacheTypes) || int(p.TypeV) >= len(cacheTypes):
		return p, fmt.Errorf("KV cache types %d and %d: unknown", p.TypeK, p.TypeV)
	case p.TypeV.Quantised() && p.FlashAttn == FlashOff:
		return p, fmt.Errorf("--cache-type-v %v needs flash attention: drop --flash-attn off, or keep values in f16", p.TypeV)
	case p.cells() > math.MaxInt32:
		return p, fmt.Errorf("%d KV cells are more than llama.cpp counts", p.cells())
	}
	if p.UBatch == 0 {
		p.UBatch = min(p.Rows, 512)
	}
	if p.Threads == 0 {
		p.Threads = int(llama.Threads())
	}
	if p.ThreadsBatch == 0 {
		p.ThreadsBatch = p.Threads
	}
	return p, nil
}

// nativeSeqs is n_seq_max: the sequences, or their streams and those to spare.
func (p Params) nativeSeqs() int {
	if p.KVUnified {
		return p.Seqs
	}
	return p.Seqs + streams.Spare
}

// cells is n_ctx: llama.cpp divides it among the sequences unless it is
// unified, and rounds up to a multiple of 256.
func (p Params) cells() int64 {
	const pad = 256
	up := func(n int64) int64 { return (n + pad - 1) / pad * pad }
	if p.KVUnified {
		return up(int64(p.Cells))
	}
	return up(int64(p.SeqCells)) * int64(p.nativeSeqs())
}

// memory estimates the bytes that a context on m takes: the KV cache, the
// output rows, and the graph's largest tensors (the logits and attention scores
// of one pass). For four contexts of the 30M shape it was between 0.95 and 1.45
// times what the process grew by.
func (p Params) memory(m ModelInfo) uint64 {
	width := p.cells()
	if !p.KVUnified {
		width /= int64(p.nativeSeqs())
	}
	ubatch := uint64(p.UBatch)
	kv := sized(uint64(p.cells())*m.CellBytes, p.TypeK, p.TypeV)
	logits := 4 * uint64(m.Vocab) * (ubatch + uint64(p.Seqs))
	mask := 6 * ubatch * uint64(width)
	scores := uint64(0)
	if p.FlashAttn != FlashOn {
		scores = 4 * uint64(m.Heads) * ubatch * uint64(width)
	}
	return kv + logits + mask + scores
}
