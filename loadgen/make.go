package loadgen

import (
	"fmt"
	"math"
	"time"
)

// Spec determines a tape.
type Spec struct {
	Workload string        // one of Workloads
	RPS      float64       // offered rate, requests per second
	Seed     uint64        // any value; different seeds share no generated text
	Duration time.Duration // arrivals are offered over [0, Duration)
}

// MaxArrivals is the largest expected number of arrivals of a tape. A request
// takes about 1.3 KB, so that such a tape takes about 1.3 GB.
const MaxArrivals = 1_000_000

// Make returns the tape of a spec. It is a pure function: equal specs give equal
// tapes. Two specs that differ in RPS alone give the same sequence of requests,
// at different times and of different length.
func Make(s Spec) (*Tape, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	at := Poisson(s.RPS, s.Seed, s.Duration)
	t := &Tape{Workload: s.Workload, RPS: s.RPS, Seed: s.Seed, Duration: s.Duration, Requests: make([]Request, len(at))}
	c := newContent(s.Workload, s.Seed)
	for i := range at {
		t.Requests[i] = c.request(i)
		t.Requests[i].At = at[i]
	}
	return t, nil
}

// Check says what is wrong with s, if anything.
func (s Spec) Check() error {
	if err := checkWorkload(s.Workload); err != nil {
		return err
	}
	if math.IsNaN(s.RPS) || math.IsInf(s.RPS, 0) || s.RPS <= 0 {
		return fmt.Errorf("rate %v requests/s: must be a positive number", s.RPS)
	}
	if s.Duration <= 0 {
		return fmt.Errorf("duration %v: must be positive", s.Duration)
	}
	switch n := s.RPS * s.Duration.Seconds(); {
	case n > MaxArrivals:
		return fmt.Errorf("%g requests/s for %v: expects %.3g arrivals, at most %d fit a tape; lower the rate or the duration",
			s.RPS, s.Duration, n, MaxArrivals)
	case n < 1:
		return fmt.Errorf("%g requests/s for %v: expects %.2g arrivals, fewer than one; raise the rate or the duration",
			s.RPS, s.Duration, n)
	}
	return nil
}
