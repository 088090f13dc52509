package classic

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

var envoyKind = admission.Kind{
	Name: "envoy",
	Source: "Envoy's admission control filter (after client-side throttling in the SRE book, Handling Overload), with its " +
		"defaults; a success is an answer within the SLO",
	Doc: "refuses with a probability that grows as the share of answers in time falls below a threshold",
	Params: []admission.Param{
		{Name: "threshold", Default: 0.95, Min: 0.01, Max: 1, Doc: "success rate below which it begins to refuse", Search: admission.Range{Low: 0.4, High: 0.99}},
		{Name: "aggression", Default: 1, Min: 1, Max: 100, Doc: "above 1 it refuses more at small shortfalls: the probability's root that is taken", Search: admission.Range{Low: 1, High: 10}},
		{Name: "window", Default: 30, Min: 1, Max: 600, Unit: "s", Doc: "how far back it counts", Search: admission.Range{Low: 2, High: 60, Whole: true}},
		{Name: "min_rate", Default: 0, Min: 0, Max: 1e4, Unit: "1/s", Doc: "below this rate of answers it refuses nothing"},
		{Name: "max_refused", Default: 0.8, Min: 0, Max: 1, Doc: "highest probability of refusing", Search: admission.Range{Low: 0.7, High: 1}},
	},
	New: func(p admission.Params, _ admission.Spec, env admission.Env) (admission.Policy, error) {
		return &envoy{
			threshold: p["threshold"], aggression: p["aggression"], minRate: p["min_rate"], maxRefused: p["max_refused"],
			// One second more than the window, so that the second that is being filled
			// does not overwrite one that still counts.
			seconds: make([]successes, int(math.Ceil(p["window"]))+1), coin: coinOf(env.Seed, "envoy"),
		}, nil
	},
}

// envoy counts successes in whole seconds, as its source does.
type envoy struct {
	admission.Base
	threshold, aggression, minRate, maxRefused float64
	seconds                                    []successes // by second modulo its length
	coin                                       *rand.Rand
}

// successes are those of one second.
type successes struct {
	second      int64
	total, good float64
}

// Decide implements Policy.
func (e *envoy) Decide(_ *admission.Request, s *admission.Snapshot) admission.Decision {
	p := e.refuses(s.Now)
	refused := p > 0 && e.coin.Float64() < p
	d := takes(s)
	if refused {
		d = sheds(s, admission.Overloaded)
	}
	d.Propensity = 1 - p
	return d
}

// refuses is the probability of refusing at a moment.
func (e *envoy) refuses(now time.Duration) float64 {
	total, good, age := e.counts(now)
	if total/max(1, age) < e.minRate {
		return 0
	}
	p := (total - good/e.threshold) / (total + 1)
	if p <= 0 {
		return 0
	}
	return min(e.maxRefused, math.Pow(p, 1/e.aggression))
}

// counts are the answers of the window, those in time, and the whole seconds since its
// oldest.
func (e *envoy) counts(now time.Duration) (total, good, age float64) {
	second := int64(now / time.Second)
	for i := range e.seconds {
		b := &e.seconds[i]
		if back := second - b.second; b.total > 0 && back < int64(len(e.seconds)-1) {
			total, good, age = total+b.total, good+b.good, max(age, float64(back))
		}
	}
	return total, good, age
}

// Labelled implements Policy.
func (e *envoy) Labelled(o *admission.Outcome) {
	second := int64(o.At / time.Second)
	b := &e.seconds[second%int64(len(e.seconds))]
	if b.second != second {
		*b = successes{second: second}
	}
	b.total++
	if !o.Violated {
		b.good++
	}
}
