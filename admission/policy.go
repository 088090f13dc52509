package admission

import "time"

// Policy decides which requests are taken. Its methods are called on one loop, in
// the order of time.
type Policy interface {
	// Decide says whether an arrival is taken. r and s are valid during the call.
	Decide(r *Request, s *Snapshot) Decision
	// Dequeue says, when a request that was taken is about to start after waiting,
	// whether it still should. A refusal here is an outcome like a missed deadline
	// (Outcome.Dropped).
	Dequeue(r *Request, d *Decision, s *Snapshot) Decision
	// Hopeless says whether a request that runs is to be aborted, since it cannot
	// end in time any more. It is asked after each step, of an Aborter only. An abort
	// is a violation.
	Hopeless(r *Request, w *Work, s *Snapshot) bool
	// Stepped tells of a step that ended.
	Stepped(st Step)
	// Labelled tells, once for each request that was taken, whether it kept its SLO:
	// when it ends or when its deadline passes, whichever is first.
	Labelled(o *Outcome)
	// Ended tells, once for each request that was taken, of its real end, after its
	// label.
	Ended(o *Outcome)
}

// Aborter is a policy that may abort. Hopeless is asked of no other, so that a policy
// that never does costs nothing there.
type Aborter interface {
	Policy
	// Aborts says whether it does; it is asked once.
	Aborts() bool
}

// Decision is a policy's word on one request, and why.
type Decision struct {
	Admit  bool
	Reason Reason
	// Estimate and Bound are the predicted E2E from the arrival, as the policy
	// expects it and as it promises it; 0 where the policy predicts none.
	Estimate, Bound time.Duration
	// Chance is the estimated probability of meeting the SLO, 0 … 1; NaN is not used:
	// policies that estimate none leave it 0 and HasChance false.
	Chance    float64
	HasChance bool
	Regime    Regime
	// Propensity is the probability with which a request like this one would have
	// been taken here; 1 or 0 unless the policy tosses a coin.
	Propensity float64
	// Forced requests were taken in spite of the bound (exploration, liveness, the
	// idle engine's account): they teach, and do not count in the promise.
	Forced bool
	// RetryAfter is when a refused client may try again; 0 says nothing.
	RetryAfter time.Duration
	Threshold  Threshold
	// Value is the policy's own, given back with the outcome: its score's terms.
	Value [4]float64
}

// Reason says why a decision was taken. It is what results keep.
type Reason uint8

const (
	// Open: the policy takes everything, or everything at the moment.
	Open Reason = iota
	// Fits: the bound is within the SLO.
	Fits
	// IdlePath: the engine had nothing else to do.
	IdlePath
	// Explore: taken to learn from, by the quota.
	Explore
	// Alive: taken because nothing had been for a whole SLO.
	Alive
	// Uncalibrated: taken because there are too few outcomes to promise anything.
	Uncalibrated
	// TooLate: the bound is beyond the SLO.
	TooLate
	// Infeasible: not even an idle engine could answer it in time often enough.
	Infeasible
	// OverLimit: a cap on requests, tokens or rate is reached.
	OverLimit
	// Overloaded: the policy sheds load, by a signal of overload or by a coin.
	Overloaded
	// Expired: its deadline passed, or would, before it could start.
	Expired
)

var reasons = [...]string{
	"open", "fits", "idle", "explore", "alive", "uncalibrated",
	"too-late", "infeasible", "over-limit", "overloaded", "expired",
}

// String is the reason in a word.
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return "unknown"
}

// Outcome is what became of a request that was taken.
type Outcome struct {
	Request  Request
	Decision Decision
	At       time.Duration
	// Violated says that it did not end within its SLO, whatever the cause: late,
	// dropped before its start, or aborted.
	Violated bool
	Dropped  bool // by Dequeue
	Aborted  bool // by Hopeless
	// Finished says that it reached its natural end. Only then, and only in Ended,
	// is Output the true length; in Labelled of a deadline it is what it had.
	Finished bool
	Output   int           // tokens given
	Waited   time.Duration // from arrival to start; to At if it has not started
	Started  bool
}

// E2E is how long it took, so far or until its end.
func (o *Outcome) E2E() time.Duration { return o.At - o.Request.Arrived }

// Base is a policy that takes everything and learns nothing. Policies embed it.
type Base struct{}

// Decide implements Policy.
func (Base) Decide(_ *Request, s *Snapshot) Decision {
	return Decision{Admit: true, Reason: Open, Regime: s.Regime(), Propensity: 1}
}

// Dequeue implements Policy.
func (Base) Dequeue(_ *Request, d *Decision, _ *Snapshot) Decision {
	return Decision{Admit: true, Reason: Open, Regime: d.Regime, Propensity: 1}
}

// Hopeless implements Policy.
func (Base) Hopeless(*Request, *Work, *Snapshot) bool { return false }

// Stepped implements Policy.
func (Base) Stepped(Step) {}

// Labelled implements Policy.
func (Base) Labelled(*Outcome) {}

// Ended implements Policy.
func (Base) Ended(*Outcome) {}
