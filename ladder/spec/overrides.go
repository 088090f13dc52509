package spec

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// Overrides change the rungs of a ladder alike, wherever they fit, but for what a rung
// has of its own (Own). The zero value changes nothing.
type Overrides struct {
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

// override is one value of Overrides: how it is called on the command line and in a
// manifest, and what it does to a rung.
type override struct {
	flag, param, usage string
	fallback           any // of the flag, where it is not the zero value
	// at returns where the value is: *int, *string, *bool or *time.Duration.
	at func(*Overrides) any
	// turn changes a rung that it fits. It is called for zero values too.
	turn func(*Overrides, *Rung)
}

// overrides are all of them, in the order in which they apply.
var overrides = []override{
	{flag: "prefill-budget", param: "prefill_budget", usage: "tokens of a step; longer prompts are prefilled in chunks (default 512)",
		at:   func(o *Overrides) any { return &o.PrefillBudget },
		turn: func(o *Overrides, r *Rung) { replace(&r.Policy.StepTokens, o.PrefillBudget, true) }},
	{flag: "kv-cells", param: "kv_cells", usage: "KV cells that may be used (default all that the sequences have)",
		at:   func(o *Overrides) any { return &o.KVCells },
		turn: func(o *Overrides, r *Rung) { replace(&r.Cache.Cells, o.KVCells, true) }},
	{flag: "canonical", param: "canonical", usage: "compute each sequence apart and in the same chunks, so that answers are equal to the bit on every rung (slow)",
		at: func(o *Overrides) any { return &o.Canonical },
		turn: func(o *Overrides, r *Rung) {
			if o.Canonical {
				r.Policy.ChunkAlign = canonicalChunk
				replace(&r.Cache.BlockTokens, canonicalChunk, r.Cache.Paged)
			}
		}},
	{flag: "max-batch", param: "max_batch", usage: "sequences at once for rungs from continuous up (default 24)",
		at:   func(o *Overrides) any { return &o.MaxBatch },
		turn: func(o *Overrides, r *Rung) { replace(&r.Policy.MaxBatch, o.MaxBatch, r.Policy.Refill) }},
	{flag: "prefill-order", param: "prefill_order", usage: "decode-first or prefill-first (default decode-first)",
		at: func(o *Overrides) any { return &o.PrefillOrder },
		turn: func(o *Overrides, r *Rung) {
			if r.Policy.Refill && o.PrefillOrder != "" {
				r.Policy.DecodeFirst = o.PrefillOrder == DecodeFirst
			}
		}},
	{flag: "block-size", param: "block_size", usage: "tokens of a KV block for rungs from paged up (default 16)",
		at:   func(o *Overrides) any { return &o.BlockSize },
		turn: func(o *Overrides, r *Rung) { replace(&r.Cache.BlockTokens, o.BlockSize, r.Cache.Paged) }},
	{flag: "kv-retain", param: "kv_retain", usage: "KV cells that may hold nothing but cached prefixes (default: in a unified cache what a short measurement says slows a full batch by 10%, in streams no bound but the pool)",
		at: func(o *Overrides) any { return &o.KVRetain },
		turn: func(o *Overrides, r *Rung) {
			replace(&r.Cache.RetainCells, o.KVRetain, r.Cache.Prefix && !r.Own.RetainCells)
		}},
	{flag: "share-wait", param: "share_wait", usage: "how long a request waits at most for a prefix that another is computing; 0 does not wait", fallback: DefaultShareWait,
		at: func(o *Overrides) any { return &o.ShareWait },
		turn: func(o *Overrides, r *Rung) {
			if r.Cache.Prefix && r.Policy.Refill && !r.Own.ShareWait { // without refill nobody could join
				r.Policy.ShareWait = o.ShareWait
			}
		}},
}

// replace sets a value that was given, where it fits.
func replace(at *int, value int, fits bool) {
	if fits && value > 0 {
		*at = value
	}
}

// Bind makes the flags of the overrides.
func (o *Overrides) Bind(flags *pflag.FlagSet) {
	for _, it := range overrides {
		switch at := it.at(o).(type) {
		case *int:
			flags.IntVar(at, it.flag, 0, it.usage)
		case *string:
			flags.StringVar(at, it.flag, "", it.usage)
		case *bool:
			flags.BoolVar(at, it.flag, false, it.usage)
		case *time.Duration:
			flags.DurationVar(at, it.flag, it.fallback.(time.Duration), it.usage)
		}
	}
}

// Check is an error that names the flag of a value that makes no sense.
func (o *Overrides) Check() error {
	switch o.PrefillOrder {
	case "", DecodeFirst, PrefillFirst:
	default:
		return fmt.Errorf("--prefill-order: unknown order %q; choose %s or %s", o.PrefillOrder, DecodeFirst, PrefillFirst)
	}
	for _, it := range overrides {
		n := 0
		switch at := it.at(o).(type) {
		case *int:
			n = *at
		case *time.Duration:
			n = int(*at)
		}
		if n < 0 {
			return fmt.Errorf("--%s: must not be negative", it.flag)
		}
	}
	return nil
}

// Turn returns r with the overrides that fit it.
func (o Overrides) Turn(r Rung) Rung {
	for _, it := range overrides {
		it.turn(&o, &r)
	}
	return r
}

// Params adds the overrides to the parameters of a manifest.
func (o *Overrides) Params(p map[string]string) {
	for _, it := range overrides {
		switch at := it.at(o).(type) {
		case *string:
			p[it.param] = *at
		case *int:
			p[it.param] = strconv.Itoa(*at)
		case *bool:
			p[it.param] = strconv.FormatBool(*at)
		case *time.Duration:
			p[it.param] = at.String()
		}
	}
}

// OverridesOf reads what Params added.
func OverridesOf(p map[string]string) (o Overrides, err error) {
	for _, it := range overrides {
		var e error
		switch at := it.at(&o).(type) {
		case *string:
			*at = p[it.param]
		case *int:
			*at, e = strconv.Atoi(p[it.param])
		case *bool:
			*at = p[it.param] == "true"
		case *time.Duration:
			*at, e = time.ParseDuration(p[it.param])
		}
		if e != nil {
			err = errors.Join(err, fmt.Errorf("parameter %q: %w", it.param, e))
		}
	}
	return o, err
}
