package sim

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/results"
)

// CostOf is a calibration's cost as the twin takes it. Every term must be there, and
// no other: a calibration for other terms is one of another version of the twin.
func CostOf(c results.StepCost) (twin.Cost, error) {
	cost := twin.Cost{Noise: twin.Noise{Sigma: c.Noise.Sigma, Rho: c.Noise.Rho}}
	known := map[string]bool{}
	for t := range twin.Term(twin.NumTerms) {
		term, ok := c.Terms[t.String()]
		if !ok {
			return cost, fmt.Errorf("the calibration lacks the cost of %q: make it again with this version's calibrate", t)
		}
		known[t.String()] = true
		cost.Seconds[t], cost.Most[t] = term.Seconds, term.Most
	}
	for name := range c.Terms {
		if !known[name] {
			return cost, fmt.Errorf("the calibration has a cost of %q, which this version's twin does not know: make it again with calibrate", name)
		}
	}
	return cost, cost.Check()
}
