// Package ladder measures a ladder of rungs: it plans the sweep, offers each
// rung the same tapes, and keeps every finished cell. It is where load and
// engine meet.
package ladder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/internal/nearest"
	"github.com/cadence-bench/cadence-bench/ladder/ladders"
)

// Rung is one configuration of the ladder. It is meant to differ from the rung below it
// in one mechanism; Steps says where it does not.
type Rung struct {
	Name   string
	Adds   string // what it changes against the rung below
	Policy engine.Policy
	Cache  engine.CacheConfig // the zero one is contiguous
	// Admission is the admission policy; the zero one takes every request.
	Admission admission.Spec
	// Optional rungs are measured only when they are named.
	Optional bool
	// Own are the settings that the rung has a value of its own for, against Knobs.
	Own ladders.Own
	// Variant changes the engine below.
	Variant Variant
	// External is the server that the rung stands for; nil is the embedded engine.
	External *External
}

// Engine is how the rung's engine serves on a backend with this KV layout, but for its
// admission policy, which is made anew for each cell.
func (r Rung) Engine(unified bool) engine.Config {
	r.Cache.Streams = !unified
	return engine.Config{Policy: r.Policy, Cache: r.Cache}
}

// Rungs returns the rungs of the built-in default ladder, lowest first.
func Rungs() []Rung {
	l, err := ladders.Open(ladders.Default)
	if err != nil {
		panic("ladder: the built-in ladder: " + err.Error()) // a test reads it
	}
	return RungsOf(l)
}

// RungsOf returns the rungs of a ladder, lowest first.
func RungsOf(l *ladders.Ladder) []Rung {
	var rungs []Rung
	for _, r := range l.Rungs {
		rungs = append(rungs, Rung{Name: r.Name, Adds: r.Adds, Optional: r.Optional, Policy: r.Policy, Cache: r.Cache, Admission: r.Admission, Own: r.Own})
	}
	return rungs
}

// Select returns the rungs of the default ladder with these names, in the ladder's
// order. No names select all that are not optional.
func Select(names []string) ([]Rung, error) { return choosing(Rungs(), names) }

// choosing returns the rungs with these names, in the ladder's order, or all that are
// not optional.
func choosing(all []Rung, chosen []string) ([]Rung, error) {
	known := names(all)
	for _, name := range chosen {
		if !slices.Contains(known, name) {
			hint := "choose from " + strings.Join(known, ", ")
			if near, ok := nearest.Match(name, known); ok {
				hint = fmt.Sprintf("did you mean %q? (%s)", near, hint)
			}
			return nil, fmt.Errorf("unknown rung %q: %s", name, hint)
		}
	}
	var rungs []Rung
	for _, r := range all {
		if slices.Contains(chosen, r.Name) || len(chosen) == 0 && !r.Optional {
			rungs = append(rungs, r)
		}
	}
	return rungs, nil
}
