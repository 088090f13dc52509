package classic

import (
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

var gradient2Kind = admission.Kind{
	Name: "gradient2",
	Source: "Netflix concurrency-limits, Gradient2Limit behind WindowedLimit; a window that has too few answers goes on " +
		"instead of being thrown away, since an engine ends few requests a second",
	Doc: "limits what is in flight by the ratio of the long-term to the present latency",
	Params: []admission.Param{
		{Name: "initial", Default: 20, Min: 1, Max: 1e4, Unit: "requests", Doc: "limit at the beginning"},
		{Name: "min", Default: 20, Min: 1, Max: 1e4, Unit: "requests", Doc: "lowest limit", Search: admission.Range{Low: 1, High: 24, Whole: true}},
		{Name: "max", Default: 200, Min: 1, Max: 1e5, Unit: "requests", Doc: "highest limit", Search: admission.Range{Low: 4, High: 256, Whole: true}},
		{Name: "queue", Default: 4, Min: 0, Max: 1e3, Unit: "requests", Doc: "how far the limit may grow at once while latency is as ever: the queue that is tolerated", Search: admission.Range{Low: 1, High: 8, Whole: true}},
		{Name: "smoothing", Default: 0.2, Min: 1e-3, Max: 1, Doc: "weight of the new limit against the old one"},
		{Name: "tolerance", Default: 1.5, Min: 1, Max: 100, Doc: "ratio of present to long-term latency that is still as ever", Search: admission.Range{Low: 1, High: 4}},
		{Name: "long", Default: 600, Min: 1, Max: 1e6, Unit: "windows", Doc: "length of the long-term mean", Search: admission.Range{Low: 10, High: 1000, Whole: true}},
		{Name: "window", Default: 1, Min: 0, Max: 1e3, Unit: "s", Doc: "time over which answers are averaged, at least"},
		{Name: "samples", Default: 10, Min: 1, Max: 1e4, Unit: "requests", Doc: "answers that are averaged, at least"},
	},
	New: func(p admission.Params, _ admission.Spec, _ admission.Env) (admission.Policy, error) {
		g := &gradient2{
			min: p["min"], max: p["max"], queue: p["queue"], smoothing: p["smoothing"], tolerance: p["tolerance"],
			long: warmMean{length: p["long"]}, window: window{length: p.Seconds("window"), samples: int(p["samples"])},
		}
		g.limit = min(g.max, max(g.min, p["initial"]))
		return g, nil
	},
}

// gradient2 follows the gradient of latency.
type gradient2 struct {
	admission.Base
	limit, min, max             float64
	queue, smoothing, tolerance float64
	long                        warmMean
	window                      window
}

// Decide implements Policy.
func (g *gradient2) Decide(_ *admission.Request, s *admission.Snapshot) admission.Decision {
	return underLimit(s, int(g.limit))
}

// Ended implements Policy.
func (g *gradient2) Ended(o *admission.Outcome) {
	if rtt, inFlight, ok := g.window.add(o.At, o.E2E().Seconds(), o.Decision.Value[inFlightAt]); ok {
		g.update(rtt, inFlight)
	}
}

// update takes a window's mean latency in seconds, and the most that was in flight.
func (g *gradient2) update(rtt, inFlight float64) {
	long := g.long.add(rtt)
	// After an overload the long-term mean is far above the present, and would hide the
	// next one: it is let go of faster than by its own forgetting.
	if long/rtt > 2 {
		g.long.mean *= 0.95
	}
	if inFlight < g.limit/2 {
		return // the limit is not what holds it back
	}
	gradient := max(0.5, min(1, g.tolerance*long/rtt))
	limit := g.limit*(1-g.smoothing) + (g.limit*gradient+g.queue)*g.smoothing
	g.limit = max(g.min, min(g.max, limit))
}

// warmup is over how many values warmMean is a plain mean (ExpAvgMeasurement there).
const warmup = 10

// warmMean is the plain mean of its first values, and then an exponentially weighted
// one of the usual weight for a length: 2/(length+1).
type warmMean struct {
	length, mean, n float64
}

func (m *warmMean) add(x float64) float64 {
	weight := 2 / (m.length + 1)
	if m.n < warmup {
		m.n++
		weight = 1 / m.n
	}
	m.mean += weight * (x - m.mean)
	return m.mean
}

// window averages latencies over a time.
type window struct {
	length  time.Duration
	samples int

	n, sum, most float64
	next         time.Duration // not before this does the window end
}

// add takes an answer's latency in seconds and what was in flight. When a window ends
// with it, ok is true, rtt its mean and most the highest in flight.
func (w *window) add(at time.Duration, latency, inFlight float64) (rtt, most float64, ok bool) {
	w.n++
	w.sum += latency
	w.most = max(w.most, inFlight)
	if at <= w.next || int(w.n) < w.samples {
		return 0, 0, false
	}
	rtt, most = w.sum/w.n, w.most
	w.n, w.sum, w.most, w.next = 0, 0, 0, at+w.length
	return rtt, most, rtt > 0
}
