package loadgen

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// Fit says how arrivals compare with a Poisson process of a given rate.
// Statistics that the arrivals are too few for are NaN.
type Fit struct {
	Arrivals int
	// KS is the largest distance between the distribution of the gaps (the first
	// counts from time 0) and Exp(rate), and P the chance of a larger one if the
	// process is right.
	KS, P float64
	// CV is the gaps' standard deviation over their mean: 1 for a Poisson
	// process, 0 for a constant one.
	CV float64
	// Lag1 is the correlation between each gap and the next: 0 for independent
	// gaps, with a standard error of about 1/√Arrivals.
	Lag1 float64
	// Dispersion is the variance over the mean of the number of arrivals in
	// windows of DispersionWindow expected arrivals: 1 for a Poisson process, 0
	// for a constant one, above 1 when arrivals come in bursts. Its standard
	// error over w windows is about √(2/(w−1)).
	Dispersion float64
	// DispersionP is the chance of a dispersion as far from 1, on its side, if
	// the process is right, twice: (w−1)·Dispersion is chi-squared with w−1
	// degrees of freedom, approximately (Fisher, 1950).
	DispersionP float64
}

// DispersionWindow is the expected number of arrivals in a window of
// Fit.Dispersion.
const DispersionWindow = 10

// FitPoisson compares arrivals, in order within [0, d), with a Poisson process
// of rps per second.
func FitPoisson(at []time.Duration, rps float64, d time.Duration) Fit {
	gaps := make([]float64, len(at))
	last := time.Duration(0)
	for i, t := range at {
		gaps[i] = (t - last).Seconds()
		last = t
	}
	f := Fit{Arrivals: len(at)}
	f.Dispersion, f.DispersionP = dispersion(at, rps, d)
	f.CV, f.Lag1 = variationAndLag1(gaps)
	f.KS, f.P = ksExponential(gaps, rps)
	return f
}

// ksExponential is the two-sided Kolmogorov-Smirnov test of gaps against
// Exp(rate) with the rate known. P is Kolmogorov's limiting distribution at
// (√n + 0.12 + 0.11/√n)·D, Stephens' correction for finite n (J. R. Stat. Soc. B
// 32, 1970), good from n = 5.
func ksExponential(gaps []float64, rate float64) (distance, p float64) {
	if len(gaps) < 5 {
		return math.NaN(), math.NaN()
	}
	sorted := slices.Sorted(slices.Values(gaps))
	n := float64(len(sorted))
	for i, g := range sorted {
		cdf := -math.Expm1(-rate * g)
		distance = max(distance, cdf-float64(i)/n, float64(i+1)/n-cdf)
	}
	return distance, kolmogorovTail((math.Sqrt(n) + 0.12 + 0.11/math.Sqrt(n)) * distance)
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

func dispersion(at []time.Duration, rps float64, d time.Duration) (index, p float64) {
	windows := int(rps * d.Seconds() / DispersionWindow)
	if windows < 2 || windows > len(at) { // or nothing like that many arrive
		return math.NaN(), math.NaN()
	}
	counts := make([]float64, windows)
	for _, t := range at {
		if i := int(t.Seconds() * rps / DispersionWindow); i >= 0 && i < windows {
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
	index = squares / float64(windows-1) / mean
	below := distuv.ChiSquared{K: float64(windows - 1)}.CDF(squares / mean)
	return index, 2 * min(below, 1-below)
}
