package conformal

import "math"

// Risk holds the mean of a loss at Alpha by moving a threshold against it:
// θ ← θ + η(loss − α), the stricter the more was lost. The threshold that is used stays
// within [Min, Max]. Credit from calm times is not saved up beyond Min (anti-windup).
// Debt is kept whole: beyond Max, where next to nothing is let through, it grows by the losses
// that were under way already, and none is forgotten, however late its label comes.
//
// If nothing is lost of what is decided at Max and beyond, and at most K decisions are open at
// once, then after T labels the mean loss is at most Alpha + (Max − Min + η(1 + K))/(ηT),
// whatever the losses are and whenever their labels come; and while Min is not touched it is
// at least Alpha less that. Who lowers Theta without a label adds by how much to the first
// bracket.
//
// A label comes long after the decision that it belongs to. So each decision that is
// let through counts as its expected loss until then: see With.
type Risk struct {
	Alpha    float64
	Eta      float64
	Min, Max float64
	Theta    float64 // may be above Max, by the debt
}

// Label tells of a loss, 0 … 1.
func (r *Risk) Label(loss float64) {
	r.Theta = max(r.Theta+r.Eta*(loss-r.Alpha), r.Min)
}

// With is the threshold if open decisions whose expected losses sum to expected were
// labelled now.
func (r *Risk) With(open int, expected float64) float64 {
	return min(max(r.Theta+r.Eta*(expected-r.Alpha*float64(open)), r.Min), r.Max)
}

// Enough is how many open decisions that are sure to be lost put the threshold to Max,
// whatever became of so many others.
func (r *Risk) Enough(others int) int {
	return int(math.Ceil(((r.Max-r.Min)/r.Eta + r.Alpha*float64(others)) / (1 - r.Alpha)))
}

// Threshold is θ within its bounds.
func (r *Risk) Threshold() float64 { return r.With(0, 0) }
