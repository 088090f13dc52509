package cell

import (
	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/record"
	"github.com/cadence-bench/cadence-bench/results"
)

// DecisionRows are what is kept of a recorded cell. When q.Cached was asked for, all of
// a policy's arguments are in a row, so DecisionRows and Decisions undo each other as far
// as predictors go; of what the policy answered only the verdict is kept.
func DecisionRows(rows []record.Row) []results.DecisionRow {
	all := make([]results.DecisionRow, len(rows))
	for i := range rows {
		r, s, d := &rows[i].Request, &rows[i].Snapshot, &rows[i].Decision
		row := results.DecisionRow{
			Request: int32(r.ID), Class: r.Class, Arrived: r.Arrived, Deadline: r.Deadline,
			Prompt: int32(r.Prompt), Cached: int32(r.Cached), Max: int32(r.MaxTokens),
			At: s.Now, FreeKV: s.FreeKV, MaxBatch: int32(s.MaxBatch), StepLimit: int32(s.StepTokens),
			StepTime: s.StepTime, TokenRate: s.TokenRate, StepAge: s.StepAge,
			Queue: worksOf(s.Queue), Batch: worksOf(s.Batch),
			Admitted: d.Admit, Reason: d.Reason.String(), Regime: d.Regime.String(), Threshold: thresholdOf(&d.Threshold),
		}
		for _, st := range rows[i].Steps {
			row.Steps = append(row.Steps, results.DecisionStep{
				At: st.At, Duration: st.Duration, Prefill: int32(st.Prefill), Decode: int32(st.Decode),
				Seqs: int32(st.Seqs), Context: int32(st.Context), Copies: int32(st.Copies),
			})
		}
		if rows[i].Ended {
			o := &rows[i].Outcome
			row.Ended, row.Finished, row.Output = results.Some(o.At), results.Some(o.Finished), results.Some(int32(o.Output))
			row.Waited, row.Violated = results.Some(o.Waited), results.Some(o.Violated)
			row.Dropped, row.Aborted = results.Some(o.Dropped), results.Some(o.Aborted)
		}
		all[i] = row
	}
	return all
}

func worksOf(works []admission.Work) (all []results.DecisionWork) {
	for i := range works {
		w := &works[i]
		all = append(all, results.DecisionWork{
			Prefill: int32(w.Prefill), Context: int32(w.Context), Output: int32(w.Output), Max: int32(w.MaxTokens), Arrived: w.Arrived,
		})
	}
	return all
}

// Decisions are the rows of a decision trace as predictors take them.
func Decisions(rows []results.DecisionRow) []record.Row {
	all := make([]record.Row, len(rows))
	for i := range rows {
		r := &rows[i]
		slo := r.Deadline - r.Arrived
		row := record.Row{
			Request: admission.Request{
				ID: int(r.Request), Class: r.Class, Arrived: r.Arrived, Deadline: r.Deadline,
				Prompt: int(r.Prompt), Cached: int(r.Cached), MaxTokens: int(r.Max),
			},
			Snapshot: admission.Snapshot{
				Now: r.At, FreeKV: r.FreeKV, MaxBatch: int(r.MaxBatch), StepTokens: int(r.StepLimit),
				StepTime: r.StepTime, TokenRate: r.TokenRate, StepAge: r.StepAge,
			},
			Decision: admission.Decision{Admit: r.Admitted},
		}
		for _, into := range []struct {
			to   *[]admission.Work
			from []results.DecisionWork
		}{{&row.Snapshot.Queue, r.Queue}, {&row.Snapshot.Batch, r.Batch}} {
			for _, w := range into.from {
				*into.to = append(*into.to, admission.Work{
					Prefill: int(w.Prefill), Context: int(w.Context), Output: int(w.Output), MaxTokens: int(w.Max),
					Arrived: w.Arrived, Deadline: w.Arrived + slo,
				})
			}
		}
		row.Decision.Regime = row.Snapshot.Regime()
		for _, st := range r.Steps {
			row.Steps = append(row.Steps, admission.Step{
				At: st.At, Duration: st.Duration, Prefill: int(st.Prefill), Decode: int(st.Decode),
				Seqs: int(st.Seqs), Context: int(st.Context), Copies: int(st.Copies),
			})
		}
		if r.Ended.OK {
			row.Ended = true
			row.Outcome = admission.Outcome{
				Request: row.Request, Decision: row.Decision, At: r.Ended.V, Finished: r.Finished.V, Output: int(r.Output.V),
				Waited: r.Waited.V, Violated: r.Violated.V, Dropped: r.Dropped.V, Aborted: r.Aborted.V,
			}
			row.Outcome.Started = !r.Dropped.V && (r.Finished.V || r.Output.V > 0)
		}
		all[i] = row
	}
	return all
}
