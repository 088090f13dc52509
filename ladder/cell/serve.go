package cell

import (
	"context"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
)

// Client sends requests to an engine: a tape's at their times, those of a closed loop, or
// those of a recording.
type Client interface {
	// Begin sends the first requests, on the clock's loop. The client calls over when it
	// will send no more.
	Begin(eng *engine.Engine, over func())
}

// Serve runs an engine on a backend, which must be empty, until its client is over and the
// engine is idle. Every engine of a cell, a probe, a survey, a profile and a replay is
// made here.
func Serve(ctx context.Context, clk clock.Clock, b engine.Backend, cfg engine.Config, c Client) (engine.Stats, error) {
	eng, err := engine.New(clk, b, cfg)
	if err != nil {
		return engine.Stats{}, err
	}
	over := false
	stop := func() {
		if over && eng.Idle() {
			clk.Stop()
		}
	}
	eng.OnIdle(stop)
	clk.At(0, func() { c.Begin(eng, func() { over = true; stop() }) })
	if err := clk.Run(ctx); err != nil {
		return engine.Stats{}, err
	}
	return eng.Stats(), eng.Err()
}
