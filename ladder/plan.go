package ladder

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// Repeats say what a sweep measures more than once. The zero value repeats nothing.
type Repeats struct {
	// Replicates is how many times every cell is measured; 0 is once.
	Replicates int
	// Of is the only rung that is, in a study; "" is all rungs.
	Of string
	// Anchor is the rung that is measured again after everything else, at every rate and
	// seed; "" is none.
	Anchor string
}

// maxReplicates catches a slip of the keyboard.
const maxReplicates = 100

// Plan orders the cells of a sweep: rate by rate, and in a rate by blocks of all rungs,
// one for each seed and, after all seeds, again for each replicate. The order of the
// rungs is rotated by one from block to block. A machine that warms up or throttles
// during the sweep then slows all rungs alike instead of flattering one. Anchors come
// after all others.
func Plan(rungs []spec.Rung, rates []float64, seeds []uint64, again Repeats) []results.Key {
	if again.Of != "" {
		return planStudy(rungs, rates, seeds, again)
	}
	var plan []results.Key
	block := 0
	for _, rate := range rates {
		for replicate := range max(1, again.Replicates) {
			for _, seed := range seeds {
				for i := range rungs {
					rung := rungs[(block+i)%len(rungs)]
					plan = append(plan, results.Key{Rung: rung.Name, OfferedRPS: rate, Seed: seed, Replicate: replicate})
				}
				block++
			}
		}
	}
	if again.Anchor == "" {
		return plan
	}
	for _, rate := range rates {
		for _, seed := range seeds {
			plan = append(plan, results.Key{Rung: again.Anchor, OfferedRPS: rate, Seed: seed, Anchor: true})
		}
	}
	return plan
}

// check says what is wrong with r for these rungs, in the words of the flags.
func (r *Repeats) check(rungs []spec.Rung) error {
	if r.Replicates < 0 || r.Replicates > maxReplicates {
		return fmt.Errorf("--replicates: %d is out of range; give 1 to %d", r.Replicates, maxReplicates)
	}
	if r.Anchor == "" {
		return nil
	}
	if _, err := choosing(rungs, []string{r.Anchor}); err != nil {
		return fmt.Errorf("--anchor: %w", err)
	}
	return nil
}
