package classic

import (
	"github.com/cadence-bench/cadence-bench/admission"
)

// inFlight is how many requests the engine has, waiting or running.
func inFlight(s *admission.Snapshot) int { return len(s.Queue) + len(s.Batch) }

// takes is the decision of an arm that takes a request.
func takes(s *admission.Snapshot) admission.Decision {
	return admission.Decision{Admit: true, Reason: admission.Open, Regime: s.Regime(), Propensity: 1}
}

// sheds is the decision of an arm that refuses one.
func sheds(s *admission.Snapshot, why admission.Reason) admission.Decision {
	return admission.Decision{Reason: why, Regime: s.Regime()}
}

// inFlightAt is where a limiter's decision keeps how many requests were in flight
// when it took this one, itself included (Decision.Value).
const inFlightAt = 0

// underLimit takes a request while fewer than limit are in flight, as a limiter does
// that hands out tokens.
func underLimit(s *admission.Snapshot, limit int) admission.Decision {
	n := inFlight(s)
	if n >= limit {
		return sheds(s, admission.OverLimit)
	}
	d := takes(s)
	d.Value[inFlightAt] = float64(n + 1)
	return d
}
