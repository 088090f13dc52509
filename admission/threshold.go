package admission

// Threshold is what a policy that moves one held a request against. It is for the record:
// no decision rests on it.
type Threshold struct {
	// Theta is θ of the account that the request belongs to, within its limits, and
	// InForce what was asked for in its place, with what is foreseen of the open
	// requests; both as −log(1 − level).
	Theta, InForce float64
	At             Edge
	RefusedBy      Limit
}

// Edge is where θ of an account stands.
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
