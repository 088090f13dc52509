package decided

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// scripted is a cell in which everything happens once: step i runs from i+0.1 to i+0.9
// seconds.
type scripted struct {
	cell    results.Cell
	records []results.Record
	steps   []results.StepRow
}

func at(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// taken is the record of a request that arrived at the given second and ended so.
func taken(id int32, arrived float64, outcome results.Outcome, reason string, tokens ...float64) results.Record {
	r := results.Record{Request: id, Outcome: outcome, Intended: at(arrived), Sent: results.Some(at(arrived)), Ended: results.Some(at(9))}
	if reason != "" {
		r.Reason = results.Some(reason)
	}
	for _, t := range tokens {
		r.Tokens = append(r.Tokens, at(t))
		r.Ended = results.Some(at(t))
	}
	r.Admission = results.Some(results.Admission{Admitted: true, Reason: "fits"})
	return r
}

func script() scripted {
	s := scripted{cell: results.Cell{
		Key: results.Key{Rung: "prefix", OfferedRPS: 2.5, Seed: 7}, SLOS: 4, Steps: results.Steps{Count: 11},
	}}
	step := func(prefill, decode int32) *results.StepRow {
		i := len(s.steps)
		s.steps = append(s.steps, results.StepRow{
			Step: int64(i), Start: at(float64(i) + 0.1), End: at(float64(i) + 0.9), Committed: at(float64(i) + 0.9),
			Rows: prefill + decode, PrefillRows: prefill, DecodeRows: decode,
			BlockTokens: 16, FreeBlocks: 40 - int32(i), CachedBlocks: 3, HeldBlocks: int32(i), PromisedBlocks: 1,
		})
		return &s.steps[i]
	}
	step(8, 0).Admitted = []results.StepAdmission{{Request: 0, Tokens: 10}, {Request: 1, Tokens: 6}}
	step(8, 0)
	first := step(4, 2)
	first.Admitted = []results.StepAdmission{{Request: 2, Tokens: 12, Cached: 8}}
	first.Copies, first.Held = 1, 1
	step(0, 3)
	step(0, 3)
	lacks := step(0, 1)
	lacks.Evicted = []results.StepEviction{{Sequence: 30, Tokens: 96, Reason: "blocks"}}
	lacks.Preempted = []results.StepPreemption{{Request: 2, Reason: "blocks", Blocks: 2, Tokens: 5}}
	lacks.Held = 1
	step(0, 2).Ended = []results.StepEnding{{Request: 0, Reason: "completed"}}
	again := step(3, 1)
	again.Admitted = []results.StepAdmission{{Request: 2, Tokens: 15, Cached: 12, Again: true}, {Request: 4, Tokens: 9}}
	again.Preempted = []results.StepPreemption{{Request: 4, Reason: "slot", Tokens: 0}}
	again.Error = results.Some("no slot for the batch;\nit has 4 rows")
	step(3, 1)
	step(0, 2).Ended = []results.StepEnding{{Request: 1, Reason: "cancelled"}, {Request: 5, Reason: "dropped before its start: expired"}}
	step(0, 1).Ended = []results.StepEnding{{Request: 2, Reason: "completed"}}

	refused := results.Record{
		Request: 3, Outcome: results.Shed, Reason: results.Some("too-late"), Intended: at(2.5), Sent: results.Some(at(2.5)),
		Ended: results.Some(at(2.5)), Admission: results.Some(results.Admission{Reason: "too-late"}),
	}
	last := refused
	last.Request, last.Intended, last.Sent, last.Ended = 6, at(20), results.Some(at(20)), results.Some(at(20))
	forced := taken(4, 2.25, results.Cancelled, "")
	forced.Admission.V.Forced, forced.Admission.V.Reason = true, "explore"
	s.records = []results.Record{
		last, refused, forced,
		taken(0, 0, results.Completed, "", 1.9, 3.9, 6.9),
		taken(1, 0, results.TimedOut, "", 1.9, 3.9, 8.5),
		taken(2, 1.5, results.Completed, "", 2.9, 3.9, 8.9, 10.9),
		taken(5, 3, results.Shed, "dropped before its start: expired"),
	}
	return s
}

// decide is Of of the script.
func (s scripted) decide(t testing.TB) Cell {
	c, err := Of(s.cell, s.records, s.steps)
	require.NoError(t, err)
	return c
}
