package twin

import (
	"math"
	"math/rand/v2"
)

// residual draws what a step takes over what the cost model says.
type residual struct {
	rng *rand.Rand
	rho float64
	new float64 // deviation of what is new in a step
	log float64 // of the last factor
}

// newResidual starts in the stationary distribution, so that the first steps are like
// all others.
func newResidual(n Noise, seed uint64) *residual {
	r := &residual{rng: rand.New(rand.NewPCG(seed, 0x7769_6e)), rho: n.Rho}
	r.new = n.Sigma * math.Sqrt(1-n.Rho*n.Rho)
	r.log = n.Sigma * r.rng.NormFloat64()
	return r
}

func (r *residual) next() float64 {
	factor := math.Exp(r.log)
	r.log = r.rho*r.log + r.new*r.rng.NormFloat64()
	return factor
}
