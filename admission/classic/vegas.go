package classic

import (
	"math"
	"math/rand/v2"

	"github.com/cadence-bench/cadence-bench/admission"
)

var vegasKind = admission.Kind{
	Name:   "vegas",
	Source: "Netflix concurrency-limits, VegasLimit, after TCP Vegas; a late answer is what it calls a drop",
	Doc:    "limits what is in flight so that the queue implied by the latency stays between two bounds",
	Params: []admission.Param{
		{Name: "initial", Default: 20, Min: 1, Max: 1e4, Unit: "requests", Doc: "limit at the beginning"},
		{Name: "max", Default: 1000, Min: 1, Max: 1e5, Unit: "requests", Doc: "highest limit", Search: admission.Range{Low: 4, High: 256, Whole: true}},
		{Name: "alpha", Default: 3, Min: 0, Max: 1e3, Doc: "below this queue, in units of log10 of the limit, the limit grows", Search: admission.Range{Low: 1, High: 10}},
		{Name: "beta", Default: 6, Min: 0, Max: 1e3, Doc: "above this queue, in the same units, it shrinks", Search: admission.Range{Low: 2, High: 20}},
		{Name: "smoothing", Default: 1, Min: 1e-3, Max: 1, Doc: "weight of the new limit against the old one"},
		{Name: "probe", Default: 30, Min: 1, Max: 1e6, Doc: "after about this many answers per request of the limit the latency without load is measured anew"},
	},
	New: func(p admission.Params, _ admission.Spec, env admission.Env) (admission.Policy, error) {
		v := &vegas{
			limit: min(p["initial"], p["max"]), max: p["max"], alpha: p["alpha"], beta: p["beta"], smoothing: p["smoothing"],
			probe: p["probe"], coin: coinOf(env.Seed, "vegas"),
		}
		v.jitter = v.drawJitter()
		return v, nil
	},
}

// vegas estimates the queue from the latency, and keeps it between alpha and beta.
type vegas struct {
	admission.Base
	limit, max             float64
	alpha, beta, smoothing float64
	unloaded               float64 // latency without load, seconds; 0 is not known
	probe, jitter          float64
	answers                float64 // since unloaded was measured
	coin                   *rand.Rand
}

// drawJitter keeps several limiters from measuring at the same time.
func (v *vegas) drawJitter() float64 { return 0.5 + 0.5*v.coin.Float64() }

// Decide implements Policy.
func (v *vegas) Decide(_ *admission.Request, s *admission.Snapshot) admission.Decision {
	return underLimit(s, int(v.limit))
}

// Ended implements Policy.
func (v *vegas) Ended(o *admission.Outcome) {
	v.update(o.E2E().Seconds(), o.Decision.Value[inFlightAt], o.Violated)
}

// update takes an answer's latency in seconds.
func (v *vegas) update(latency, inFlight float64, late bool) {
	v.answers++
	if v.jitter*v.probe*v.limit <= v.answers {
		v.jitter, v.answers, v.unloaded = v.drawJitter(), 0, latency
		return
	}
	if v.unloaded == 0 || latency < v.unloaded {
		v.unloaded = latency
		return
	}
	limit := max(1, min(v.max, v.limit+v.change(latency, inFlight, late)))
	v.limit = (1-v.smoothing)*v.limit + v.smoothing*limit
}

// change is what the limit is to grow by.
func (v *vegas) change(latency, inFlight float64, late bool) float64 {
	unit := log10Floor(v.limit)
	queue := math.Ceil(v.limit * (1 - v.unloaded/latency))
	switch {
	case late:
		return -unit
	case 2*inFlight < v.limit: // the limit is not what holds it back
		return 0
	case queue <= unit:
		return v.beta * unit
	case queue < v.alpha*unit:
		return unit
	case queue > v.beta*unit:
		return -unit
	default:
		return 0
	}
}

// log10Floor is log10 of the whole part of x, rounded down, at least 1.
func log10Floor(x float64) float64 { return max(1, math.Floor(math.Log10(math.Floor(x)))) }
