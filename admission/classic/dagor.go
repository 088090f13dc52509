package classic

import (
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

var dagorKind = admission.Kind{
	Name: "dagor",
	Source: "DAGOR (Zhou et al., Overload Control for Scaling WeChat Microservices, SoCC 2018), with its constants; " +
		"there is one business and one service here, so a priority is the hashed user, and the user is the request",
	Doc: "admits by a priority drawn for each request, above a level that follows the mean wait of a window",
	Params: []admission.Param{
		{Name: "threshold", Default: 0.02, Min: 1e-4, Max: 3600, Unit: "s", Doc: "mean wait of a window above which it is overloaded", Search: admission.Range{Low: 0.005, High: 5}},
		{Name: "window", Default: 1, Min: 0.01, Max: 3600, Unit: "s", Doc: "a window ends after this time", Search: admission.Range{Low: 0.1, High: 5}},
		{Name: "requests", Default: 2000, Min: 1, Max: 1e6, Unit: "requests", Doc: "or after this many arrivals"},
		{Name: "alpha", Default: 0.05, Min: 1e-3, Max: 1, Doc: "share of the admitted that is refused more after an overloaded window", Search: admission.Range{Low: 0.02, High: 0.9}},
		{Name: "beta", Default: 0.01, Min: 1e-4, Max: 1, Doc: "share of the arrivals that is admitted more after another", Search: admission.Range{Low: 0.005, High: 0.3}},
	},
	New: func(p admission.Params, _ admission.Spec, env admission.Env) (admission.Policy, error) {
		return &dagor{
			threshold: p.Seconds("threshold"), length: p.Seconds("window"), requests: p["requests"],
			alpha: p["alpha"], beta: p["beta"], level: userLevels - 1, seed: env.Seed,
		}, nil
	},
}

// userLevels is how many levels of users there are, as in DAGOR. Level 0 is served
// first.
const userLevels = 128

// dagor keeps a histogram of the arrivals' levels, and moves the highest level that it
// admits along it.
type dagor struct {
	admission.Base
	threshold, length     time.Duration
	requests, alpha, beta float64
	seed                  uint64

	level    int // the last that is admitted
	began    time.Duration
	arrivals [userLevels]float64
	offered  float64
	admitted float64
	waits    time.Duration // of what started in the window
	starts   int
}

// Decide implements Policy. What an engine with nothing to do is offered is taken: in
// DAGOR some user of the lowest level comes soon, and on one engine perhaps none does.
func (g *dagor) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	g.roll(s)
	level := int(mix(uint64(r.ID)^mix(g.seed)) % userLevels)
	g.arrivals[level]++
	g.offered++
	if level > g.level && !s.Idle() {
		d := sheds(s, admission.Overloaded)
		d.Propensity = float64(g.level+1) / userLevels
		return d
	}
	g.admitted++
	d := takes(s)
	if s.Idle() {
		g.starts++ // at once, so Dequeue is not asked
	} else {
		d.Propensity = float64(g.level+1) / userLevels
	}
	return d
}

// Dequeue implements Policy.
func (g *dagor) Dequeue(r *admission.Request, d *admission.Decision, s *admission.Snapshot) admission.Decision {
	g.waits += s.Now - r.Arrived
	g.starts++
	g.roll(s)
	return g.Base.Dequeue(r, d, s)
}

// roll ends the window if it is over.
func (g *dagor) roll(s *admission.Snapshot) {
	if s.Now-g.began < g.length && g.offered < g.requests {
		return
	}
	if g.offered > 0 {
		g.adjust(g.meanWait(s) > g.threshold)
	}
	g.began = s.Now
	clear(g.arrivals[:])
	g.offered, g.admitted, g.waits, g.starts = 0, 0, 0, 0
}

// meanWait is that of what started in the window; if nothing did, of what waits now.
func (g *dagor) meanWait(s *admission.Snapshot) time.Duration {
	if g.starts > 0 {
		return g.waits / time.Duration(g.starts)
	}
	var sum time.Duration
	for i := range s.Queue {
		sum += s.Now - s.Queue[i].Arrived
	}
	return sum / time.Duration(max(1, len(s.Queue)))
}

// adjust moves the level so that the window's arrivals, had they come now, would have
// been admitted in the number that is aimed at.
func (g *dagor) adjust(overloaded bool) {
	upTo := 0.0
	for _, n := range g.arrivals[:g.level+1] {
		upTo += n
	}
	if overloaded {
		for aim := (1 - g.alpha) * g.admitted; g.level > 0 && upTo > aim; g.level-- {
			upTo -= g.arrivals[g.level]
		}
		return
	}
	for aim := g.admitted + g.beta*g.offered; g.level < userLevels-1 && upTo < aim; {
		g.level++
		upTo += g.arrivals[g.level]
	}
}

// mix spreads a number over 64 bits (the finaliser of SplitMix64, Steele et al. 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
