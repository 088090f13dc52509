// Package faulty puts mistakes around an admission policy, to prove that a regression gate
// sees them. Each decorator is a mistake that a careless change could make, and no
// configuration has one: tests and `gate --prove` wrap them around the policy.
package faulty

import (
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

// ShortBound returns the decorator by which everything that a policy says of a time is too
// short by a share, above 0 and below 1: at 0.3 a bound of 4 s is given as 2.8 s, a
// request is taken as if it had 1/0.7 of its SLO, and so is what it does to others. The
// policy learns as ever, so outcomes do not teach it away.
func ShortBound(share float64) func(admission.Policy) admission.Policy {
	return func(p admission.Policy) admission.Policy { return &shortBound{Policy: p, share: share} }
}

type shortBound struct {
	admission.Policy
	share float64
	// What the policy sees. Their memory is kept: the mistake must cost no garbage.
	asked admission.Request
	seen  admission.Snapshot
}

// Decide implements admission.Policy.
func (f *shortBound) Decide(r *admission.Request, s *admission.Snapshot) admission.Decision {
	f.asked = *r
	f.asked.Deadline = f.later(r.Arrived, r.Deadline)
	queue, batch := f.seen.Queue[:0], f.seen.Batch[:0]
	f.seen = *s
	f.seen.Queue, f.seen.Batch = f.works(queue, s.Queue, s.Now), f.works(batch, s.Batch, s.Now)
	d := f.Policy.Decide(&f.asked, &f.seen)
	d.Bound = time.Duration(float64(d.Bound) * (1 - f.share))
	return d
}

func (f *shortBound) works(into, all []admission.Work, now time.Duration) []admission.Work {
	into = append(into, all...)
	for i := range into {
		if into[i].Deadline > now {
			into[i].Deadline = f.later(now, into[i].Deadline)
		}
	}
	return into
}

// later is a deadline as far from a moment as it looks by times that are too short.
func (f *shortBound) later(from, deadline time.Duration) time.Duration {
	return from + time.Duration(float64(deadline-from)/(1-f.share))
}

// NoLateLabels is the decorator that keeps from risk control who was late: its threshold
// sinks to its least, and nothing makes up for a bound that is short.
func NoLateLabels(p admission.Policy) admission.Policy { return &noLateLabels{Policy: p} }

type noLateLabels struct {
	admission.Policy
	inTime admission.Outcome // its memory is kept
}

// Labelled implements admission.Policy.
func (f *noLateLabels) Labelled(o *admission.Outcome) {
	if o.Violated {
		f.inTime = *o
		f.inTime.Violated = false
		o = &f.inTime
	}
	f.Policy.Labelled(o)
}
