// Package record keeps what an admission policy was told, decision by decision, and
// tells it again: to predictors that are fitted and judged off-line.
package record

import (
	"cmp"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

// Block is what happened in one life of an engine: between two blocks nothing is
// shared, neither a queue nor a cache.
type Block struct {
	Name string  // of its file or cell
	Rate float64 // requests per second that were offered
	Seed uint64  // of what was offered: blocks of one seed may have requests in common
	Rows []Row   // in the order of the decisions
}

// Row is one decision and what became of the request.
type Row struct {
	Request  admission.Request
	Snapshot admission.Snapshot
	// Steps are those that ended since the row before.
	Steps    []admission.Step
	Decision admission.Decision
	// Ended says that the request was taken and that Outcome is its end.
	Ended   bool
	Outcome admission.Outcome
}

// Finished says that the request reached its natural end, so that its E2E is known.
func (r *Row) Finished() bool { return r.Ended && r.Outcome.Finished }

// E2E is how long the request took from its arrival, in seconds.
func (r *Row) E2E() float64 { return r.Outcome.E2E().Seconds() }

// Listener is told what happened, in the order in which it did. What it is given is
// the trace's.
type Listener struct {
	Step   func(admission.Step)
	Decide func(i int, row *Row)
	End    func(i int, row *Row)
}

// Replay tells l of everything in b: before each decision, of the steps and ends that
// came before it; behind the last, of the ends that are left.
func (b *Block) Replay(l Listener) {
	var ends []int
	for i := range b.Rows {
		if b.Rows[i].Ended {
			ends = append(ends, i)
		}
	}
	slices.SortStableFunc(ends, func(i, j int) int { return cmp.Compare(b.Rows[i].Outcome.At, b.Rows[j].Outcome.At) })
	next := 0
	tell := func(until time.Duration) {
		for ; next < len(ends) && b.Rows[ends[next]].Outcome.At <= until; next++ {
			l.End(ends[next], &b.Rows[ends[next]])
		}
	}
	for i := range b.Rows {
		row := &b.Rows[i]
		for _, st := range row.Steps {
			l.Step(st)
		}
		tell(row.Snapshot.Now)
		l.Decide(i, row)
	}
	tell(1<<63 - 1)
}
