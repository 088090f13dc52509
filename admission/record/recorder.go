package record

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/admission"
)

// Recorder is a policy that decides as another one and keeps what that was told.
type Recorder struct {
	admission.Policy
	Rows []Row

	byID  map[int]int
	steps []admission.Step
}

// NewRecorder returns one around a policy.
func NewRecorder(p admission.Policy) *Recorder {
	return &Recorder{Policy: p, byID: map[int]int{}}
}

// Aborts implements admission.Aborter.
func (r *Recorder) Aborts() bool {
	a, ok := r.Policy.(admission.Aborter)
	return ok && a.Aborts()
}

// Decide implements admission.Policy.
func (r *Recorder) Decide(q *admission.Request, s *admission.Snapshot) admission.Decision {
	d := r.Policy.Decide(q, s)
	row := Row{Request: *q, Snapshot: *s, Steps: r.steps, Decision: d}
	row.Snapshot.Queue, row.Snapshot.Batch = slices.Clone(s.Queue), slices.Clone(s.Batch)
	r.byID[q.ID] = len(r.Rows)
	r.Rows, r.steps = append(r.Rows, row), nil
	return d
}

// Stepped implements admission.Policy.
func (r *Recorder) Stepped(st admission.Step) {
	r.steps = append(r.steps, st)
	r.Policy.Stepped(st)
}

// Ended implements admission.Policy.
func (r *Recorder) Ended(o *admission.Outcome) {
	if i, ok := r.byID[o.Request.ID]; ok {
		r.Rows[i].Ended, r.Rows[i].Outcome = true, *o
	}
	r.Policy.Ended(o)
}
