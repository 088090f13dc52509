package loadgen

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cadence-bench/cadence-bench/loadgen/random"
)

// Arrivals is an arrival process: when requests come, and nothing of what they
// say. The zero Arrivals is a Poisson process.
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
type Arrivals struct {
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

// ArrivalNames lists the processes that ParseArrivals takes.
func ArrivalNames() []string {
	return []string{"poisson", "gamma", "weibull", "constant", "ramp", "step", "spike", "diurnal", "replay"}
}

// ArrivalsHelp describes the specs that ParseArrivals takes, one a line.
const ArrivalsHelp = `  poisson                      exponential gaps
  gamma:burstiness=0.5         gamma gaps of that shape: CV 1/√burstiness
  weibull:burstiness=0.5       Weibull gaps of that shape: CV 2.24 at 0.5
  constant                     equal gaps
  ramp:from=0.5,to=2           Poisson, the rate in a straight line
  step:at=30s,to=3             Poisson, the rate times 3 from then on
  spike:at=30s,for=10s,to=5    Poisson, the rate times 5 for that long
  diurnal:period=60s,depth=0.8 Poisson, the rate in a wave, lowest at the start
  replay:FILE                  recorded times: one number of seconds a line, or a trace`

// ParseArrivals reads a spec of ArrivalsHelp. Factors of ramp, step, spike and
// diurnal are relative to each other: the rate of a cell is the mean over it.
//
// burstiness is the shape of the gaps' distribution: 1 makes both gamma and Weibull
// Poisson, less is burstier, more is steadier. vllm bench serve calls the gamma
// shape so. For replay the file is read.
func ParseArrivals(spec string) (Arrivals, error) {
	name, rest := splitSpec(spec)
	o := newOptions("arrivals", name, rest, name == "replay")
	var a Arrivals
	switch name {
	case "", "poisson":
		o.name = "poisson"
	case "gamma":
		a.law = gammaGaps{o.number("burstiness", math.NaN(), 0.05, 100)}
	case "weibull":
		a.law = weibullGaps{o.number("burstiness", math.NaN(), 0.2, 100)}
	case "constant":
		a.law = constantGaps{}
	case "ramp":
		a.rate = ramp{o.number("from", math.NaN(), 0, maxFactor), o.number("to", math.NaN(), 0, maxFactor)}
	case "step":
		a.rate = pulse{at: o.duration("at", -1, 0), lasting: forever, to: o.number("to", math.NaN(), 0, maxFactor)}
	case "spike":
		a.rate = pulse{o.duration("at", -1, 0), o.duration("for", -1, time.Nanosecond), o.number("to", math.NaN(), 0, maxFactor)}
	case "diurnal":
		a.rate = diurnal{o.duration("period", -1, time.Millisecond), o.number("depth", 0.8, 0, 1)}
	case "replay":
		a = openReplay(o)
	default:
		return Arrivals{}, fmt.Errorf("unknown arrivals %q: %schoose from %s", name, didYouMean(name, ArrivalNames()), strings.Join(ArrivalNames(), ", "))
	}
	var err error
	if a.spec, err = o.done(); err != nil {
		return Arrivals{}, err
	}
	return a, nil
}

// maxFactor bounds the factors of a rate's course; the largest and the smallest
// are then a slip of a digit at most.
const maxFactor = 1000

// Recorded returns the arrivals of a recording: at ascends, rate is its mean rate
// and span is what it covers, so that its rate × span is about len(at).
func Recorded(at []time.Duration, rate float64, span time.Duration) Arrivals {
	return Arrivals{spec: "recorded", rec: &recording{slices.Clone(at), rate, span}}
}

// String returns the spec, in its canonical form.
func (a Arrivals) String() string {
	if a.spec == "" {
		return "poisson"
	}
	return a.spec
}

func (a Arrivals) gaps() gapLaw {
	if a.law == nil {
		return exponential{}
	}
	return a.law
}

// GapCDF returns the distribution function of the unit gaps, as UnitGaps gives
// them, that the process intends: their mean is 1. Constant gaps have a step at 1.
// A recording has none, and ok is false.
func (a Arrivals) GapCDF() (cdf func(gap float64) float64, ok bool) {
	if a.rec != nil {
		return nil, false
	}
	return a.gaps().cdf, true
}

// CV is the intended coefficient of variation of the unit gaps; NaN for a recording.
func (a Arrivals) CV() float64 {
	if a.rec != nil {
		return math.NaN()
	}
	return a.gaps().cv()
}

// Constant says that all unit gaps are equal, so that a test for a continuous
// distribution does not apply to them.
func (a Arrivals) Constant() bool { return a.rec == nil && a.gaps().cv() == 0 }

// Units says how many arrivals are expected within [0, t] of a cell of duration d
// with a mean rate of rps: the time change that turns the process into one of rate 1.
func (a Arrivals) Units(t time.Duration, rps float64, d time.Duration) float64 {
	if a.rate == nil {
		return rps * t.Seconds()
	}
	return rps * d.Seconds() * a.rate.area(t.Seconds(), d.Seconds()) / a.rate.area(d.Seconds(), d.Seconds())
}

// UnitGaps returns the gaps between arrivals in units of expected arrivals; the
// first counts from time 0. If at is of the process, they are independent and
// distributed as GapCDF says.
func (a Arrivals) UnitGaps(at []time.Duration, rps float64, d time.Duration) []float64 {
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
func (a Arrivals) Check(rps float64, d time.Duration) error {
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
func (a Arrivals) Times(rps float64, seed uint64, d time.Duration) []time.Duration {
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
func (a Arrivals) pace(rps float64, d time.Duration) func(unit float64) float64 {
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
	return Arrivals{}.Times(rps, seed, d)
}
