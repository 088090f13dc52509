package engine_test

import (
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/twin"
)

// Every test of this package that runs steps runs them on the twin, whose answers show
// any cell of another's, any stale, lost or repeated token.
func init() { engine.UseTwin(makeTwin, twin.SoloSampled) }

func makeTwin(lim engine.Limits, unified bool) engine.Backend {
	var c twin.Cost
	c.Seconds[twin.Step] = 1e-3
	for _, t := range []twin.Term{twin.Pass1, twin.Row2, twin.Row4, twin.Row32} {
		c.Seconds[t] = 1e-5
	}
	b, err := twin.New(twin.Config{Limits: lim, Unified: unified, Cost: c})
	if err != nil {
		panic(err)
	}
	return b
}
