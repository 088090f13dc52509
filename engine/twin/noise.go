package twin

import (
	"math"
	"math/rand/v2"
)

// residual draws what a step takes over what the cost model says. Its mean is 1, as a
// cost is what steps take on average, so that of its logarithm is below 0.
type residual struct {
	rng  *rand.Rand
	rho  float64
	new  float64 // deviation of what is new in a step
	mean float64 // of the logarithm
	log  float64 // of the last factor, less its mean
}

// newResidual starts in the stationary distribution, so that the first steps are like
// all others.
func newResidual(n Noise, seed uint64) *residual {
	r := &residual{rng: rand.New(rand.NewPCG(seed, 0x7769_6e)), rho: n.Rho}
	r.new = n.Sigma * math.Sqrt(1-n.Rho*n.Rho)
	r.mean = -n.Sigma * n.Sigma / 2
	r.log = n.Sigma * r.rng.NormFloat64()
	return r
}

func (r *residual) next() float64 {
	factor := math.Exp(r.mean + r.log)
	r.log = r.rho*r.log + r.new*r.rng.NormFloat64()
	return factor
}
