package promise

import (
	"github.com/cadence-bench/cadence-bench/results"
)

// Theta counts, for a policy that moves a threshold θ, where it stood and what turned
// requests away. All is 0 for other policies, and where the file does not say.
type Theta struct {
	// Decided are the arrivals that were held against a θ: of them it was at its lower
	// limit for Least, between its limits for Interior, at its upper limit for Most.
	Decided, Least, Interior, Most int
	Sum                            float64 // of θ, as −log(1 − level)
	// Promised are those that were taken by the bound while θ was interior, and
	// Violations those of them that did not end well within the SLO.
	Promised, Violations int
	// RefusedBy counts the refused by what their chance did not pass first: RefusedBy[i]
	// by Limits[i].
	RefusedBy [limits]int
}

const limits = 6

// Limits names what of a decision may turn a request away, in the order in which they
// are put to it: the lowest chance that is ever taken, θ, what it would do to others, what
// is foreseen of the open requests, the price of its work, and what is asked for more after
// a refusal.
var Limits = [limits]string{"least", "theta", "harm", "brake", "price", "hysteresis"}

func (t *Theta) add(d *results.Admission, good bool) {
	if !d.Threshold.OK {
		return
	}
	g := &d.Threshold.V
	t.Decided++
	t.Sum += g.Theta
	switch g.At {
	case "least":
		t.Least++
	case "interior":
		t.Interior++
	case "most":
		t.Most++
	}
	if !d.Admitted {
		for i, name := range Limits {
			if g.RefusedBy == name {
				t.RefusedBy[i]++
			}
		}
		return
	}
	if g.At == "interior" && !d.Forced {
		t.Promised++
		if !good {
			t.Violations++
		}
	}
}

// Join adds the counts of another cell.
func (t *Theta) Join(o *Theta) {
	t.Decided, t.Least, t.Interior, t.Most = t.Decided+o.Decided, t.Least+o.Least, t.Interior+o.Interior, t.Most+o.Most
	t.Sum, t.Promised, t.Violations = t.Sum+o.Sum, t.Promised+o.Promised, t.Violations+o.Violations
	for i, n := range o.RefusedBy {
		t.RefusedBy[i] += n
	}
}

// Refused is how many were refused by any limit.
func (t *Theta) Refused() (n int) {
	for _, by := range t.RefusedBy {
		n += by
	}
	return n
}
