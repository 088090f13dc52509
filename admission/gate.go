package admission

import "github.com/cadence-bench/cadence-bench/admission/conformal"

// Gate is the threshold that a policy which moves one held a request against. It is for
// the record: no decision rests on it.
type Gate struct {
	// Theta is θ of the ledger that the request belongs to, within its limits, and
	// Threshold what was asked for in its place, with what is foreseen of the open
	// requests; both as −log(1 − level).
	Theta, Threshold float64
	At               Edge
	RefusedBy        Limit
}

// Edge is where θ of a ledger stands.
type Edge uint8

const (
	// NoTheta: the policy moves no threshold, or had nothing yet to hold against one.
	NoTheta Edge = iota
	// AtLeast: at its lower limit, where it saves up no credit.
	AtLeast
	// Interior: between its limits, where it holds the late share at alpha.
	Interior
	// AtMost: at its upper limit, or with a debt beyond it.
	AtMost
)

// String is the edge in a word, "" for NoTheta.
func (e Edge) String() string { return [...]string{"", "least", "interior", "most"}[e] }

// Limit is what of a decision turned a request away.
type Limit uint8

const (
	// NoLimit: it was taken by the bound, or refused without one.
	NoLimit Limit = iota
	// ByLeast: its chance is below the lowest that is ever taken, wherever θ is.
	ByLeast
	// ByTheta: its chance is below the level of θ.
	ByTheta
	// ByHarm: its chance less what it takes from the chances of others is.
	ByHarm
	// ByBrake: θ would do, and the threshold with what is foreseen of the open requests
	// does not.
	ByBrake
	// ByPrice: what its work is worth to others is more than it has to spare.
	ByPrice
	// ByHysteresis: it would do if the request before had been taken.
	ByHysteresis
)

// String is the limit in a word, "" for NoLimit.
func (l Limit) String() string {
	return [...]string{"", "least", "theta", "harm", "brake", "price", "hysteresis"}[l]
}

// gateOf is the gate of a ledger with the threshold that is in force.
func gateOf(l *conformal.Risk, threshold float64) Gate {
	g := Gate{Theta: l.Threshold(), Threshold: threshold, At: Interior}
	switch {
	case l.Theta <= l.Min:
		g.At = AtLeast
	case l.Theta >= l.Max:
		g.At = AtMost
	}
	return g
}

// note notes what turned a request away, if it was: the terms of its decision are put to
// it one after another, each on top of those before, and the first with which it does
// not pass is it. Requests that are open and expected in time may lower the threshold below
// θ. least is the lower limit of θ.
func (g *Gate) note(refused bool, least, chance, harm, cost float64) {
	if !refused {
		return
	}
	bar := level(min(g.Theta, g.Threshold))
	switch {
	case chance < level(least):
		g.RefusedBy = ByLeast
	case chance < bar:
		g.RefusedBy = ByTheta
	case chance-harm < bar:
		g.RefusedBy = ByHarm
	case chance-harm < level(g.Threshold):
		g.RefusedBy = ByBrake
	case chance-harm-cost < level(g.Threshold):
		g.RefusedBy = ByPrice
	default:
		g.RefusedBy = ByHysteresis
	}
}
