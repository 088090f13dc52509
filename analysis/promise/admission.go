package promise

import "github.com/cadence-bench/cadence-bench/results"

// Admission counts what became of a cell's arrivals at its admission policy. Without
// one, Refused are those that a server refused, and the rest is 0.
type Admission struct {
	Asked   int // arrivals about which a policy decided
	Refused int // on arrival
	Dropped int // taken, and turned away before their start; they count as shed
	Aborted int // taken, and ended while they ran; they count as failed
	Forced  int // taken in spite of the bound
	// Promised are those that were taken and not forced, and Violated those of them
	// that did not complete within the SLO, whatever the cause.
	Promised, Violated int
}

// CountRefused counts a request that was refused on arrival.
func (a *Admission) CountRefused(r *results.Record) {
	a.Refused++
	if r.Admission.OK {
		a.Asked++
	}
}

// CountTaken counts a request that was not refused on arrival, and whether it met the SLO.
func (a *Admission) CountTaken(r *results.Record, good bool) {
	if !r.Admission.OK {
		return
	}
	a.Asked++
	if r.Dropped() {
		a.Dropped++
	}
	if r.Aborted() {
		a.Aborted++
	}
	if r.Admission.V.Forced {
		a.Forced++
		return
	}
	a.Promised++
	if !good {
		a.Violated++
	}
}

// ViolationRate is the share of the promised that were violated; null without any.
func (a Admission) ViolationRate() (none results.Opt[float64]) {
	if a.Promised == 0 {
		return none
	}
	return results.Some(float64(a.Violated) / float64(a.Promised))
}
