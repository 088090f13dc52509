package spec

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
)

// The sections of a rung.
const (
	scheduler = "scheduler"
	cache     = "kv"
)

// The mechanisms: settings of one mechanism change as one thing.
const (
	batching    = "batching"
	composition = "step composition"
	order       = "admission order"
	floors      = "floors"
	preemption  = "preemption"
	paging      = "paging"
	pool        = "pool size"
	prefixCache = "prefix cache"
)

// setting is one key of a rung.
type setting struct {
	section, key string
	unit         string
	fallback     string // what it is when neither the rung nor the one it comes from says
	meaning      string
	mechanism    string
	max          int // of a whole number, to catch a slip of digits
	// param is its name among a cell's parameters where that is not its key. A cell has
	// those that are rare only where a rung sets them.
	param string
	rare  bool
	// at returns where the value is: *int, *bool, *float64 (a share, 0 … 1),
	// *time.Duration, *engine.Order or *[]engine.Floor.
	at func(*Settings) any
	// own, if there is one, is where it is noted that a file gave the value.
	own func(*Settings) *bool
	// flag overrides it on all rungs alike; nil: none does.
	flag *flag
}

// flag is how the command line overrides a setting, on the rungs that it fits, but for
// those with a value of their own. The name, with underscores, is the manifest's too.
type flag struct {
	name, usage string
	fallback    string // of a duration or a word; all others are left alone by their zero value
	at          func(*Overrides) any
	words       [2]string            // by which it names false and true of a setting
	fits        func(*Settings) bool // nil: every rung
	knob        *knob                // that a study turns; nil: none
}

// The bounds of values are there to catch a slip of a digit or a unit, not to limit
// anybody.
const (
	maxSequences = 4096
	maxTokens    = 1 << 20
	maxCells     = 1 << 28
	maxWait      = 24 * time.Hour
)

// The defaults of a rung that says nothing. 512 is llama.cpp's physical batch.
const (
	defaultStepTokens  = 512
	defaultBlockTokens = 16
)

// settings are all keys, in the order in which they are shown.
var settings = []setting{
	{section: scheduler, key: "max_batch", unit: "sequences", fallback: "1", mechanism: batching, max: maxSequences,
		meaning: "how many requests may run at once",
		at:      func(s *Settings) any { return &s.Policy.MaxBatch },
		flag: &flag{name: "max-batch", usage: "sequences at once for rungs from continuous up (default 24)",
			at: func(o *Overrides) any { return &o.MaxBatch }, fits: (*Settings).Refills,
			knob: &knob{place: 8, adds: "sequences at once", values: []string{"4", "8", "16", "24", "32"}}}},
	{section: scheduler, key: "refill", fallback: "false", mechanism: batching,
		meaning: "waiting requests join at every step; otherwise a batch drains wholly before the next is formed",
		at:      func(s *Settings) any { return &s.Policy.Refill }},
	{section: scheduler, key: "fill_wait", unit: "duration", fallback: "0s", mechanism: batching,
		meaning: "how long the first request waits for others to fill the batch; only without `refill`",
		at:      func(s *Settings) any { return &s.Policy.FillWait }},
	{section: scheduler, key: "step_tokens", unit: "tokens", fallback: "512", mechanism: composition, max: maxTokens,
		meaning: "most rows of one step, at least `max_batch`; longer prompts are prefilled in chunks",
		at:      func(s *Settings) any { return &s.Policy.StepTokens },
		flag: &flag{name: "prefill-budget", usage: "tokens of a step; longer prompts are prefilled in chunks (default 512)",
			at: func(o *Overrides) any { return &o.PrefillBudget },
			knob: &knob{place: 1, adds: "tokens of a step; unchunked takes the longest prompt whole", values: []string{"128", "256", "512", Unchunked},
				set: map[string]func(*Settings, int){Unchunked: func(s *Settings, longest int) {
					s.Policy.StepTokens = max(longest, s.Policy.StepTokens) + s.Policy.MaxBatch // decoding rows besides the prompt
				}}}}},
	{section: scheduler, key: "prefill_tokens", rare: true, unit: "tokens", fallback: "0: as `step_tokens`", mechanism: composition, max: maxTokens,
		meaning: "most prompt rows of one step",
		at:      func(s *Settings) any { return &s.Policy.PrefillTokens }},
	{section: scheduler, key: "decode_first", fallback: "false", mechanism: composition,
		meaning: "every decoding sequence has its row before prompts share what is left; otherwise prompts go first, alone",
		at:      func(s *Settings) any { return &s.Policy.DecodeFirst },
		flag: &flag{name: "prefill-order", usage: "decode-first or prefill-first (default decode-first)",
			at: func(o *Overrides) any { return &o.PrefillOrder }, words: [2]string{PrefillFirst, DecodeFirst}, fits: (*Settings).Refills,
			knob: &knob{place: 2, adds: "who goes first in a step", values: []string{DecodeFirst, PrefillFirst}}}},
	{section: scheduler, key: "tile_prompts", rare: true, fallback: "false", mechanism: composition,
		meaning: "prompts are cut so that their rows go by the backend's tiles of attention, where there are any: no short chunks, and a hit is shortened when the rest of the prompt costs less as a whole tile",
		at:      func(s *Settings) any { return &s.Policy.TilePrompts },
		own:     func(s *Settings) *bool { return &s.Own.TilePrompts },
		flag: &flag{name: "tile-prompts", usage: "cut prompts to tiles of attention: on or off", fallback: On,
			at: func(o *Overrides) any { return &o.TilePrompts }, words: [2]string{Off, On}, fits: (*Settings).Refills,
			knob: &knob{place: 9, adds: "how prompts are cut", values: []string{On, Off}}}},
	{section: scheduler, key: "prefill_streak", rare: true, unit: "steps", fallback: "0: as `max_batch`", mechanism: composition, max: maxTokens,
		meaning: "steps in a row that prompts may take while others wait to decode; only with `refill` and without `decode_first`",
		at:      func(s *Settings) any { return &s.Policy.PrefillStreak }},
	{section: scheduler, key: "order", rare: true, unit: "fifo or edf", fallback: "fifo", mechanism: order,
		meaning: "order of admission: `fifo` (of arrival) or `edf` (of deadlines, earliest first; what has none comes last)",
		at:      func(s *Settings) any { return &s.Policy.Order }},
	{section: scheduler, key: "patience", rare: true, unit: "duration", fallback: "0s: no ageing", mechanism: order,
		meaning: "with `order: edf`, a request counts as due at the latest this long after its arrival",
		at:      func(s *Settings) any { return &s.Policy.Patience }},
	{section: scheduler, key: "floors", rare: true, unit: "share, by class", fallback: "none", mechanism: floors,
		meaning: "share of the processed tokens that a class gets while it waits, such as `{shared: 0.3}`; the class `\"\"` is what has no deadline and no floor of its own; at most 1 together",
		at:      func(s *Settings) any { return &s.Policy.Floors }},
	{section: scheduler, key: "quantum", rare: true, unit: "tokens", fallback: "0: one token", mechanism: preemption, max: maxTokens,
		meaning: "output that a request has got before it may be preempted",
		at:      func(s *Settings) any { return &s.Policy.Quantum }},
	{section: scheduler, key: "share_wait", unit: "duration", fallback: "as `--share-wait`", mechanism: prefixCache,
		meaning: "how long a request waits at most for a prefix that another is computing; only with `refill` and `prefix`",
		at:      func(s *Settings) any { return &s.Policy.ShareWait },
		own:     func(s *Settings) *bool { return &s.Own.ShareWait },
		flag: &flag{name: "share-wait", usage: "how long a request waits at most for a prefix that another is computing; 0 does not wait", fallback: DefaultShareWait.String(),
			at:   func(o *Overrides) any { return &o.ShareWait },
			fits: func(s *Settings) bool { return s.Caches() && s.Refills() }}},
	{section: scheduler, key: "late_publish", fallback: "false", mechanism: prefixCache,
		meaning: "what is computed of a request is there for others when it has ended, not already when its prompt is complete; only with `prefix`",
		at:      func(s *Settings) any { return &s.Policy.LatePublish }},
	{section: cache, key: "paged", fallback: "false", mechanism: paging,
		meaning: "cells are taken block by block as tokens are computed; otherwise prompt and whole output are reserved at admission",
		at:      func(s *Settings) any { return &s.Cache.Paged }},
	{section: cache, key: "block_tokens", unit: "tokens", fallback: "16 if `paged`, else one", mechanism: paging, max: maxTokens,
		meaning: "size of a block",
		at:      func(s *Settings) any { return &s.Cache.BlockTokens },
		flag: &flag{name: "block-size", usage: "tokens of a KV block for rungs from paged up (default 16)",
			at: func(o *Overrides) any { return &o.BlockSize }, fits: func(s *Settings) bool { return s.Cache.Paged },
			knob: &knob{place: 6, adds: "tokens of a KV block", values: []string{"8", "16", "32", "64"}}}},
	{section: cache, key: "prefix", param: "prefix_cache", fallback: "false", mechanism: prefixCache,
		meaning: "the cached beginning of a prompt is not computed again; needs `paged`",
		at:      func(s *Settings) any { return &s.Cache.Prefix }},
	{section: cache, key: "retain_cells", param: "kv_retain", unit: "cells", fallback: "as `--kv-retain`", mechanism: prefixCache, max: maxCells,
		meaning: "cells that may hold nothing but cached prefixes; 0 sets no bound; only with `prefix`",
		at:      func(s *Settings) any { return &s.Cache.RetainCells },
		own:     func(s *Settings) *bool { return &s.Own.RetainCells },
		flag: &flag{name: "kv-retain", usage: "KV cells that may hold nothing but cached prefixes (default: in a unified cache what a short measurement says slows a full batch by 10%, in streams no bound but the pool)",
			at: func(o *Overrides) any { return &o.KVRetain }, fits: (*Settings).Caches}},
	{section: cache, key: "optimism", rare: true, unit: "share", fallback: "0", mechanism: preemption,
		meaning: "share of the output growth promised to running requests that admission leaves out of account, 0 to 1; above 0 a request may be preempted; needs `paged`",
		at:      func(s *Settings) any { return &s.Cache.Optimism }},
	{section: cache, key: "cells", param: "kv_cells", unit: "cells", fallback: "0: all that the sequences have", mechanism: pool, max: maxCells,
		meaning: "cells that may be used",
		at:      func(s *Settings) any { return &s.Cache.Cells },
		flag: &flag{name: "kv-cells", usage: "KV cells that may be used (default all that the sequences have)",
			at: func(o *Overrides) any { return &o.KVCells },
			knob: &knob{place: 7, adds: "KV cells that may be used", values: []string{"4096", "8192", "16384", wholePool},
				set: map[string]func(*Settings, int){wholePool: func(s *Settings, _ int) { s.Cache.Cells = 0 }}}}},
}

// keysOf returns the keys of a section.
func keysOf(section string) []string {
	var keys []string
	for _, s := range settings {
		if s.section == section {
			keys = append(keys, s.key)
		}
	}
	return keys
}

// fallback gives every setting its default, before anything is read.
func fallback() Settings {
	return Settings{Policy: engine.Policy{MaxBatch: 1, StepTokens: defaultStepTokens}}
}

// value is a setting as it is written.
func (s *setting) value(of Settings) string {
	switch v := s.at(&of).(type) {
	case *[]engine.Floor:
		var words []string
		for _, f := range *v {
			words = append(words, fmt.Sprintf("%q: %v", f.Class, f.Share))
		}
		return "{" + strings.Join(words, ", ") + "}"
	case *int:
		return fmt.Sprint(*v)
	case *bool:
		return fmt.Sprint(*v)
	case *float64:
		return fmt.Sprint(*v)
	case *time.Duration:
		return v.String()
	case *engine.Order:
		return v.String()
	default:
		panic(fmt.Sprintf("spec: %s has a value of type %T", s.key, v))
	}
}

// Doc documents a key of a ladder's file.
type Doc struct {
	Key, Unit, Default, Mechanism, Meaning string
}

// Reference documents all keys.
func Reference() []Doc {
	var docs []Doc
	for i := range settings {
		s := &settings[i]
		unit := s.unit
		if _, isBool := s.at(&Settings{}).(*bool); isBool {
			unit = "true or false"
		}
		docs = append(docs, Doc{s.section + "." + s.key, unit, s.fallback, s.mechanism, s.meaning})
	}
	return docs
}

// Params are a rung's settings by documented name, as a cell keeps them, and those of its
// admission policy.
func (r *Rung) Params() map[string]string {
	p := admissionParams(r.Admission)
	if p == nil {
		p = map[string]string{}
	}
	for i := range settings {
		s := &settings[i]
		at := reflect.ValueOf(s.at(&r.Settings)).Elem()
		if s.rare && at.IsZero() {
			continue
		}
		name := s.key
		if s.param != "" {
			name = s.param
		}
		p[name] = fmt.Sprint(at.Interface())
	}
	return p
}
