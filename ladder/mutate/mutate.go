// Package mutate makes a ladder worse on purpose, one mistake at a time. `cadence-bench
// gate --prove` runs the gate on each such ladder and fails unless the gate does: a gate
// that nobody has seen red may be one that cannot be.
//
// A mistake is a setting that a careless change could leave behind, or a decorator around
// the KV cache (kv/faulty) or the admission policy (admission/faulty). No ladder file can
// set a decorator.
package mutate

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// Mutation is one mistake.
type Mutation struct {
	Name string
	// Mistake says what is wrong, in words that fit a table.
	Mistake string
	// Where says whether a rung has what the mistake is about.
	Where func(*spec.Settings) bool
	// Make makes the mistake.
	Make func(*spec.Settings)
	// Catch are the metrics, by their keys in analysis/gate, that must each be beyond
	// their budget. Others may be too.
	Catch []string
}

// Apply returns a copy of a ladder in which the highest rung that the mutation is about
// has its mistake, and that rung's name. The copy passes for the ladder of the same file,
// as the same source with a mistake in it would.
func (m Mutation) Apply(l *spec.Ladder) (*spec.Ladder, string, error) {
	for i := len(l.Rungs) - 1; i >= 0; i-- {
		if !m.Where(&l.Rungs[i].Settings) {
			continue
		}
		mutant := *l
		mutant.Rungs = slices.Clone(l.Rungs)
		m.Make(&mutant.Rungs[i].Settings)
		return &mutant, l.Rungs[i].Name, nil
	}
	return nil, "", fmt.Errorf("ladder %s has no rung to make the mistake %q on", l.Name, m.Name)
}
