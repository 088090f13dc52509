package results

import (
	"slices"
	"time"
)

// decisionTable is the file of a decision trace: a row is a decision. Nothing is
// checked: predictors are fitted on it, and no figure of a report comes from it.
var decisionTable = table[DecisionRow]{
	name: "decisions", key: "cadence.decisions", what: "a decision trace",
	columns: slices.Concat(cellColumns[DecisionRow](), decisionColumns),
	weight:  func(d *DecisionRow) int { return max(len(d.Queue), len(d.Batch), len(d.Steps)) },
	check:   func([]DecisionRow) []string { return nil },
}

// decisionColumns follow the cell's in a decision trace.
var decisionColumns = []column[DecisionRow]{
	{Column{"request", Int32, "", "", "index of the request in the tape"},
		required(func(d *DecisionRow) *int32 { return &d.Request }, same, same), true},
	{Column{"class", String, "", "", "workload class"},
		required(func(d *DecisionRow) *string { return &d.Class }, text, unText[string]), false},
	{Column{"arrived_ns", Int64, "ns", "", "its intended arrival; all times are on the engine's clock, which starts a moment before the load"},
		required(func(d *DecisionRow) *time.Duration { return &d.Arrived }, ns, duration), true},
	{Column{"deadline_ns", Int64, "ns", "", "arrived_ns and the SLO"},
		required(func(d *DecisionRow) *time.Duration { return &d.Deadline }, ns, duration), true},
	{Column{"prompt_tokens", Int32, "tokens", "", "length of the prompt"},
		required(func(d *DecisionRow) *int32 { return &d.Prompt }, same, same), false},
	{Column{"cached_tokens", Int32, "tokens", "", "those of them that the prefix cache held"},
		required(func(d *DecisionRow) *int32 { return &d.Cached }, same, same), false},
	{Column{"max_tokens", Int32, "tokens", "", "output length that the client asked for at most"},
		required(func(d *DecisionRow) *int32 { return &d.Max }, same, same), false},
	{Column{"decided_ns", Int64, "ns", "", "when the policy was asked"},
		required(func(d *DecisionRow) *time.Duration { return &d.At }, ns, duration), true},
	{Column{"free_kv", Double, "", "", "share of the KV cells that the request could have had"},
		required(func(d *DecisionRow) *float64 { return &d.FreeKV }, same, same), false},
	{Column{"max_batch", Int32, "", "", "requests that run at once at most"},
		required(func(d *DecisionRow) *int32 { return &d.MaxBatch }, same, same), false},
	{Column{"step_tokens", Int32, "tokens", "", "rows of a step at most"},
		required(func(d *DecisionRow) *int32 { return &d.StepLimit }, same, same), false},
	{Column{"step_time_ns", Int64, "ns", "", "moving average of a step's duration; 0 before the first"},
		required(func(d *DecisionRow) *time.Duration { return &d.StepTime }, ns, duration), true},
	{Column{"token_rate", Double, "tokens/s", "", "moving average of output tokens per second while the engine is busy"},
		required(func(d *DecisionRow) *float64 { return &d.TokenRate }, same, same), false},
	{Column{"step_age_ns", Int64, "ns", "", "how long the step in flight had been running; 0 when none was"},
		required(func(d *DecisionRow) *time.Duration { return &d.StepAge }, ns, duration), true},
	{Column{"queued_prefill_tokens", Int32List, "tokens", "", "for each of the requests that waited, in the order in which they would start: prompt tokens still to be computed"},
		list(queuedWork, func(w *DecisionWork) *int32 { return &w.Prefill }, same, same), false},
	{Column{"queued_context_tokens", Int32List, "tokens", "", "for each of queued_prefill_tokens: tokens that its cells held"},
		beside(queuedWork, func(w *DecisionWork) *int32 { return &w.Context }, same, same), false},
	{Column{"queued_output_tokens", Int32List, "tokens", "", "for each of queued_prefill_tokens: tokens that it had been given"},
		beside(queuedWork, func(w *DecisionWork) *int32 { return &w.Output }, same, same), false},
	{Column{"queued_max_tokens", Int32List, "tokens", "", "for each of queued_prefill_tokens: its limit"},
		beside(queuedWork, func(w *DecisionWork) *int32 { return &w.Max }, same, same), false},
	{Column{"queued_arrived_ns", Int64List, "ns", "", "for each of queued_prefill_tokens: its intended arrival"},
		beside(queuedWork, func(w *DecisionWork) *time.Duration { return &w.Arrived }, ns, duration), true},
	{Column{"running_prefill_tokens", Int32List, "tokens", "", "for each of the requests that ran, in the order in which they started: prompt tokens still to be computed"},
		list(runningWork, func(w *DecisionWork) *int32 { return &w.Prefill }, same, same), false},
	{Column{"running_context_tokens", Int32List, "tokens", "", "for each of running_prefill_tokens: tokens that its cells held"},
		beside(runningWork, func(w *DecisionWork) *int32 { return &w.Context }, same, same), false},
	{Column{"running_output_tokens", Int32List, "tokens", "", "for each of running_prefill_tokens: tokens that it had been given"},
		beside(runningWork, func(w *DecisionWork) *int32 { return &w.Output }, same, same), false},
	{Column{"running_max_tokens", Int32List, "tokens", "", "for each of running_prefill_tokens: its limit"},
		beside(runningWork, func(w *DecisionWork) *int32 { return &w.Max }, same, same), false},
	{Column{"running_arrived_ns", Int64List, "ns", "", "for each of running_prefill_tokens: its intended arrival"},
		beside(runningWork, func(w *DecisionWork) *time.Duration { return &w.Arrived }, ns, duration), true},
	{Column{"step_end_ns", Int64List, "ns", "", "for each step that ended since the decision before: when"},
		list(decisionSteps, func(s *DecisionStep) *time.Duration { return &s.At }, ns, duration), true},
	{Column{"step_ns", Int64List, "ns", "", "for each of step_end_ns: how long it took"},
		beside(decisionSteps, func(s *DecisionStep) *time.Duration { return &s.Duration }, ns, duration), true},
	{Column{"step_prefill_rows", Int32List, "", "", "for each of step_end_ns: rows of prompts"},
		beside(decisionSteps, func(s *DecisionStep) *int32 { return &s.Prefill }, same, same), false},
	{Column{"step_decode_rows", Int32List, "", "", "for each of step_end_ns: rows of output"},
		beside(decisionSteps, func(s *DecisionStep) *int32 { return &s.Decode }, same, same), false},
	{Column{"step_sequences", Int32List, "", "", "for each of step_end_ns: sequences that had rows"},
		beside(decisionSteps, func(s *DecisionStep) *int32 { return &s.Seqs }, same, same), false},
	{Column{"step_context_tokens", Int32List, "tokens", "", "for each of step_end_ns: tokens that their cells held"},
		beside(decisionSteps, func(s *DecisionStep) *int32 { return &s.Context }, same, same), false},
	{Column{"step_copies", Int32List, "", "", "for each of step_end_ns: copies of sequences"},
		beside(decisionSteps, func(s *DecisionStep) *int32 { return &s.Copies }, same, same), false},
	{Column{"admitted", Bool, "", "", "the policy took it"},
		required(func(d *DecisionRow) *bool { return &d.Admitted }, same, same), false},
	{Column{"reason", String, "", "", "why, as admission of a cell file"},
		required(func(d *DecisionRow) *string { return &d.Reason }, text, unText[string]), false},
	{Column{"regime", String, "", "", "how loaded the engine was: idle, partial or queued"},
		required(func(d *DecisionRow) *string { return &d.Regime }, text, unText[string]), false},
	{Column{"theta", Double, "", noDecisionTheta, "as theta of a cell file, as are the next three"},
		thresholdField(func(g *AdmissionThreshold) *float64 { return &g.Theta }, same, same), false},
	{Column{"theta_at", String, "", "as theta", "where θ stood: least, interior or most"},
		thresholdField(func(g *AdmissionThreshold) *string { return &g.At }, text, unText[string]), false},
	{Column{"threshold", Double, "", "as theta", "what was in force in place of θ"},
		thresholdField(func(g *AdmissionThreshold) *float64 { return &g.Threshold }, same, same), false},
	{Column{"refused_by", String, "", "as theta", "what its chance did not pass; empty if it passed"},
		thresholdField(func(g *AdmissionThreshold) *string { return &g.RefusedBy }, text, unText[string]), false},
	{Column{"ended_ns", Int64, "ns", "it was refused, or never ended", "when it ended"},
		nullable(func(d *DecisionRow) *Opt[time.Duration] { return &d.Ended }, ns, duration), true},
	{Column{"finished", Bool, "", "as ended_ns", "it reached its natural end: only then is ended_ns that of the whole answer"},
		nullable(func(d *DecisionRow) *Opt[bool] { return &d.Finished }, same, same), false},
	{Column{"output_tokens", Int32, "tokens", "as ended_ns", "tokens that it was given"},
		nullable(func(d *DecisionRow) *Opt[int32] { return &d.Output }, same, same), false},
	{Column{"waited_ns", Int64, "ns", "as ended_ns", "from its arrival to its start or, if it never started, its end"},
		nullable(func(d *DecisionRow) *Opt[time.Duration] { return &d.Waited }, ns, duration), true},
	{Column{"violated", Bool, "", "as ended_ns", "it did not end within its SLO"},
		nullable(func(d *DecisionRow) *Opt[bool] { return &d.Violated }, same, same), false},
	{Column{"dropped", Bool, "", "as ended_ns", "the policy turned it away before its start"},
		nullable(func(d *DecisionRow) *Opt[bool] { return &d.Dropped }, same, same), false},
	{Column{"aborted", Bool, "", "as ended_ns", "the policy ended it while it ran"},
		nullable(func(d *DecisionRow) *Opt[bool] { return &d.Aborted }, same, same), false},
}

const noDecisionTheta = "the policy moves no threshold or had nothing yet to hold against it, or the file is older than the column"

// thresholdField stores a field of DecisionRow.Threshold, null where that is.
func thresholdField[P, F any](field func(*AdmissionThreshold) *F, to func(F) P, from func(P) F) codec[DecisionRow] {
	return columnCodec[DecisionRow, P]{
		get:      func(_ *Cell, d *DecisionRow) (P, bool) { return to(*field(&d.Threshold.V)), d.Threshold.OK },
		set:      func(d *DecisionRow, v P) { d.Threshold.OK, *field(&d.Threshold.V) = true, from(v) },
		nullable: true,
	}
}

func queuedWork(d *DecisionRow) *[]DecisionWork    { return &d.Queue }
func runningWork(d *DecisionRow) *[]DecisionWork   { return &d.Batch }
func decisionSteps(d *DecisionRow) *[]DecisionStep { return &d.Steps }

// DecisionColumns returns the column dictionary of decision traces, in the files' order.
func DecisionColumns() []Column { return decisionTable.docs() }
