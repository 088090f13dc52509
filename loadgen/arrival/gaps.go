package arrival

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// gapLaw is the distribution of the gaps of a renewal process at rate 1: their
// mean is 1.
type gapLaw interface {
	quantile(p float64) float64
	cdf(gap float64) float64
	cv() float64 // standard deviation over mean
}

// exponential gaps make a Poisson process.
type exponential struct{}

func (exponential) quantile(p float64) float64 { return -math.Log1p(-p) }
func (exponential) cdf(gap float64) float64    { return -math.Expm1(-max(gap, 0)) }
func (exponential) cv() float64                { return 1 }

// gammaGaps have shape k and scale 1/k: CV 1/√k.
type gammaGaps struct{ shape float64 }

func (g gammaGaps) dist() distuv.Gamma         { return distuv.Gamma{Alpha: g.shape, Beta: g.shape} }
func (g gammaGaps) quantile(p float64) float64 { return g.dist().Quantile(p) }
func (g gammaGaps) cdf(gap float64) float64    { return g.dist().CDF(max(gap, 0)) }
func (g gammaGaps) cv() float64                { return 1 / math.Sqrt(g.shape) }

// weibullGaps have shape k and scale 1/Γ(1 + 1/k): CV √(Γ(1 + 2/k)/Γ(1 + 1/k)² − 1).
type weibullGaps struct{ shape float64 }

func (w weibullGaps) dist() distuv.Weibull {
	return distuv.Weibull{K: w.shape, Lambda: 1 / math.Gamma(1+1/w.shape)}
}
func (w weibullGaps) quantile(p float64) float64 { return w.dist().Quantile(p) }
func (w weibullGaps) cdf(gap float64) float64    { return w.dist().CDF(max(gap, 0)) }
func (w weibullGaps) cv() float64                { return w.dist().StdDev() }

// constantGaps are all 1.
type constantGaps struct{}

func (constantGaps) quantile(float64) float64 { return 1 }
func (constantGaps) cv() float64              { return 0 }
func (constantGaps) cdf(gap float64) float64 {
	if gap < 1 {
		return 0
	}
	return 1
}
