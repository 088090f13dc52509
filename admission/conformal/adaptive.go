package conformal

// Adaptive is adaptive conformal inference: the level at which the next quantile is
// taken, so that over time a share Alpha of the outcomes is missed however the scores
// drift. Gibbs and Candès: αₜ₊₁ = αₜ + γ(α − errₜ).
type Adaptive struct {
	Alpha float64 // to be held
	Gamma float64 // step; they use 0.005 to 0.05
	Now   float64 // αₜ; start it at Alpha
}

// Update tells whether the last outcome was missed.
func (a *Adaptive) Update(missed bool) {
	err := 0.0
	if missed {
		err = 1
	}
	a.Now += a.Gamma * (a.Alpha - err)
}

// Level is αₜ as a quantile can be taken at: within [least, 1 − least].
func (a *Adaptive) Level(least float64) float64 { return min(max(a.Now, least), 1-least) }
