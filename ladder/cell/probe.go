package cell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/results"
)

// The probe is the same work before and after every cell of every sweep, so that
// two probes differ only by the machine's speed.
const (
	probeSystem = "You are a careful assistant. Answer in plain words, name your sources, and say so when you are not sure. " +
		"Keep to the question, give the figures with their units, and round them to what the measurement supports. " +
		"When the question is about a machine, ask which one; when it is about a time, ask whose clock. " +
		"A short answer that is right is better than a long one that is nearly right."
	probeUser   = "How fast is this machine at this moment?"
	probeTokens = 64
	probeLimit  = 10 * time.Minute
)

// probeRows is the cap on a step's rows in the probe: llama.cpp's physical batch, the same
// whatever the ladder.
const probeRows = 512

// Probe runs the fixed generation on an idle backend and leaves it idle.
func Probe(ctx context.Context, m Machine, b engine.Backend) (results.Probe, error) {
	prompt, err := m.Encode(probeSystem, probeUser)
	if err != nil {
		return results.Probe{}, fmt.Errorf("probe: %w", err)
	}
	if room := min(b.Limits().SeqCells, b.Limits().Cells) - probeTokens; len(prompt) > room {
		prompt = prompt[:max(room, 1)]
	}
	work := []Exchange{{prompt, probeTokens}}
	answers, _, err := Closed(ctx, m.NewClock(), b, engine.Config{Policy: engine.Policy{MaxBatch: 1, StepTokens: probeRows}}, work, 1, probeLimit)
	if err != nil {
		return results.Probe{}, fmt.Errorf("probe: %w", err)
	}
	if !answers[0].Done {
		return results.Probe{}, errors.New("probe: the idle engine did not answer")
	}
	a := &answers[0]
	return results.Probe{
		PrefillTokensPerS: float64(len(prompt)) / a.TTFT().Seconds(),
		DecodeTokensPerS:  float64(len(a.Tokens)-1) / (a.E2E() - a.TTFT()).Seconds(),
	}, nil
}
