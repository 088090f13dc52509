package decided

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/results"
)

// Cell is what was decided in one cell, and what became of its requests.
type Cell struct {
	Key   results.Key
	SLOMS int64 // E2E objective, milliseconds
	Steps int64 // that the engine took, those that the backend refused among them
	// Requests are all arrivals, by their index in the tape, ascending.
	Requests []Request
	// Lines are the steps in which something was decided, in order. What was decided after
	// the last step, such as a refusal, is in a line of step Steps.
	Lines []Line
}

// Of returns what was decided in a cell, from its records and its step trace.
func Of(cell results.Cell, records []results.Record, steps []results.StepRow) (Cell, error) {
	if len(steps) == 0 && cell.Steps.Count > 0 {
		return Cell{}, fmt.Errorf("cell %s has no step trace: measure it with one (--trace-steps)", cell.Name())
	}
	for i := range steps {
		if steps[i].Step != int64(i) {
			return Cell{}, fmt.Errorf("cell %s: row %d of its step trace is of step %d: the trace has a gap", cell.Name(), i, steps[i].Step)
		}
	}
	slo := time.Duration(cell.SLOS * float64(time.Second))
	c := Cell{Key: cell.Key, SLOMS: slo.Milliseconds(), Steps: int64(len(steps)), Lines: linesOf(records, steps)}
	for i := range records {
		c.Requests = append(c.Requests, requestOf(&records[i], slo))
	}
	slices.SortFunc(c.Requests, func(a, b Request) int { return cmp.Compare(a.ID, b.ID) })
	for i := 1; i < len(c.Requests); i++ {
		if c.Requests[i].ID == c.Requests[i-1].ID {
			return Cell{}, fmt.Errorf("cell %s: request %d is there twice", cell.Name(), c.Requests[i].ID)
		}
	}
	return c, nil
}

// Request is what became of one.
type Request struct {
	ID   int32 // its index in the tape
	Fate Fate
	// MS is its latency from its intended arrival, in whole milliseconds: to its last token
	// if it was answered, else to when its outcome was decided. It is -1 for one that was
	// refused on arrival or whose end is not known.
	MS int64
}

// Fate is how a request fared: its outcome, told apart by the SLO and the policy of
// admission.
type Fate string

// The fates, from the best to the worst.
const (
	InTime    Fate = "in-time"   // answered within the SLO
	Late      Fate = "late"      // answered after it
	Refused   Fate = "refused"   // on arrival
	Dropped   Fate = "dropped"   // taken, and turned away before its start
	Aborted   Fate = "aborted"   // by the policy of admission, while it ran
	TimedOut  Fate = "timed-out" // the client gave up
	Cancelled Fate = "cancelled" // the client went away
	Failed    Fate = "failed"
)

var fates = []Fate{InTime, Late, Refused, Dropped, Aborted, TimedOut, Cancelled, Failed}

func requestOf(r *results.Record, slo time.Duration) Request {
	q := Request{ID: r.Request, Fate: Failed, MS: -1}
	if r.Ended.OK {
		q.MS = (r.Ended.V - r.Intended).Milliseconds()
	}
	switch {
	case r.Outcome == results.Completed:
		q.Fate = InTime
		if last := r.LastToken(); last.OK {
			q.MS = (last.V - r.Intended).Milliseconds()
			if last.V-r.Intended > slo {
				q.Fate = Late
			}
		}
	case r.Refused():
		q.Fate, q.MS = Refused, -1
	case r.Dropped():
		q.Fate = Dropped
	case r.Aborted():
		q.Fate = Aborted
	case r.Outcome == results.TimedOut:
		q.Fate = TimedOut
	case r.Outcome == results.Cancelled:
		q.Fate = Cancelled
	}
	q.MS = max(q.MS, -1)
	return q
}
