package ladder

import "github.com/cadence-bench/cadence-bench/results"

// Plan orders the cells of a sweep: rate by rate, every seed and every rung of a
// rate before the next rate, and the order of the rungs rotated by one from each
// (rate, seed) block to the next. A machine that warms up or throttles during the
// sweep then slows all rungs alike instead of flattering one.
func Plan(rungs []Rung, rates []float64, seeds []uint64) []results.Key {
	plan := make([]results.Key, 0, len(rungs)*len(rates)*len(seeds))
	block := 0
	for _, rate := range rates {
		for _, seed := range seeds {
			for i := range rungs {
				rung := rungs[(block+i)%len(rungs)]
				plan = append(plan, results.Key{Rung: rung.Name, OfferedRPS: rate, Seed: seed})
			}
			block++
		}
	}
	return plan
}
