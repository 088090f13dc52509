package twin

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Cost is what a unit of each term costs on one machine with one model, KV layout,
// flash attention and number of threads, as `calibrate` fitted it.
type Cost struct {
	Seconds [NumTerms]float64 // per unit, none negative
	// Most is the most of each term that a step had when the cost was fitted.
	Most  [NumTerms]float64
	Noise Noise
}

// Noise is what the model leaves unexplained: the logarithm of measured over
// predicted duration is a first-order autoregression, whose mean makes that of measured
// over predicted 1.
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
	return time.Duration(math.Round(sum * 1e9))
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

// Check says what is wrong with c, if anything.
func (c *Cost) Check() error {
	sum := 0.0
	for i, s := range c.Seconds {
		if !(s >= 0) || math.IsInf(s, 1) {
			return fmt.Errorf("cost of %v: %v seconds: want a number from 0 up", Term(i), s)
		}
		sum += s
	}
	switch n := c.Noise; {
	case sum == 0:
		return errors.New("cost: every term costs nothing")
	case !(n.Sigma >= 0) || math.IsInf(n.Sigma, 1):
		return fmt.Errorf("cost: noise of deviation %v: want a number from 0 up", n.Sigma)
	case !(n.Rho > -1 && n.Rho < 1):
		return fmt.Errorf("cost: noise of autocorrelation %v: want one between -1 and 1", n.Rho)
	}
	return nil
}
