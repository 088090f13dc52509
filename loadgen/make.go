package loadgen

import (
	"fmt"
	"math"
	"time"

	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
)

// Spec determines a tape that comes as its workload comes by itself: a trace with
// times as it was recorded, anything else as a Poisson process. A Load has other
// arrivals.
type Spec struct {
	Workload string        // as ParseWorkload takes it
	RPS      float64       // offered rate, requests per second
	Seed     uint64        // any value; different seeds share no generated text
	Duration time.Duration // arrivals are offered over [0, Duration)
}

// MaxArrivals is the largest expected number of arrivals of a tape. A request
// takes about 1.3 KB, so that such a tape takes about 1.3 GB.
const MaxArrivals = 1_000_000

// maxText bounds the text of a tape, in bytes: traces have long prompts.
const maxText = 2 << 30

// Load is a workload and how it arrives.
type Load struct {
	Workload Workload
	Arrivals arrival.Process
}

// ArrivalRate is how many arrivals per second by themselves make rps requests per
// second: fewer, where an arrival begins a conversation.
func (l Load) ArrivalRate(rps float64) float64 { return rps / l.Workload.perArrival }

// OpenLoad reads the specs of a workload and of an arrival process, and the files
// that they name. Empty arrivals are the workload's own: a trace's recorded times,
// and a Poisson process for all else.
func OpenLoad(workload, arrivals string) (Load, error) {
	w, err := ParseWorkload(workload)
	if err != nil {
		return Load{}, err
	}
	if arrivals == "" && w.recorded != nil {
		return Load{w, *w.recorded}, nil
	}
	a, err := ParseArrivals(arrivals)
	return Load{w, a}, err
}

// Make returns the tape of a spec. It is a pure function of the spec and the files
// that it names: equal ones give equal tapes. Two specs that differ in RPS alone
// give the same sequence of requests, at different times and of different length.
func Make(s Spec) (*Tape, error) {
	l, err := OpenLoad(s.Workload, "")
	if err != nil {
		return nil, err
	}
	return l.Make(s.RPS, s.Seed, s.Duration)
}

// Make returns the tape of a load at an offered rate of rps requests per second
// over [0, d). Where an arrival is a conversation, so many of them come that their
// turns are rps in the mean; those of a conversation that has begun are in the
// tape even if they fall due after d.
func (l Load) Make(rps float64, seed uint64, d time.Duration) (*Tape, error) {
	if err := l.Check(rps, d); err != nil {
		return nil, err
	}
	at := l.Arrivals.Times(l.ArrivalRate(rps), seed, d)
	t := &Tape{Workload: l.Workload.name(), Arrivals: l.Arrivals.String(), RPS: rps, Seed: seed, Duration: d}
	t.Requests = make([]Request, 0, len(at)*int(math.Ceil(l.Workload.perArrival)))
	if len(at) == 0 {
		return nil, fmt.Errorf("%g requests/s for %v: no arrival with seed %d; raise the rate or the duration", rps, d, seed)
	}
	from, text := l.Workload.open(seed), 0
	for i := range at {
		arrival := from.next()
		if arrival == nil {
			return nil, fmt.Errorf("workload %s has %d arrivals, and %g requests/s for %v are %d; lower the rate or the duration", t.Workload, i, rps, d, len(at))
		}
		t.add(arrival, at[i])
		for _, r := range arrival {
			text += len(r.System) + len(r.User)
		}
		if text > maxText {
			return nil, fmt.Errorf("workload %s: request %d brings the text of the tape over %d GiB; lower the rate or the duration", t.Workload, len(t.Requests)-1, maxText>>30)
		}
	}
	return t, nil
}

// add appends the requests of one arrival.
func (t *Tape) add(arrival []Request, at time.Duration) {
	for _, r := range arrival {
		at += r.Think
		r.Index, r.At = len(t.Requests), at
		t.Requests = append(t.Requests, r)
	}
}

// Sample returns the first n requests of a seed, or as many as a trace has, without
// arrival times.
func (l Load) Sample(n int, seed uint64) *Tape {
	t := &Tape{Workload: l.Workload.name(), Seed: seed}
	from := l.Workload.open(seed)
	for len(t.Requests) < n {
		arrival := from.next()
		if arrival == nil {
			break
		}
		t.add(arrival, 0)
	}
	return t
}

// RecordedRate returns the mean rate at which a trace was recorded; ok is false for
// what has no times of its own.
func (l Load) RecordedRate() (rps float64, ok bool) {
	rps, ok = l.Arrivals.RecordedRate()
	return rps * l.Workload.perArrival, ok
}

// Check says what keeps the load from being offered at rps requests per second for
// d, if anything.
func (l Load) Check(rps float64, d time.Duration) error {
	if math.IsNaN(rps) || math.IsInf(rps, 0) || rps <= 0 {
		return fmt.Errorf("rate %v requests/s: must be a positive number", rps)
	}
	if d <= 0 {
		return fmt.Errorf("duration %v: must be positive", d)
	}
	switch n := rps * d.Seconds(); {
	case n > MaxArrivals:
		return fmt.Errorf("%g requests/s for %v: expects %.3g arrivals, at most %d fit a tape; lower the rate or the duration",
			rps, d, n, MaxArrivals)
	case n/l.Workload.perArrival < 1:
		return fmt.Errorf("%g requests/s for %v: expects %.2g arrivals, fewer than one; raise the rate or the duration",
			rps, d, n/l.Workload.perArrival)
	}
	return l.Arrivals.Check(l.ArrivalRate(rps), d)
}
