package arrival

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/internal/golden"
)

// drawn are specs of every process that draws, at several burstinesses.
var drawn = []string{
	"poisson", "gamma:burstiness=0.25", "gamma:burstiness=0.5", "gamma:burstiness=4",
	"weibull:burstiness=0.5", "weibull:burstiness=0.8", "weibull:burstiness=3",
	"ramp:from=0.5,to=2", "step:at=60s,to=3", "spike:at=60s,for=20s,to=5", "diurnal:period=60s,depth=0.8",
}

func mustParse(t testing.TB, spec string) Process {
	t.Helper()
	a, err := Parse(spec)
	require.NoError(t, err)
	return a
}

// ks is the two-sided Kolmogorov-Smirnov test of xs against a distribution.
func ks(xs []float64, cdf func(float64) float64) (p float64) {
	xs = slices.Sorted(slices.Values(xs))
	d, n := 0.0, float64(len(xs))
	for i, x := range xs {
		d = max(d, cdf(x)-float64(i)/n, float64(i+1)/n-cdf(x))
	}
	return kolmogorovTail((math.Sqrt(n) + 0.12 + 0.11/math.Sqrt(n)) * d)
}

// TestProcessesOver200Seeds holds every process to its analytic moments, and its
// gaps on the scale of expected arrivals to the distribution that it says. The
// bounds are those that a right process leaves with a chance of about one in 10⁴.
func TestProcessesOver200Seeds(t *testing.T) {
	const rps, d = 2, 180 * time.Second
	expected := rps * d.Seconds()
	binomial := distuv.Binomial{N: studySeeds, P: 0.05}
	for _, spec := range drawn {
		t.Run(spec, func(t *testing.T) {
			a := mustParse(t, spec)
			cdf, ok := a.GapCDF()
			require.True(t, ok)
			rejected := 0.0
			var counts, gaps []float64
			for seed := range uint64(studySeeds) {
				at := a.Times(rps, seed, d)
				unit := a.UnitGaps(at, rps, d)
				counts = append(counts, float64(len(at)))
				gaps = append(gaps, unit...)
				if ks(unit, cdf) < 0.05 {
					rejected++
				}
			}
			cv2 := a.CV() * a.CV()
			mean, sd := stat.MeanStdDev(counts, nil)
			gap, gapSD := stat.MeanStdDev(gaps, nil)
			t.Logf("arrivals: mean %.1f (expected %.1f), dispersion %.3f (%.3f); gaps: mean %.4f, CV %.3f (%.3f); KS rejects %.1f%%",
				mean, expected+(cv2-1)/2, sd*sd/mean, cv2, gap, gapSD/gap, a.CV(), rejected/2)
			se := math.Sqrt(cv2 * expected / studySeeds)
			require.InDelta(t, expected+(cv2-1)/2, mean, 4*se)
			require.InDelta(t, cv2, sd*sd/mean, 4*cv2*math.Sqrt(2.0/studySeeds)+0.05, "index of dispersion over the whole cell")
			// Gaps up to a fixed time favour the short ones, by about CV²/n.
			require.InDelta(t, 1, gap, 4*a.CV()/math.Sqrt(float64(len(gaps)))+cv2/expected)
			require.InDelta(t, a.CV(), gapSD/gap, 0.05*a.CV())
			require.Greater(t, binomial.CDF(rejected), 1e-4, "rejects too rarely")
			require.Greater(t, 1-binomial.CDF(rejected-1), 1e-4, "rejects too often")
		})
	}
}

// inference-perf drew exponential gaps under the name of constant ones (CV 0.99),
// pinned a Poisson process to whole seconds, and seeded neither.
func TestFaultsOfInferencePerf(t *testing.T) {
	constant := mustParse(t, "constant")
	require.True(t, constant.Constant())
	at := constant.Times(4, 1, time.Minute)
	require.Len(t, at, 239)
	for i, x := range at {
		require.Equal(t, time.Duration(i+1)*250*time.Millisecond, x)
	}
	for _, g := range constant.UnitGaps(constant.Times(3, 1, time.Minute), 3, time.Minute) {
		require.InDelta(t, 1, g, 1e-8)
	}
	for _, spec := range drawn {
		a := mustParse(t, spec)
		at := a.Times(2, 1, 3*time.Minute)
		whole := 0
		for _, x := range at {
			if x%time.Second == 0 {
				whole++
			}
		}
		require.Zero(t, whole, spec)
		require.Equal(t, at, a.Times(2, 1, 3*time.Minute), spec)
		require.NotEqual(t, at, a.Times(2, 2, 3*time.Minute), spec)
	}
}

// One seed of one law is one realisation, whatever the rate and its course.
func TestOneRealisationPerSeed(t *testing.T) {
	const d = 200 * time.Second
	base := Process{}.UnitGaps(Poisson(1, 4, d), 1, d)
	for _, spec := range drawn {
		a := mustParse(t, spec)
		if a.law != nil {
			slow, fast := a.UnitGaps(a.Times(1, 4, d), 1, d), a.UnitGaps(a.Times(8, 4, d/8*2), 8, d/8*2)
			if a.rate == nil {
				require.InDeltaSlice(t, slow, fast[:len(slow)], 1e-7, spec)
			}
			continue
		}
		got := a.UnitGaps(a.Times(1, 4, d), 1, d)
		require.Len(t, got, len(base), spec)
		require.InDeltaSlice(t, base, got, 1e-7, spec)
	}
}

// The course of the rate is what the spec says, and its mean is the rate.
func TestCourseOfTheRate(t *testing.T) {
	const rps, d, n = 20.0, 60 * time.Second, 100
	for _, c := range []struct {
		spec string
		want [6]float64 // arrivals per second in each ten seconds
	}{
		{"poisson", [6]float64{20, 20, 20, 20, 20, 20}},
		{"ramp:from=0.5,to=2", [6]float64{10, 14, 18, 22, 26, 30}},
		{"ramp:from=1,to=0", [6]float64{220. / 6, 30, 140. / 6, 100. / 6, 10, 20. / 6}},
		{"step:at=30s,to=3", [6]float64{10, 10, 10, 30, 30, 30}},
		{"step:at=30s,to=0", [6]float64{40, 40, 40, 0, 0, 0}},
		{"spike:at=20s,for=10s,to=5", [6]float64{12, 12, 60, 12, 12, 12}},
		{"spike:at=50s,for=1h,to=7", [6]float64{10, 10, 10, 10, 10, 70}},
		{"diurnal:period=60s", [6]float64{20 * 0.3384, 20, 20 * 1.6616, 20 * 1.6616, 20, 20 * 0.3384}},
	} {
		a := mustParse(t, c.spec)
		require.NoError(t, a.Check(rps, d))
		require.InDelta(t, rps*d.Seconds(), a.Units(d, rps, d), 1e-9)
		var per [6]float64
		for seed := range uint64(n) {
			at := a.Times(rps, seed, d)
			require.True(t, slices.IsSorted(at))
			for _, x := range at {
				require.True(t, x >= 0 && x < d)
				per[x/(10*time.Second)] += 0.1 / n
			}
		}
		for i, want := range c.want {
			require.InDelta(t, want, per[i], 4*math.Sqrt(want/(10*n))+0.001, "%s, window %d", c.spec, i)
			units := a.Units(time.Duration(i+1)*10*time.Second, rps, d) - a.Units(time.Duration(i)*10*time.Second, rps, d)
			require.InDelta(t, 10*want, units, 0.2, "%s, window %d", c.spec, i)
		}
	}
}

func TestArrivalSpecs(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"", "poisson"}, {"poisson", "poisson"}, {"constant", "constant"},
		{"gamma:burstiness=0.50", "gamma:burstiness=0.5"},
		{"diurnal:depth=0.8,period=1m", "diurnal:period=1m0s"},
		{"spike:to=5,for=10s,at=30s", "spike:at=30s,for=10s,to=5"},
	} {
		a := mustParse(t, c.spec)
		require.Equal(t, c.want, a.String())
		require.Equal(t, a, mustParse(t, a.String()))
	}
	for _, c := range []struct{ spec, want string }{
		{"posson", `unknown arrivals "posson": did you mean "poisson"? choose from poisson, gamma`},
		{"uniform", `unknown arrivals "uniform": choose from`},
		{"gamma", "arrivals gamma: burstiness is missing; give burstiness=0.05 to 100"},
		{"gamma:burstiness=0", "arrivals gamma: burstiness=0: give a number from 0.05 to 100"},
		{"gamma:burstiness=NaN", "burstiness=NaN: give a number"},
		{"weibull:burstyness=1,burstiness=1", `arrivals weibull: unknown parameter burstyness: did you mean "burstiness"?`},
		{"gamma:0.5", `arrivals gamma: "0.5" is not a parameter; write it as name=value`},
		{"gamma:burstiness=1,burstiness=2", "burstiness is given twice"},
		{"poisson:rate=3", "arrivals poisson: takes no parameter rate"},
		{"step:at=30,to=2", "arrivals step: at=30: give a duration"},
		{"step:to=2", "arrivals step: at is missing"},
		{"ramp:from=-1,to=2", "from=-1: give a number from 0 to 1000"},
		{"diurnal:period=0s", "period=0s: give a duration of at least 1ms"},
	} {
		_, err := Parse(c.spec)
		require.ErrorContains(t, err, c.want, c.spec)
		require.NotContains(t, err.Error(), "\n")
	}
	for _, c := range []struct{ spec, want string }{
		{"step:at=60s,to=2", "arrivals step:at=1m0s,to=2: at=1m0s is not within the duration, 1m0s"},
		{"step:at=0s,to=0", "leaves no arrivals"},
		{"ramp:from=0,to=0", "there would be no arrivals"},
	} {
		require.ErrorContains(t, mustParse(t, c.spec).Check(1, time.Minute), c.want)
	}
	for line := range strings.Lines(Help) {
		if spec := strings.Fields(line)[0]; spec != "replay:FILE" {
			mustParse(t, spec)
		}
	}
}

func TestRecordedArrivals(t *testing.T) {
	at := []time.Duration{0, time.Second, time.Second, 3*time.Second + 1}
	a := Recorded(at, 1, 4*time.Second)
	require.Equal(t, at, a.Times(1, 9, 4*time.Second), "exact at its own rate")
	require.Equal(t, []time.Duration{0, time.Second / 2, time.Second / 2, 3 * time.Second / 2}, a.Times(2, 9, 2*time.Second))
	require.Equal(t, at[:3], a.Times(1, 0, 2*time.Second))
	require.NoError(t, a.Check(2, 2*time.Second))
	require.EqualError(t, a.Check(2, 3*time.Second), "recorded: 4 arrivals last 2s at 2/s, not 3s; lower the rate or the duration")
	_, ok := a.GapCDF()
	require.False(t, ok || a.Constant())
	require.True(t, math.IsNaN(a.CV()))
}

// The first arrivals of every process, so that a change of them is seen.
func TestArrivalsGolden(t *testing.T) {
	var b strings.Builder
	for _, spec := range append(slices.Clone(drawn), "constant") {
		at := mustParse(t, spec).Times(2, 1, 2*time.Minute)
		fmt.Fprintf(&b, "%-30s %d %v\n", spec, len(at), at[:5])
	}
	golden.Equal(t, "arrivals.txt", b.String())
}

func BenchmarkGammaTimes(b *testing.B) {
	a := mustParse(b, "gamma:burstiness=0.05")
	for b.Loop() {
		a.Times(1000, 1, 10*time.Second)
	}
}
