package ladder

import (
	"context"
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// How long the engine is measured to choose rates and an SLO, and on how much.
const (
	idleLimit      = 8 * time.Second
	idleRequests   = 24
	idleMinimum    = 3 // answered before the limit, or twice as long is tried
	saturateLimit  = 10 * time.Second
	saturateFactor = 4 // requests queued per sequence of the highest rung
	lengthSamples  = 500
	// lengthSeed draws the requests that the choice rests on. It is no seed that
	// a sweep uses by default, so that nothing is chosen on the tapes it judges.
	lengthSeed = 0xCADE
)

// chosen is what a measurement of the engine leads to.
type chosen struct {
	rates []float64
	slo   time.Duration
	notes []results.Choice
}

// trial is the work on which the engine is measured.
type trial struct {
	work    []cell.Exchange
	lengths []Lengths
	longest int // tokens of the longest request, prompt and output limit
}

// trial draws requests of the workload and their lengths as the stop rule has
// them. An answer that only the model ends is taken to run to its limit.
func (s *Sweep) trial(cfg Config, tapes *cell.Tapes) (trial, error) {
	load, err := cfg.load()
	if err != nil {
		return trial{}, fault.Input.Wrap(err)
	}
	o, err := tapes.Tokenise(load.Sample(lengthSamples, lengthSeed))
	if err != nil {
		return trial{}, err
	}
	longest, err := s.fit(cfg, o)
	if err != nil {
		return trial{}, err
	}
	t := trial{longest: longest}
	for i, r := range o.Requests {
		output := r.MaxTokens
		if cfg.Stop == cell.StopScripted {
			output = r.StopTokens
		}
		t.work = append(t.work, cell.Exchange{Prompt: o.Prompts[i], Output: output})
		t.lengths = append(t.lengths, Lengths{len(o.Prompts[i]), output})
	}
	return t, nil
}

// choose measures the engine and fills in the rates and the SLO that cfg leaves
// open.
func choose(ctx context.Context, m cell.Machine, cfg Config, rungs []spec.Rung, t trial, note func(string)) (chosen, error) {
	c := chosen{rates: cfg.Rates, slo: cfg.SLO}
	if c.rates != nil && c.slo != 0 {
		return c, nil
	}
	b, err := m.Open(cell.ShapeFor(rungs, max(cfg.Context, t.longest)))
	if err != nil {
		return c, err
	}
	defer b.Close()
	if _, err := cell.Probe(ctx, m, b); err != nil { // warms the engine up
		return c, err
	}
	note("measuring the idle engine, to choose what was left to auto")
	idle, served, err := measureIdle(ctx, m, b, Rungs()[0].Engine(m.Unified()), t.work, idleLimit)
	if err != nil {
		return c, err
	}
	fifo := idle.capacity(t.lengths)
	if c.slo == 0 {
		c.slo = min(idle.SLO(t.lengths), cfg.Timeout)
		c.notes = append(c.notes, results.Choice{Name: "slo", Value: c.slo.String(), Why: fmt.Sprintf(
			"%g times what %.0f%% of the workload's requests stay within on the idle engine, which on %d requests prefilled at %.0f and decoded at %.0f tokens/s",
			sloSlack, 100*sloShare, served, 1/idle.PrefillS, 1/idle.DecodeS)})
	}
	if c.rates == nil {
		if err := cell.Reset(b); err != nil {
			return c, err
		}
		top, err := measureSaturated(ctx, m, b, rungs[len(rungs)-1].Engine(m.Unified()), t.work, idle, saturateLimit)
		if err != nil {
			return c, err
		}
		c.rates = Rates(fifo, top*fifo, cfg.NumRates)
		c.notes = append(c.notes, results.Choice{Name: "rates", Value: text(c.rates), Why: fmt.Sprintf(
			"from half of what one request at a time can sustain (%.2f requests/s) to 1.5 times what %q sustained with a full queue (%.2f)",
			fifo, rungs[len(rungs)-1].Name, top*fifo)})
	}
	return c, nil
}

// ChooseSLO measures the idle engine and returns an SLO for a rung under the load of cfg.
func ChooseSLO(ctx context.Context, m cell.Machine, cfg Config, rung spec.Rung, note func(string)) (time.Duration, results.Choice, error) {
	s := Sweep{Machine: m}
	t, err := s.trial(cfg, cell.NewTapes(m))
	if err != nil {
		return 0, results.Choice{}, err
	}
	cfg.Rates, cfg.SLO = []float64{1}, 0 // the rate is another choice
	c, err := choose(ctx, m, cfg, []spec.Rung{rung}, t, note)
	if err != nil {
		return 0, results.Choice{}, err
	}
	return c.slo, c.notes[0], nil
}

// measureIdle answers requests one at a time, until the limit or, where that is too
// short for a few, longer.
func measureIdle(ctx context.Context, m cell.Machine, b engine.Backend, cfg engine.Config, work []cell.Exchange, limit time.Duration) (Idle, int, error) {
	work = work[:min(idleRequests, len(work))]
	var served []Served
	for ; len(served) < idleMinimum; limit *= 2 {
		served = served[:0]
		answers, _, err := cell.Closed(ctx, m.NewClock(), b, cfg, work, 1, limit)
		if err != nil {
			return Idle{}, 0, fmt.Errorf("measure the idle engine: %w", err)
		}
		for i := range answers {
			if a := &answers[i]; a.Done {
				served = append(served, Served{len(work[i].Prompt), len(a.Tokens), a.TTFT(), a.E2E()})
			}
		}
		if limit > time.Hour {
			break
		}
	}
	idle, err := fitIdle(served)
	return idle, len(served), err
}

// measureSaturated keeps the queue of an engine full for a while and returns how
// many times faster it works than one request at a time: the idle seconds' worth
// of tokens that it got through, over the time that it took.
func measureSaturated(ctx context.Context, m cell.Machine, b engine.Backend, cfg engine.Config, work []cell.Exchange, idle Idle, limit time.Duration) (float64, error) {
	work = work[:min(saturateFactor*cfg.Policy.MaxBatch, len(work))]
	answers, took, err := cell.Closed(ctx, m.NewClock(), b, cfg, work, len(work), limit)
	if err != nil {
		return 0, fmt.Errorf("measure the saturated engine: %w", err)
	}
	seconds := 0.0
	for i, a := range answers {
		if len(a.Tokens) > 0 {
			seconds += idle.E2E(len(work[i].Prompt), len(a.Tokens))
		}
	}
	return seconds / took.Seconds(), nil
}
