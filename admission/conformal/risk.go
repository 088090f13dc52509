package conformal

// Risk holds the mean of a loss at Alpha by moving a threshold against it:
// θ ← θ + η(loss − α), the stricter the more was lost. θ stays within [Min, Max]
// (anti-windup): credit from calm times is not saved up beyond Min, nor is debt beyond
// Max, where next to nothing is let through.
//
// A label comes long after the decision that it belongs to. So each decision that is
// let through counts as its expected loss at once (Expect); its label later replaces that.
// While no bound is touched the sum of what was counted is (θ − θ₀)/η, so after T
// labels and with nothing open the mean loss is within (Max − Min + η)/(ηT) of Alpha,
// whatever the losses are. Where Min is touched the mean is only below that.
type Risk struct {
	Alpha    float64
	Eta      float64
	Min, Max float64
	Theta    float64
}

// Label tells of a loss, 0 … 1.
func (r *Risk) Label(loss float64) { r.move(r.Eta * (loss - r.Alpha)) }

func (r *Risk) move(by float64) { r.Theta = min(max(r.Theta+by, r.Min), r.Max) }

// With is the threshold if open decisions whose expected losses sum to expected were
// labelled now.
func (r *Risk) With(open int, expected float64) float64 {
	return min(max(r.Theta+r.Eta*(expected-r.Alpha*float64(open)), r.Min), r.Max)
}

// Interior says that no bound is touched.
func (r *Risk) Interior() bool { return r.Theta > r.Min && r.Theta < r.Max }

// Slack is how far the mean of the losses of T labels may be from Alpha while no bound
// is touched.
func (r *Risk) Slack(labels int) float64 {
	return (r.Max - r.Min + r.Eta) / (r.Eta * float64(labels))
}
