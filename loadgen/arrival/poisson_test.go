package arrival

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/loadgen/random"
)

const (
	studySeeds    = 200
	studyRPS      = 1.4 // the predecessor's regime: 180 s at 1.4/s, 252 arrivals
	studyDuration = 180 * time.Second
)

func study(rps float64, d time.Duration) []Fit {
	fits := make([]Fit, studySeeds)
	for seed := range fits {
		fits[seed] = FitPoisson(Poisson(rps, uint64(seed), d), rps, d)
	}
	return fits
}

func meanSD(fits []Fit, of func(Fit) float64) (mean, sd float64) {
	for _, f := range fits {
		mean += of(f) / float64(len(fits))
	}
	for _, f := range fits {
		sd += (of(f) - mean) * (of(f) - mean) / float64(len(fits)-1)
	}
	return mean, math.Sqrt(sd)
}

// TestPoissonOver200Seeds shows that the process is what it says. The bounds are
// those that a right process leaves with a chance of about one in 10⁴.
func TestPoissonOver200Seeds(t *testing.T) {
	fits := study(studyRPS, studyDuration)
	rejected := 0
	var ps []float64
	for _, f := range fits {
		if f.P < 0.05 {
			rejected++
		}
		ps = append(ps, f.P)
	}
	slices.Sort(ps)
	mean, sd := meanSD(fits, func(f Fit) float64 { return float64(f.Arrivals) })
	cv, _ := meanSD(fits, func(f Fit) float64 { return f.CV })
	lag1, lag1SD := meanSD(fits, func(f Fit) float64 { return f.Lag1 })
	disp, _ := meanSD(fits, func(f Fit) float64 { return f.Dispersion })
	t.Logf("KS at α=0.05 rejects %d of %d (%.1f%%), median p %.3f", rejected, studySeeds, 100*float64(rejected)/studySeeds, ps[studySeeds/2])
	t.Logf("arrivals: mean %.1f (expected 252), SD %.1f (expected %.1f)", mean, sd, math.Sqrt(252))
	t.Logf("gaps: CV %.3f, lag-1 correlation %.4f (SD %.3f); dispersion of counts %.3f", cv, lag1, lag1SD, disp)

	binomial := distuv.Binomial{N: studySeeds, P: 0.05}
	require.Greater(t, binomial.CDF(float64(rejected)), 1e-4, "rejects too rarely")
	require.Greater(t, 1-binomial.CDF(float64(rejected-1)), 1e-4, "rejects too often")
	require.InDelta(t, 0.5, ps[studySeeds/2], 0.14)
	require.InDelta(t, 252, mean, 4*math.Sqrt(252.0/studySeeds))
	require.InDelta(t, math.Sqrt(252), sd, 4*math.Sqrt(252/(2.0*studySeeds)))
	require.InDelta(t, 1, cv, 0.02)
	require.InDelta(t, 0, lag1, 4/math.Sqrt(252*studySeeds)+1.0/252)
	require.InDelta(t, 1, disp, 4*math.Sqrt(2.0/(24*studySeeds)))

	// The p values themselves are uniform if the process is right.
	d := 0.0
	for i, p := range ps {
		d = max(d, p-float64(i)/studySeeds, float64(i+1)/studySeeds-p)
	}
	require.Greater(t, kolmogorovTail(d*math.Sqrt(studySeeds)), 1e-4)
}

// The gaps of one seed are one draw at every rate.
func TestMisfitDoesNotDependOnTheRate(t *testing.T) {
	a := FitPoisson(Poisson(1, 4, 200*time.Second), 1, 200*time.Second)
	b := FitPoisson(Poisson(8, 4, 25*time.Second), 8, 25*time.Second)
	require.Equal(t, a.Arrivals, b.Arrivals)
	require.InDelta(t, a.KS, b.KS, 1e-6)
	require.InDelta(t, a.Dispersion, b.Dispersion, 1e-9)
}

func TestArrivalsLieInsideTheDuration(t *testing.T) {
	for seed := range uint64(500) {
		at := Poisson(3, seed, 2*time.Second)
		require.True(t, slices.IsSorted(at))
		for _, a := range at {
			require.True(t, a >= 0 && a < 2*time.Second)
		}
	}
}

// Known answers: what public load generators sent under the name of Poisson or
// constant, as FitPoisson sees it.
func TestFitKnowsTheFieldsFaults(t *testing.T) {
	const rps, d = 2.0, 200 * time.Second
	constant := make([]time.Duration, 400)
	for i := range constant {
		constant[i] = time.Duration(i+1) * time.Second / 2
	}
	poisson := Poisson(rps, 1, d)

	// inference-perf: a "Poisson" process pinned to whole seconds. The counts per
	// second are right, so only the gaps give it away.
	pinned := make([]time.Duration, len(poisson))
	for i, a := range poisson {
		pinned[i] = a.Truncate(time.Second)
	}
	f := FitPoisson(pinned, rps, d)
	require.Less(t, f.P, 1e-9)
	require.InDelta(t, 1, f.Dispersion, 0.6)

	// inference-perf: a "constant" process that draws exponential gaps has a CV
	// of 0.99; a constant one has 0.
	f = FitPoisson(constant, rps, d)
	require.InDelta(t, 0, f.CV, 0.06)
	require.InDelta(t, 0, f.Dispersion, 0.01)
	require.Less(t, f.P, 1e-9)
	require.InDelta(t, 1, FitPoisson(poisson, rps, d).CV, 0.15)

	// vllm#21104: the requested rate was never sent.
	require.Less(t, FitPoisson(Poisson(rps/2, 1, d), rps, d).P, 1e-9)

	// Bursts: three arrivals at once, at a third of the rate.
	var bursts []time.Duration
	for _, a := range Poisson(rps/3, 1, d) {
		bursts = append(bursts, a, a, a)
	}
	require.Greater(t, FitPoisson(bursts, rps, d).Dispersion, 1.8)

	// A memory: each gap comes twice.
	var twice []time.Duration
	last := time.Duration(0)
	for _, a := range Poisson(rps, 1, d/2) {
		twice = append(twice, last+a, 2*a)
		last = a
	}
	require.Greater(t, FitPoisson(twice, rps, d).Lag1, 0.3)
}

func TestFitOfTooFewArrivals(t *testing.T) {
	f := FitPoisson(nil, 1, time.Second)
	require.True(t, math.IsNaN(f.KS) && math.IsNaN(f.P) && math.IsNaN(f.CV) && math.IsNaN(f.Lag1) && math.IsNaN(f.Dispersion))
	require.Zero(t, f.Arrivals)
}

// Quantiles of Kolmogorov's distribution, as tabulated (Smirnov 1948).
func TestKolmogorovTail(t *testing.T) {
	for _, c := range []struct{ x, p float64 }{
		{0.1, 1}, {0.5, 0.9639}, {0.8276, 0.5}, {1.2238, 0.10}, {1.3581, 0.05}, {1.6276, 0.01}, {1.9495, 0.001},
	} {
		require.InDelta(t, c.p, kolmogorovTail(c.x), 1e-4, "x=%v", c.x)
	}
}

// Streams of different names or seeds have nothing in common.
func TestStreamsAreUnrelated(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(100) {
		for _, name := range []string{"arrivals", "mix", "output", "text/1", "text/11"} {
			v := random.Stream(seed, name).Uint64()
			require.False(t, seen[v])
			seen[v] = true
			require.Equal(t, v, random.Stream(seed, name).Uint64())
		}
	}
}
