// Package ladder measures a ladder of rungs: it plans the sweep, offers each
// rung the same tapes, and keeps every finished cell. It is where load and
// engine meet.
package ladder

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/internal/nearest"
)

// Rung is one configuration of the ladder. It differs from the rung below it in
// exactly one mechanism.
type Rung struct {
	Name   string
	Adds   string // what it changes against the rung below
	Policy engine.Policy
	Cache  engine.CacheConfig // the zero one is contiguous
	// Optional rungs are measured only when they are named.
	Optional bool
	// External is the server that the rung stands for; nil is the embedded engine.
	External *External
}

// Engine is how the rung's engine serves on a backend with this KV layout.
func (r Rung) Engine(unified bool) engine.Config {
	r.Cache.Streams = !unified
	return engine.Config{Policy: r.Policy, Cache: r.Cache}
}

// The policies of the predecessor's ladder. stepTokens is the chunk that prompts
// are prefilled in and the cap on a step's rows; it is the same for every rung so
// that no rung differs from its neighbour in it. 512 is llama.cpp's physical
// batch (n_ubatch): a larger step would only be split again.
const (
	stepTokens      = 512
	staticBatch     = 8
	staticWait      = 50 * time.Millisecond
	continuousBatch = 24
	blockTokens     = 16
)

func continuous() engine.Policy {
	return engine.Policy{MaxBatch: continuousBatch, Refill: true, DecodeFirst: true, StepTokens: stepTokens}
}

// Rungs returns the built-in ladder, lowest first.
func Rungs() []Rung {
	return []Rung{
		{
			Name: "fifo", Adds: "the baseline",
			Policy: engine.Policy{MaxBatch: 1, StepTokens: stepTokens},
		},
		{
			Name: "static", Adds: "requests run in batches of 8 that wait up to 50 ms to fill and drain wholly",
			Policy: engine.Policy{MaxBatch: staticBatch, FillWait: staticWait, StepTokens: stepTokens},
		},
		{
			Name: "continuous", Adds: "requests join and leave at every step (up to 24 run), prompts are prefilled in chunks behind the decoding rows",
			Policy: continuous(),
		},
		{
			Name: "paged", Adds: "KV cells are taken in blocks of 16 as tokens are computed, instead of reserved for the whole answer",
			Policy: continuous(), Cache: engine.CacheConfig{Paged: true, BlockTokens: blockTokens}, Optional: true,
		},
		{
			Name: "prefix", Adds: "KV cells are taken in blocks of 16, and the beginning of a prompt that is cached is not computed again",
			Policy: continuous(), Cache: engine.CacheConfig{Paged: true, Prefix: true, BlockTokens: blockTokens},
		},
	}
}

// Select returns the built-in rungs with these names, in the ladder's order. No
// names select all that are not optional.
func Select(names []string) ([]Rung, error) {
	var known []string
	for _, r := range Rungs() {
		known = append(known, r.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			hint := "choose from " + strings.Join(known, ", ")
			if near, ok := nearest.Match(name, known); ok {
				hint = fmt.Sprintf("did you mean %q? (%s)", near, hint)
			}
			return nil, fmt.Errorf("unknown rung %q: %s", name, hint)
		}
	}
	var rungs []Rung
	for _, r := range Rungs() {
		if slices.Contains(names, r.Name) || len(names) == 0 && !r.Optional {
			rungs = append(rungs, r)
		}
	}
	return rungs, nil
}
