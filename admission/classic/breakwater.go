package classic

import (
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

var breakwaterKind = admission.Kind{
	Name: "breakwater",
	Source: "Breakwater (Cho et al., Overload Control for µs-scale RPCs, OSDI 2020) and its authors' code (caladan), with their " +
		"constants; one client asks for everything here, so its credits are a limit on what is in flight, and what finds " +
		"none is refused at once",
	Doc: "limits what is in flight by credits that follow the delay of the queue, and drops what waited twice the target",
	Params: []admission.Param{
		// The authors' target for requests of 10 µs is 80 µs, and their SLO for them 200 µs.
		{Name: "target", Default: 0.4, Min: 1e-3, Max: 10, Unit: "of the SLO", Doc: "delay above which there are fewer credits", Search: admission.Range{Low: 0.02, High: 1}},
		{Name: "drop", Default: 2, Min: 1, Max: 1e3, Unit: "of the target", Doc: "wait above which a request is dropped"},
		{Name: "interval", Default: 0.1, Min: 1e-3, Max: 60, Unit: "s", Doc: "how often credits are adjusted: there a round trip, which is as long as a request", Search: admission.Range{Low: 0.02, High: 2}},
		{Name: "add", Default: 1, Min: 1e-3, Max: 1e3, Unit: "requests", Doc: "credits more after an interval below the target", Search: admission.Range{Low: 0.05, High: 4}},
		{Name: "cut", Default: 0.02, Min: 1e-4, Max: 1, Doc: "share of the credits that goes for each target's length that the delay is above it; at most half goes", Search: admission.Range{Low: 0.01, High: 1}},
		{Name: "min", Default: 0, Min: 0, Max: 1e4, Unit: "requests", Doc: "fewest credits; 0 is as many as may run at once, there the number of cores", Search: admission.Range{Low: 1, High: 24, Whole: true}},
		{Name: "max", Default: 64, Min: 1, Max: 1e5, Unit: "requests", Doc: "most credits, there of one client", Search: admission.Range{Low: 4, High: 256, Whole: true}},
	},
	New: func(p admission.Params, _ admission.Spec, env admission.Env) (admission.Policy, error) {
		target := time.Duration(p["target"] * float64(env.SLO))
		b := &breakwater{
			target: target, drop: time.Duration(p["drop"] * float64(target)), interval: p.Seconds("interval"),
			add: p["add"], cut: p["cut"], min: p["min"],
		}
		if b.min == 0 {
			b.min = float64(env.MaxBatch)
		}
		b.min = max(1, b.min)
		b.max = max(b.min, p["max"])
		b.credits = b.min
		return b, nil
	},
}

// breakwater is the server's side of Breakwater.
type breakwater struct {
	admission.Base
	target, drop, interval time.Duration
	add, cut, min, max     float64
	credits                float64
	adjusted               time.Duration // when credits were last
}

// Decide implements Policy. The active queue management of the source is at the
// arrival: a queue of twice the target takes nobody.
func (b *breakwater) Decide(_ *admission.Request, s *admission.Snapshot) admission.Decision {
	d := delay(s)
	b.adjust(s.Now, d)
	if d >= b.drop && len(s.Queue) > 0 {
		return sheds(s, admission.Overloaded)
	}
	return underLimit(s, int(b.credits))
}

// Dequeue implements Policy: it only looks at the delay.
func (b *breakwater) Dequeue(r *admission.Request, d *admission.Decision, s *admission.Snapshot) admission.Decision {
	b.adjust(s.Now, s.Now-r.Arrived)
	return b.Base.Dequeue(r, d, s)
}

// adjust adjusts the credits for the intervals that have passed. Below the target they
// grow for each; above it they shrink once, since the delay was not looked at between.
func (b *breakwater) adjust(now, delay time.Duration) {
	n := (now - b.adjusted) / b.interval
	if n < 1 {
		return
	}
	b.adjusted += n * b.interval
	if delay >= b.target {
		over := float64(delay-b.target) / float64(b.target)
		b.credits *= max(1-b.cut*over, 0.5)
	} else {
		b.credits += float64(n) * b.add
	}
	b.credits = max(b.min, min(b.max, b.credits))
}

// delay is that of the queue: the time that its first has waited. It is 0 for an empty
// one.
func delay(s *admission.Snapshot) time.Duration {
	if len(s.Queue) == 0 {
		return 0
	}
	return s.Now - s.Queue[0].Arrived
}
