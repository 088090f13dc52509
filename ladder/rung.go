// Package ladder measures a ladder of rungs: it plans the sweep, offers each
// rung the same tapes, and keeps every finished cell. It is where load and
// engine meet.
package ladder

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/internal/nearest"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// Rungs returns the rungs of the built-in default ladder, lowest first.
func Rungs() []spec.Rung {
	l, err := spec.Open(spec.Default)
	if err != nil {
		panic("ladder: the built-in ladder: " + err.Error()) // a test reads it
	}
	return l.Rungs
}

// Select returns the rungs of the default ladder with these names, in the ladder's
// order. No names select all that are not optional.
func Select(names []string) ([]spec.Rung, error) { return choosing(Rungs(), names) }

// choosing returns the rungs with these names, in the ladder's order, or all that are
// not optional.
func choosing(all []spec.Rung, chosen []string) ([]spec.Rung, error) {
	known := names(all)
	for _, name := range chosen {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown rung %q: %s", name, nearest.Hint(name, known))
		}
	}
	var rungs []spec.Rung
	for _, r := range all {
		if slices.Contains(chosen, r.Name) || len(chosen) == 0 && !r.Optional {
			rungs = append(rungs, r)
		}
	}
	return rungs, nil
}
