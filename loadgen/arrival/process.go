// Package arrival has processes by which requests come: Poisson, burstier and steadier ones,
// with a constant rate or one that changes, or as they were recorded. Each is a pure function
// of a seed. Fit and Study show whether arrivals are what their process claims.
package arrival

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/loadgen/params"
	"github.com/cadence-bench/cadence-bench/loadgen/random"
)

// Process is an arrival process: when requests come, and nothing of what they
// say. The zero Process is a Poisson process.
//
// Processes draw on the scale of expected arrivals: gaps of mean 1, by inversion
// from the seed's "arrivals" stream, one number a gap, kept as whole billionths.
// The rate, and its course over the cell, only set the pace at which that scale is
// walked. So the arrivals of one seed are one realisation at every rate and under
// every profile: the i-th arrival at 2/s comes at half the time of the i-th at 1/s,
// and pairing cells across rates is natural. It also means that a seed's misfit is
// one misfit, not independent evidence at every rate.
//
// The first gap counts from the start of the cell. The mean number of arrivals is
// then rate × duration for Poisson arrivals, and by the renewal theorem about
// (CV² − 1)/2 more for others: half an arrival less for constant ones.
type Process struct {
	spec string
	law  gapLaw  // nil: exponential
	rate profile // nil: constant
	rec  *recording
}

// recording is arrival times as they were measured.
type recording struct {
	at   []time.Duration // ascending
	rate float64         // mean, in arrivals per second
	span time.Duration   // what the recording covers
}

// Names lists the processes.
func Names() []string {
	return []string{"poisson", "gamma", "weibull", "constant", "ramp", "step", "spike", "diurnal", "replay"}
}

// Help describes the specs that Parse takes, and replay, one a line.
const Help = `  poisson                      exponential gaps
  gamma:burstiness=0.5         gamma gaps of that shape: CV 1/√burstiness
  weibull:burstiness=0.5       Weibull gaps of that shape: CV 2.24 at 0.5
  constant                     equal gaps
  ramp:from=0.5,to=2           Poisson, the rate in a straight line
  step:at=30s,to=3             Poisson, the rate times 3 from then on
  spike:at=30s,for=10s,to=5    Poisson, the rate times 5 for that long
  diurnal:period=60s,depth=0.8 Poisson, the rate in a wave, lowest at the start
  replay:FILE                  recorded times: one number of seconds a line, or a trace`

// Parse reads a spec of Help. Factors of ramp, step, spike and
// diurnal are relative to each other: the rate of a cell is the mean over it.
//
// burstiness is the shape of the gaps' distribution: 1 makes both gamma and Weibull
// Poisson, less is burstier, more is steadier. vllm bench serve calls the gamma
// shape so. A replay has a file, so its reader makes the process, with Recorded.
func Parse(spec string) (Process, error) {
	name, rest := params.Split(spec)
	if name == "" {
		name = "poisson"
	}
	o := params.New("arrivals", name, rest, false)
	var a Process
	switch name {
	case "poisson":
	case "gamma":
		a.law = gammaGaps{o.Number("burstiness", math.NaN(), 0.05, 100)}
	case "weibull":
		a.law = weibullGaps{o.Number("burstiness", math.NaN(), 0.2, 100)}
	case "constant":
		a.law = constantGaps{}
	case "ramp":
		a.rate = ramp{o.Number("from", math.NaN(), 0, maxFactor), o.Number("to", math.NaN(), 0, maxFactor)}
	case "step":
		a.rate = pulse{at: o.Duration("at", -1, 0), lasting: forever, to: o.Number("to", math.NaN(), 0, maxFactor)}
	case "spike":
		a.rate = pulse{o.Duration("at", -1, 0), o.Duration("for", -1, time.Nanosecond), o.Number("to", math.NaN(), 0, maxFactor)}
	case "diurnal":
		a.rate = diurnal{o.Duration("period", -1, time.Millisecond), o.Number("depth", 0.8, 0, 1)}
	default:
		return Process{}, fmt.Errorf("unknown arrivals %q: %schoose from %s", name, params.DidYouMean(name, Names()), strings.Join(Names(), ", "))
	}
	var err error
	if a.spec, err = o.Done(); err != nil {
		return Process{}, err
	}
	return a, nil
}

// maxFactor bounds the factors of a rate's course; the largest and the smallest
// are then a slip of a digit at most.
const maxFactor = 1000

// Recorded returns the arrivals of a recording: at ascends, rate is its mean rate
// and span is what it covers, so that its rate × span is about len(at).
func Recorded(at []time.Duration, rate float64, span time.Duration) Process {
	return Process{spec: "recorded", rec: &recording{slices.Clone(at), rate, span}}
}

// Named returns a with another spec.
func (a Process) Named(spec string) Process {
	a.spec = spec
	return a
}

// RecordedRate is the mean rate of a recording; ok is false for what is none.
func (a Process) RecordedRate() (rate float64, ok bool) {
	if a.rec == nil {
		return 0, false
	}
	return a.rec.rate, true
}

// String returns the spec, in its canonical form.
func (a Process) String() string {
	if a.spec == "" {
		return "poisson"
	}
	return a.spec
}

func (a Process) gaps() gapLaw {
	if a.law == nil {
		return exponential{}
	}
	return a.law
}

// GapCDF returns the distribution function of the unit gaps, as UnitGaps gives
// them, that the process intends: their mean is 1. Constant gaps have a step at 1.
// A recording has none, and ok is false.
func (a Process) GapCDF() (cdf func(gap float64) float64, ok bool) {
	if a.rec != nil {
		return nil, false
	}
	return a.gaps().cdf, true
}

// CV is the intended coefficient of variation of the unit gaps; NaN for a recording.
func (a Process) CV() float64 {
	if a.rec != nil {
		return math.NaN()
	}
	return a.gaps().cv()
}

// Constant says that all unit gaps are equal, so that a test for a continuous
// distribution does not apply to them.
func (a Process) Constant() bool { return a.rec == nil && a.gaps().cv() == 0 }

// Units says how many arrivals are expected within [0, t] of a cell of duration d
// with a mean rate of rps: the time change that turns the process into one of rate 1.
func (a Process) Units(t time.Duration, rps float64, d time.Duration) float64 {
	if a.rate == nil {
		return rps * t.Seconds()
	}
	return rps * d.Seconds() * a.rate.area(t.Seconds(), d.Seconds()) / a.rate.area(d.Seconds(), d.Seconds())
}

// UnitGaps returns the gaps between arrivals in units of expected arrivals; the
// first counts from time 0. If at is of the process, they are independent and
// distributed as GapCDF says.
func (a Process) UnitGaps(at []time.Duration, rps float64, d time.Duration) []float64 {
	gaps := make([]float64, len(at))
	last := 0.0
	for i, t := range at {
		u := a.Units(t, rps, d)
		gaps[i] = u - last
		last = u
	}
	return gaps
}

// Check says what keeps the process from offering rps arrivals per second for d.
func (a Process) Check(rps float64, d time.Duration) error {
	if a.rate != nil {
		if err := a.rate.check(d); err != nil {
			return fmt.Errorf("arrivals %s: %w", a, err)
		}
	}
	if a.rec == nil {
		return nil
	}
	if have := float64(a.rec.span) * (a.rec.rate / rps); have < float64(d) {
		return fmt.Errorf("%s: %d arrivals last %.3gs at %g/s, not %v; lower the rate or the duration",
			a, len(a.rec.at), have/1e9, rps, d)
	}
	return nil
}

// Times returns the arrival times in [0, d) at a mean rate of rps arrivals per
// second. A recording is played faster or slower to have that rate, and the seed
// has no part in it.
func (a Process) Times(rps float64, seed uint64, d time.Duration) []time.Duration {
	if a.rec != nil {
		return a.rec.times(rps, d)
	}
	pace := a.pace(rps, d)
	law, r := a.gaps(), random.Stream(seed, "arrivals")
	expected := rps * d.Seconds()
	at := make([]time.Duration, 0, int(expected+4*math.Sqrt(expected))+1)
	var unit int64 // billionths of an expected arrival
	for {
		unit += int64(math.Round(law.quantile(r.Float64()) * 1e9))
		t := pace(float64(unit))
		if t >= float64(d) {
			return at
		}
		at = append(at, time.Duration(t))
	}
}

// pace returns the nanosecond at which so many billionths of an arrival are
// expected.
func (a Process) pace(rps float64, d time.Duration) func(unit float64) float64 {
	if a.rate == nil {
		return func(unit float64) float64 { return unit / rps }
	}
	seconds := d.Seconds()
	whole, expected := a.rate.area(seconds, seconds), rps*seconds*1e9
	return func(unit float64) float64 {
		if unit >= expected {
			return float64(d)
		}
		return when(a.rate, unit/expected*whole, seconds) * 1e9
	}
}

func (r *recording) times(rps float64, d time.Duration) []time.Duration {
	var at []time.Duration
	for _, t := range r.at {
		t = time.Duration(float64(t) * (r.rate / rps)) // exact at the rate of the recording
		if t >= d {
			break
		}
		at = append(at, t)
	}
	return at
}

// Poisson returns the arrival times in [0, d) of a Poisson process of rps arrivals
// per second.
func Poisson(rps float64, seed uint64, d time.Duration) []time.Duration {
	return Process{}.Times(rps, seed, d)
}
