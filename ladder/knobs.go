package ladder

import (
	"fmt"
	"time"
)

// Knobs change the rungs of a ladder alike, but for what a rung has of its own
// (Rung.Own). The zero value changes nothing.
type Knobs struct {
	PrefillBudget int           // tokens of a step; longer prompts are prefilled in chunks
	PrefillOrder  string        // DecodeFirst or PrefillFirst, for rungs that refill
	MaxBatch      int           // sequences at once, for rungs that refill
	BlockSize     int           // tokens of a KV block, for paged rungs
	KVCells       int           // KV cells that may be used, in all
	KVRetain      int           // of them, those that may hold nothing but cached prefixes
	ShareWait     time.Duration // how long a request waits for a prefix that another computes
	// Canonical cuts prompts into chunks at the same places whatever else runs. On a
	// backend that computes each sequence apart, answers are then the same to the bit
	// on every rung.
	Canonical bool
}

// DefaultShareWait is ShareWait in the presets. When 16 requests arrive at once with
// the same 540 tokens, waiting cuts their mean TTFT to 0.27 of what it is without, and
// to 0.80 when half of them are unique (docs/performance.md). A request waits no longer
// than the other one takes to compute the prefix; the bound is several times that.
const DefaultShareWait = 5 * time.Second

// canonicalChunk is the chunk, and the size of a KV block, of canonical runs.
const canonicalChunk = 64

// The orders of a step.
const (
	DecodeFirst  = "decode-first"
	PrefillFirst = "prefill-first"
)

func (k Knobs) check() error {
	switch k.PrefillOrder {
	case "", DecodeFirst, PrefillFirst:
	default:
		return fmt.Errorf("--prefill-order: unknown order %q; choose %s or %s", k.PrefillOrder, DecodeFirst, PrefillFirst)
	}
	for _, f := range []struct {
		flag string
		n    int
	}{
		{"--prefill-budget", k.PrefillBudget}, {"--max-batch", k.MaxBatch}, {"--block-size", k.BlockSize},
		{"--kv-cells", k.KVCells}, {"--kv-retain", k.KVRetain}, {"--share-wait", int(k.ShareWait)},
	} {
		if f.n < 0 {
			return fmt.Errorf("%s: must not be negative", f.flag)
		}
	}
	return nil
}

// Turn returns r with the knobs applied where they make sense.
func (k Knobs) Turn(r Rung) Rung {
	if k.PrefillBudget > 0 {
		r.Policy.StepTokens = k.PrefillBudget
	}
	if k.KVCells > 0 {
		r.Cache.Cells = k.KVCells
	}
	if k.Canonical {
		r.Policy.ChunkAlign = canonicalChunk
		if r.Cache.Paged {
			r.Cache.BlockTokens = canonicalChunk
		}
	}
	if r.Policy.Refill {
		if k.MaxBatch > 0 {
			r.Policy.MaxBatch = k.MaxBatch
		}
		if k.PrefillOrder != "" {
			r.Policy.DecodeFirst = k.PrefillOrder == DecodeFirst
		}
	}
	if r.Cache.Paged && k.BlockSize > 0 {
		r.Cache.BlockTokens = k.BlockSize
	}
	if r.Cache.Prefix {
		if k.KVRetain > 0 && !r.Own.RetainCells {
			r.Cache.RetainCells = k.KVRetain
		}
		if r.Policy.Refill && !r.Own.ShareWait { // without refill nobody could join
			r.Policy.ShareWait = k.ShareWait
		}
	}
	return r
}
