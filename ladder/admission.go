package ladder

import (
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// admit gives a rung's engine its admission policy for a cell, if it has one: a new one
// for each, since cells are independent. What it draws at random depends on the cell's
// name.
func admit(r *spec.Rung, serve *engine.Config, cfg *Config, lim engine.Limits, key results.Key, tape *loadgen.Tape) (slo time.Duration, err error) {
	if r.Admission.Policy == "" {
		return 0, nil
	}
	h := fnv.New64a()
	io.WriteString(h, "admission "+key.Name())
	serve.Admission, err = admission.New(r.Admission, admission.Env{
		SLO: cfg.SLO, MaxBatch: r.Policy.MaxBatch, StepTokens: min(r.Policy.StepTokens, lim.Rows), Seed: h.Sum64(),
		Output: trueLengths(cfg.Stop, tape),
		Fitted: cfg.Fitted,
	})
	if err != nil {
		return 0, fmt.Errorf("rung %s: %w", r.Name, err)
	}
	return cfg.SLO, nil
}

// trueLengths are those of a tape's answers, for a policy that is an oracle; nil where
// the model chooses them.
func trueLengths(stop StopMode, tape *loadgen.Tape) func(id int) int {
	switch stop {
	case StopScripted:
		return func(id int) int { return min(tape.Requests[id].StopTokens, tape.Requests[id].MaxTokens) }
	case StopNever:
		return func(id int) int { return tape.Requests[id].MaxTokens }
	default:
		return nil
	}
}

// Decided implements engine.AdmissionObserver.
func (o observer) Decided(r *admission.Request, s *admission.Snapshot, d *admission.Decision) {
	o.sink.Admission(admissionOf(r, s, d))
}

// admissionOf is what is kept of a decision.
func admissionOf(r *admission.Request, s *admission.Snapshot, d *admission.Decision) results.Admission {
	a := results.Admission{
		Admitted: d.Admit, Reason: d.Reason.String(), Regime: d.Regime.String(), Propensity: d.Propensity, Forced: d.Forced,
		Estimate: positive(d.Estimate), Bound: positive(d.Bound), RetryAfter: positive(d.RetryAfter),
		Cached: int32(r.Cached), Queued: int32(len(s.Queue)), Running: int32(len(s.Batch)), FreeKV: s.FreeKV,
	}
	if d.HasChance {
		a.Chance = results.Some(d.Chance)
	}
	a.Gate = gateOf(&d.Gate)
	for i := range s.Queue {
		a.Prefill += int32(s.Queue[i].Prefill)
	}
	for i := range s.Batch {
		a.Prefill += int32(s.Batch[i].Prefill)
	}
	return a
}

// gateOf is what is kept of the threshold of a decision.
func gateOf(g *admission.Gate) results.Opt[results.AdmissionGate] {
	if g.At == admission.NoTheta {
		return results.Opt[results.AdmissionGate]{}
	}
	return results.Some(results.AdmissionGate{Theta: g.Theta, Threshold: g.Threshold, At: g.At.String(), RefusedBy: g.RefusedBy.String()})
}

// positive is a duration that a policy gave; 0 says nothing.
func positive(d time.Duration) results.Opt[time.Duration] {
	if d <= 0 {
		return results.Opt[time.Duration]{}
	}
	return results.Some(d)
}
