package ideal

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/results"
)

// Regime is what arrival processes are validated in.
type Regime struct {
	Processes []string // as loadgen.ParseArrivals takes them
	Rates     []float64
	Duration  time.Duration
	Seeds     int      // how many are drawn, from 0: 2 to 100,000
	Sweep     []uint64 // seeds that sweeps use, at least one; they are placed among the others
}

// Processes are the arrival processes that are validated by default, one of each kind.
func Processes() []string {
	return []string{
		"poisson", "gamma:burstiness=0.5", "weibull:burstiness=0.5", "constant",
		"ramp:from=0.5,to=2", "step:at=15s,to=3", "spike:at=15s,for=5s,to=5", "diurnal:period=30s,depth=0.8",
	}
}

// Validation is the load generator beside what it claims: each process at each rate,
// and the driver before servers of known capacity.
type Validation struct {
	Build   results.Build   `json:"build"`
	Studies []arrival.Study `json:"studies"`
	Stubs   []Stub          `json:"stubs"`
}

// Validate draws every process at every rate with many seeds, and drives the stubs in
// virtual time. The same regime gives the same figures.
func Validate(ctx context.Context, r Regime) (Validation, error) {
	v := Validation{Build: results.BuildInfo()}
	if r.Seeds < 2 || r.Seeds > 100_000 {
		return v, fault.Input.Errorf("--seeds: %d is out of range; give 2 to 100000", r.Seeds)
	}
	for _, spec := range r.Processes {
		process, err := loadgen.ParseArrivals(spec)
		if err != nil {
			return v, fault.Input.Errorf("--arrivals: %w", err)
		}
		for _, rate := range r.Rates {
			if err := process.Check(rate, r.Duration); err != nil {
				return v, fault.Input.Wrap(err)
			}
			if n := rate * r.Duration.Seconds(); n < 10 || n > loadgen.MaxArrivals {
				return v, fault.Input.Errorf("%g requests/s for %v are %.3g arrivals; give 10 to %d", rate, r.Duration, n, loadgen.MaxArrivals)
			}
			v.Studies = append(v.Studies, arrival.NewStudy(process, rate, r.Duration, r.Seeds, r.Sweep))
		}
	}
	var err error
	v.Stubs, err = Stubs(ctx, r.Sweep[0])
	return v, err
}

// Verdict is an error when a figure is where a right process comes once in 10,000
// times, or a stub check fails.
func (v Validation) Verdict() error {
	for _, s := range v.Studies {
		sd := math.Sqrt(0.05 * 0.95 / float64(s.Seeds))
		switch {
		case s.Rejected != nil && *s.Rejected > 0.05+4*sd+1/float64(s.Seeds):
			return fmt.Errorf("%s at %g/s: %.1f%% of the seeds are rejected at 0.05", s.Arrivals, s.RPS, 100**s.Rejected)
		case s.ExpectSD != nil && math.Abs(s.CountMean-s.ExpectCount) > 4**s.ExpectSD/math.Sqrt(float64(s.Seeds))+0.5:
			return fmt.Errorf("%s at %g/s: %.1f arrivals in the mean where %.1f are expected", s.Arrivals, s.RPS, s.CountMean, s.ExpectCount)
		}
	}
	for _, s := range v.Stubs {
		if !s.OK {
			return fmt.Errorf("%s: %s, expected %s", s.What, s.Measured, s.Expected)
		}
	}
	return nil
}
