package arrival

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// Fit says how arrivals compare with a process. Gaps are unit gaps: their mean is
// 1 if the process is right. Statistics that the arrivals are too few for, or that
// say nothing about the process, are NaN.
type Fit struct {
	Arrivals int
	// KS is the largest distance between the distribution of the gaps (the first
	// counts from time 0) and that of the process, and P the chance of a larger
	// one if the process is right. Against constant gaps KS is the share of gaps
	// that are not constant, and P is 1 when none is and else 0.
	KS, P float64
	// CV is the gaps' standard deviation over their mean: 1 for a Poisson
	// process, 0 for a constant one.
	CV float64
	// Lag1 is the correlation between each gap and the next: 0 for independent
	// gaps, with a standard error of about 1/√Arrivals.
	Lag1 float64
	// Dispersion is the variance over the mean of the number of arrivals in
	// windows of DispersionWindow expected arrivals, on the time scale on which
	// the process is Poisson: 1 if it is right, above 1 when arrivals come in
	// bursts that are not its own. Its standard error over w windows is about
	// √(2/(w−1)). It is NaN against constant gaps.
	Dispersion float64
	// DispersionP is twice the chance of a dispersion as far from 1, on its side,
	// if the process is right: (w−1)·Dispersion is about chi-squared with w−1
	// degrees of freedom (Fisher, Biometrics 6, 1950).
	DispersionP float64
}

// DispersionWindow is the expected number of arrivals in a window of
// Fit.Dispersion.
const DispersionWindow = 10

// minWindows is how many windows a dispersion takes. Counts are whole numbers: in
// three windows they are all equal for one Poisson realisation in fifty, a
// dispersion of 0 to which chi-squared gives no chance at all.
const minWindows = 10

// FitPoisson compares arrivals, in order within [0, d), with a Poisson process of
// rps per second.
func FitPoisson(at []time.Duration, rps float64, d time.Duration) Fit {
	return Process{}.Fit(at, rps, d)
}

// Fit compares arrivals, in order within [0, d), with the process at a mean rate of
// rps per second. A recording is compared with nothing: all is NaN but its CV.
func (a Process) Fit(at []time.Duration, rps float64, d time.Duration) Fit {
	nan := math.NaN()
	f := Fit{Arrivals: len(at), KS: nan, P: nan, Dispersion: nan, DispersionP: nan}
	gaps := a.UnitGaps(at, rps, d)
	f.CV, f.Lag1 = variationAndLag1(gaps)
	cdf, ok := a.GapCDF()
	switch {
	case !ok:
	case a.Constant():
		f.KS, f.P = notConstant(gaps, rps)
	default:
		f.KS, f.P = kolmogorovSmirnov(gaps, cdf)
		at, end := poissonTimes(gaps, cdf), rps*d.Seconds()
		if a.law != nil && len(at) > 0 {
			end = min(end, at[len(at)-1]) // on the changed scale the end is not known
		}
		f.Dispersion, f.DispersionP = dispersion(at, end)
	}
	return f
}

// kolmogorovSmirnov is the two-sided test of gaps against a continuous distribution
// without estimated parameters. P is Kolmogorov's limiting distribution at
// (√n + 0.12 + 0.11/√n)·D, Stephens' correction for finite n (J. R. Stat. Soc. B
// 32, 1970), good from n = 5.
func kolmogorovSmirnov(gaps []float64, cdf func(float64) float64) (distance, p float64) {
	if len(gaps) < 5 {
		return math.NaN(), math.NaN()
	}
	sorted := slices.Sorted(slices.Values(gaps))
	n := float64(len(sorted))
	for i, g := range sorted {
		f := cdf(g)
		distance = max(distance, f-float64(i)/n, float64(i+1)/n-f)
	}
	return distance, kolmogorovTail((math.Sqrt(n) + 0.12 + 0.11/math.Sqrt(n)) * distance)
}

// notConstant is the share of unit gaps that differ from 1 by more than rounding to
// nanoseconds explains.
func notConstant(gaps []float64, rps float64) (share, p float64) {
	if len(gaps) < 5 {
		return math.NaN(), math.NaN()
	}
	off := 0
	for _, g := range gaps {
		if math.Abs(g-1) > 1e-9+rps*2e-9 {
			off++
		}
	}
	if off > 0 {
		return float64(off) / float64(len(gaps)), 0
	}
	return 0, 1
}

// poissonTimes returns the arrivals on the time scale on which a renewal process of
// that gap distribution is Poisson with rate 1: each gap is replaced by its
// cumulative hazard −ln(1 − F), which is a unit exponential.
func poissonTimes(gaps []float64, cdf func(float64) float64) []float64 {
	at := make([]float64, len(gaps))
	sum := 0.0
	for i, g := range gaps {
		sum += -math.Log(max(1-cdf(g), math.SmallestNonzeroFloat64))
		at[i] = sum
	}
	return at
}

// kolmogorovTail is P(K > x) = 2 Σ (−1)^(k−1) exp(−2k²x²).
func kolmogorovTail(x float64) float64 {
	if x < 0.2 { // the sum converges slowly there, and the tail is above 1 − 1e-12
		return 1
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		term := math.Exp(-2 * k * k * x * x)
		sum += sign * term
		sign = -sign
		if term < 1e-16 {
			break
		}
	}
	return min(max(2*sum, 0), 1)
}

func variationAndLag1(gaps []float64) (cv, lag1 float64) {
	if len(gaps) < 3 {
		return math.NaN(), math.NaN()
	}
	mean := 0.0
	for _, g := range gaps {
		mean += g / float64(len(gaps))
	}
	var squares, products float64
	for i, g := range gaps {
		squares += (g - mean) * (g - mean)
		if i > 0 {
			products += (gaps[i-1] - mean) * (g - mean)
		}
	}
	cv = math.Sqrt(squares/float64(len(gaps)-1)) / mean
	if squares == 0 {
		return cv, math.NaN()
	}
	return cv, products / squares
}

// dispersion counts points of a process of rate 1 in windows up to end.
func dispersion(at []float64, end float64) (index, p float64) {
	most := float64(len(at)) // with more windows than points nothing can be said
	if !(end >= minWindows*DispersionWindow && end/DispersionWindow <= most) {
		return math.NaN(), math.NaN()
	}
	windows := int(end / DispersionWindow)
	counts := make([]float64, windows)
	for _, t := range at {
		if i := int(t / DispersionWindow); t >= 0 && i < windows {
			counts[i]++
		}
	}
	mean, squares := 0.0, 0.0
	for _, c := range counts {
		mean += c / float64(windows)
	}
	for _, c := range counts {
		squares += (c - mean) * (c - mean)
	}
	if mean == 0 {
		return math.NaN(), math.NaN()
	}
	below := distuv.ChiSquared{K: float64(windows - 1)}.CDF(squares / mean)
	return squares / float64(windows-1) / mean, 2 * min(below, 1-below)
}
