package cell

import (
	"fmt"
	"hash/fnv"
	"io"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/policies"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/results"
)

// Admission returns a rung's admission policy for a cell, and the SLO that its requests
// have; nil and 0 for a rung without one. Each cell has a new one, since cells are
// independent. What it draws at random depends on the cell's name.
func Admission(r spec.Rung, cfg *Config, lim engine.Limits, key results.Key, tape *loadgen.Tape) (admission.Policy, time.Duration, error) {
	if !r.Admits() {
		return nil, 0, nil
	}
	p, err := policies.New(r.Admission, admission.Env{
		SLO: cfg.SLO, MaxBatch: r.Policy.MaxBatch, StepTokens: min(r.Policy.StepTokens, lim.Rows),
		Seed:   hashOf("admission " + key.Name()),
		Output: trueLengths(cfg.Stop, tape),
		Fitted: cfg.Fitted,
	})
	if err != nil {
		return nil, 0, fmt.Errorf("rung %s: %w", r.Name, err)
	}
	return p, cfg.SLO, nil
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, text)
	return h.Sum64()
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
	o.sink.Admission(AdmissionOf(r, s, d))
}

// AdmissionOf is what is kept of a decision.
func AdmissionOf(r *admission.Request, s *admission.Snapshot, d *admission.Decision) results.Admission {
	a := results.Admission{
		Admitted: d.Admit, Reason: d.Reason.String(), Regime: d.Regime.String(), Propensity: d.Propensity, Forced: d.Forced,
		Estimate: positive(d.Estimate), Bound: positive(d.Bound), RetryAfter: positive(d.RetryAfter),
		Cached: int32(r.Cached), Queued: int32(len(s.Queue)), Running: int32(len(s.Batch)), FreeKV: s.FreeKV,
	}
	if d.HasChance {
		a.Chance = results.Some(d.Chance)
	}
	a.Threshold = thresholdOf(&d.Threshold)
	for i := range s.Queue {
		a.Prefill += int32(s.Queue[i].Prefill)
	}
	for i := range s.Batch {
		a.Prefill += int32(s.Batch[i].Prefill)
	}
	return a
}

// thresholdOf is what is kept of the threshold of a decision.
func thresholdOf(t *admission.Threshold) results.Opt[results.AdmissionThreshold] {
	if t.At == admission.NoTheta {
		return results.Opt[results.AdmissionThreshold]{}
	}
	return results.Some(results.AdmissionThreshold{Theta: t.Theta, Threshold: t.InForce, At: t.At.String(), RefusedBy: t.RefusedBy.String()})
}

// positive is a duration that a policy gave; 0 says nothing.
func positive(d time.Duration) results.Opt[time.Duration] {
	if d <= 0 {
		return results.Opt[time.Duration]{}
	}
	return results.Some(d)
}
