// Package profile samples where the time of a loaded run goes: one rung, served as a ladder
// serves it, admission policy included, with a CPU profiler on the loop. Unlike a ladder's
// cell the run has no speed probes, and each prompt is tokenised when it arrives, as in a
// server.
package profile

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// seed draws the requests that choices rest on. No profile has it by default, so that the
// profile is of other text.
const seed = 0xCADE

// Config says what is profiled.
type Config struct {
	Machine cell.Machine
	// Load has one rung, one seed and one rate, or none: nine tenths of what the rung
	// completes when all requests come at once. An SLO of 0 is chosen for a rung with an
	// admission policy.
	Load ladder.Config
	// Retain bounds the idle cached cells; nil sets no bound.
	Retain   ladder.RetainRule
	Manifest results.Manifest // what the program knows of itself, and the choices so far
	Note     func(string)     // is told what happens
}

// Run profiles the rung under load.
func Run(ctx context.Context, c Config) (*Profile, error) {
	if err := c.Load.Check(); err != nil {
		return nil, fault.Input.Wrap(err)
	}
	rungs, err := c.Load.Embedded()
	if err != nil {
		return nil, fault.Input.Wrap(err)
	}
	r := &runner{Config: c, rung: rungs[0], tapes: cell.NewTapes(c.Machine)}
	if err := r.choose(ctx); err != nil {
		return nil, err
	}
	load, rate := &r.Load, r.Load.Rates[0]
	tape, err := loadgen.Make(loadgen.Spec{Workload: load.Workload, RPS: rate, Seed: load.Seeds[0], Duration: load.Duration})
	if err != nil {
		return nil, fault.Input.Wrap(err)
	}
	r.Note(fmt.Sprintf("profiling %s at %g requests/s: %d requests over %v", r.rung.Name, rate, len(tape.Requests), load.Duration))
	var raw bytes.Buffer
	got, err := r.serve(ctx, tape, r.rung, load.Timeout, &raw)
	if err != nil {
		return nil, err
	}
	m := r.Manifest
	m.Backend, m.Params = r.Machine.Backend(), r.Machine.Params()
	m.Tapes = []results.Tape{{Workload: load.Workload, OfferedRPS: rate, Seed: load.Seeds[0], Requests: len(tape.Requests), SHA256: tape.Hash()}}
	m.Plan = []results.Key{{Rung: r.rung.Name, OfferedRPS: rate, Seed: load.Seeds[0]}}
	m.Library, m.Model = r.Machine.Describe()
	m.Params["duration"], m.Params["timeout"] = load.Duration.String(), load.Timeout.String()
	if r.rung.Admits() {
		m.Params["slo"] = load.SLO.String()
	}
	return newProfile(m, got, raw.Bytes())
}

// runner is a profile under way.
type runner struct {
	Config
	rung  spec.Rung
	tapes *cell.Tapes
}

// choose fills in what is left open: the bound of idle cells, the SLO and the rate.
func (r *runner) choose(ctx context.Context) error {
	kept := func(c results.Choice, err error) error {
		r.Manifest.Choices = append(r.Manifest.Choices, c)
		return err
	}
	if r.Retain != nil {
		longest, err := r.longestPrompt()
		if err != nil {
			return err
		}
		rungs, choice := []spec.Rung{r.rung}, r.Retain(longest)
		if err := kept(choice, ladder.Bound(rungs, choice)); err != nil {
			return err
		}
		r.rung = rungs[0]
	}
	if r.rung.Admits() && r.Load.SLO == 0 {
		slo, choice, err := ladder.ChooseSLO(ctx, r.Machine, r.Load, r.rung, r.Note)
		if err := kept(choice, err); err != nil {
			return err
		}
		r.Load.SLO = slo
	}
	if r.Load.Rates != nil {
		return nil
	}
	r.Note(fmt.Sprintf("measuring what %s completes when all requests come at once, to choose the rate", r.rung.Name))
	rate, choice, err := r.chooseRate(ctx)
	r.Load.Rates = []float64{rate}
	return kept(choice, err)
}

// longestPrompt is that of a few of the workload's requests.
func (r *runner) longestPrompt() (int, error) {
	tape, err := loadgen.Make(loadgen.Spec{Workload: r.Load.Workload, RPS: 1, Seed: seed, Duration: 100 * time.Second})
	if err != nil {
		return 0, fault.Input.Wrap(err)
	}
	t, err := r.tapes.Tokenise(tape)
	if err != nil {
		return 0, err
	}
	return t.LongestPrompt(), nil
}

// chooseRate measures the rung with twice as many requests as it can run, all at once. A
// burst asks how fast the engine is, which is as without admission.
func (r *runner) chooseRate(ctx context.Context) (float64, results.Choice, error) {
	const share, patience = 0.9, 2 * time.Minute
	n := 2 * r.rung.Policy.MaxBatch
	tape, err := loadgen.Make(loadgen.Spec{Workload: r.Load.Workload, RPS: 10, Seed: seed, Duration: time.Duration(n) * time.Second})
	if err != nil {
		return 0, results.Choice{}, err
	}
	tape.Requests = tape.Requests[:min(n, len(tape.Requests))]
	for i := range tape.Requests {
		tape.Requests[i].At, tape.Requests[i].Think = 0, 0
	}
	open := r.rung
	open.Admission.Policy = ""
	got, err := r.serve(ctx, tape, open, patience, nil)
	if err != nil {
		return 0, results.Choice{}, err
	}
	done := completed(got.Records)
	if done == 0 {
		return 0, results.Choice{}, fault.Input.Errorf("no request was completed within %v, so there is nothing to choose a rate from; give --rate", patience)
	}
	full := float64(done) / got.Took.Seconds()
	rate := float64(int(share*full*100)) / 100
	if rate == 0 {
		rate = share * full
	}
	return rate, results.Choice{Name: "rate", Value: fmt.Sprint(rate), Why: fmt.Sprintf(
		"%.0f%% of the %.2f requests/s that %s completed of %d that came at once", 100*share, full, r.rung.Name, len(tape.Requests))}, nil
}

func completed(records []results.Record) (n int) {
	for i := range records {
		if records[i].Outcome == results.Completed {
			n++
		}
	}
	return n
}

// serve offers a tape to a rung until all of it has ended. A CPU profile of just that is
// written to into, unless it is nil.
func (r *runner) serve(ctx context.Context, tape *loadgen.Tape, rung spec.Rung, timeout time.Duration, into *bytes.Buffer) (*cell.Result, error) {
	t, err := r.tapes.Tokenise(tape)
	if err != nil {
		return nil, err
	}
	longest, room := 0, r.Machine.MaxContext()
	for i, q := range t.Requests {
		if longest = max(longest, len(t.Prompts[i])+q.MaxTokens); longest > room {
			return nil, fault.Input.Errorf("request %d needs %d tokens and the model's context is %d; give another --model", i, longest, room)
		}
	}
	s := cell.Setup{
		Key: results.Key{Rung: rung.Name, OfferedRPS: tape.RPS, Seed: tape.Seed}, Machine: r.Machine, Rung: rung,
		Shape: cell.ShapeFor([]spec.Rung{rung}, longest), Config: r.Load.Cell(), NoProbes: true, OnArrival: true,
		Around: func(loop func() error) error {
			if into != nil {
				if err := pprof.StartCPUProfile(into); err != nil {
					return err
				}
				defer pprof.StopCPUProfile()
			}
			ran := make(chan error)
			go func() { ran <- loop() }() // so that the loop's stacks do not begin at main
			return <-ran
		},
	}
	s.Config.Timeout = timeout
	return s.Run(ctx, t)
}
