package twin

import "time"

// Cost is what a unit of each term costs on one machine with one model, KV layout,
// flash attention and number of threads, as `calibrate` fitted it.
type Cost struct {
	Seconds [NumTerms]float64 // per unit, none negative
	// Most is the most of each term that a step had when the cost was fitted.
	Most  [NumTerms]float64
	Noise Noise
}

// Noise is what the model leaves unexplained: the logarithm of measured over
// predicted duration is a first-order autoregression of mean 0.
type Noise struct {
	Sigma float64 // its standard deviation
	Rho   float64 // correlation of one step with the next
}

// outsideBy is how far above what it was fitted on a step may be before its
// duration counts as extrapolated.
const outsideBy = 1.1

// Duration is how long a step with work w lasts.
func (c *Cost) Duration(w *Work) time.Duration {
	sum := 0.0
	for i := range w {
		sum += w[i] * c.Seconds[i]
	}
	return time.Duration(sum * float64(time.Second))
}

// Outside says that some term of w is well above what c was fitted on.
func (c *Cost) Outside(w *Work) bool {
	for i := range w {
		if w[i] > outsideBy*c.Most[i] {
			return true
		}
	}
	return false
}
