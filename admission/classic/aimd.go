package classic

import (
	"github.com/cadence-bench/cadence-bench/admission"
)

var aimdKind = admission.Kind{
	Name: "aimd",
	Source: "Netflix concurrency-limits, AIMDLimit; its timeout is the SLO here, so that late is what it calls a drop, " +
		"and it hears of a missed deadline when that passes",
	Doc: "limits what is in flight: one more for an answer in time, a share less for a late one",
	Params: []admission.Param{
		{Name: "initial", Default: 20, Min: 1, Max: 1e4, Unit: "requests", Doc: "limit at the beginning"},
		{Name: "min", Default: 20, Min: 1, Max: 1e4, Unit: "requests", Doc: "lowest limit", Search: admission.Range{Low: 1, High: 24, Whole: true}},
		{Name: "max", Default: 200, Min: 1, Max: 1e5, Unit: "requests", Doc: "highest limit", Search: admission.Range{Low: 4, High: 256, Whole: true}},
		{Name: "backoff", Default: 0.9, Min: 0.5, Max: 0.999, Doc: "factor of the limit for a late answer", Search: admission.Range{Low: 0.5, High: 0.98}},
	},
	New: func(p admission.Params, _ admission.Spec, _ admission.Env) (admission.Policy, error) {
		a := &aimd{min: int(p["min"]), max: int(p["max"]), backoff: p["backoff"]}
		a.limit = a.within(int(p["initial"]))
		return a, nil
	},
}

// aimd increases its limit additively and decreases it multiplicatively.
type aimd struct {
	admission.Base
	limit, min, max int
	backoff         float64
}

// within bounds a limit. A minimum above the maximum gives way to it.
func (a *aimd) within(limit int) int { return min(a.max, max(a.min, limit)) }

// Decide implements Policy.
func (a *aimd) Decide(_ *admission.Request, s *admission.Snapshot) admission.Decision {
	return underLimit(s, a.limit)
}

// Labelled implements Policy. An answer in time raises the limit only if at least half
// of it was in use when that request was taken.
func (a *aimd) Labelled(o *admission.Outcome) {
	switch {
	case o.Violated:
		a.limit = a.within(int(float64(a.limit) * a.backoff))
	case 2*int(o.Decision.Value[inFlightAt]) >= a.limit:
		a.limit = a.within(a.limit + 1)
	}
}
