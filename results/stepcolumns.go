package results

import (
	"slices"
	"time"
)

// stepTable is the file of a step trace: a row is a step. Nothing is checked: it is
// for looking into a cell, and no figure of a report comes from it.
var stepTable = table[StepRow]{
	name: "steps", key: "cadence.steps", what: "a step trace",
	columns: slices.Concat(cellColumns[StepRow](), stepColumns),
	added:   append([]string{"evicted", "evicted_run_tokens", "evicted_reason"}, addedCellColumns...),
	weight:  func(s *StepRow) int { return max(len(s.Evicted), len(s.Admitted), len(s.Preempted), len(s.Ended)) },
	check:   func([]StepRow) []string { return nil },
}

// stepColumns follow the cell's in a step trace.
var stepColumns = []column[StepRow]{
	{Column{"step", Int64, "", "", "index of the step, from 0; those that the backend refused count too"},
		required(func(s *StepRow) *int64 { return &s.Step }, same, same), true},
	{Column{"start_ns", Int64, "ns", "", "when it was planned, since the start of the load, as in a cell file"},
		required(func(s *StepRow) *time.Duration { return &s.Start }, ns, duration), true},
	{Column{"end_ns", Int64, "ns", "", "when its tokens were ready"},
		required(func(s *StepRow) *time.Duration { return &s.End }, ns, duration), true},
	{Column{"committed_ns", Int64, "ns", "", "when the event loop took them; what comes next, the plan of the next step included, was decided then"},
		required(func(s *StepRow) *time.Duration { return &s.Committed }, ns, duration), true},
	{Column{"model_ns", Int64, "ns", "", "time inside the forward pass"},
		required(func(s *StepRow) *time.Duration { return &s.Model }, ns, duration), true},
	{Column{"host_ns", Int64, "ns", "", "the rest of the backend's time: building the batch, sampling"},
		required(func(s *StepRow) *time.Duration { return &s.Host }, ns, duration), true},
	{Column{"error", String, "", "its rows were computed", "why none of its rows was computed"},
		nullable(func(s *StepRow) *Opt[string] { return &s.Error }, text, unText[string]), false},

	{Column{"rows", Int32, "", "", "rows (tokens put through the model): prefill_rows and decode_rows together"},
		required(func(s *StepRow) *int32 { return &s.Rows }, same, same), false},
	{Column{"prefill_rows", Int32, "", "", "rows of prompts, and of output that is computed again after a preemption"},
		required(func(s *StepRow) *int32 { return &s.PrefillRows }, same, same), false},
	{Column{"decode_rows", Int32, "", "", "rows of output"},
		required(func(s *StepRow) *int32 { return &s.DecodeRows }, same, same), false},
	{Column{"output_rows", Int32, "", "", "rows that give a token"},
		required(func(s *StepRow) *int32 { return &s.OutputRows }, same, same), false},
	{Column{"sequences", Int32, "", "", "sequences that have rows"},
		required(func(s *StepRow) *int32 { return &s.Sequences }, same, same), false},
	{Column{"copies", Int32, "", "", "copies of sequences, made before the rows"},
		required(func(s *StepRow) *int32 { return &s.Copies }, same, same), false},
	{Column{"removes", Int32, "", "", "removals of sequences or of their tails, made before the rows"},
		required(func(s *StepRow) *int32 { return &s.Removes }, same, same), false},

	{Column{"waiting", Int32, "", "", "requests in the queue after the step, as are all counts that follow; those held back are among them"},
		required(func(s *StepRow) *int32 { return &s.Waiting }, same, same), false},
	{Column{"held", Int32, "", "", "requests held back for a prefix that another one computes"},
		required(func(s *StepRow) *int32 { return &s.Held }, same, same), false},
	{Column{"running", Int32, "", "", "requests in the batch"},
		required(func(s *StepRow) *int32 { return &s.Running }, same, same), false},

	{Column{"block_tokens", Int32, "tokens", "", "size of a KV block"},
		required(func(s *StepRow) *int32 { return &s.BlockTokens }, same, same), false},
	{Column{"free_blocks", Int32, "blocks", "", "KV blocks that hold nothing; with cached_blocks and held_blocks it makes the pool"},
		required(func(s *StepRow) *int32 { return &s.FreeBlocks }, same, same), false},
	{Column{"cached_blocks", Int32, "blocks", "", "KV blocks that only the prefix cache holds, and that eviction can free"},
		required(func(s *StepRow) *int32 { return &s.CachedBlocks }, same, same), false},
	{Column{"held_blocks", Int32, "blocks", "", "KV blocks that running requests hold"},
		required(func(s *StepRow) *int32 { return &s.HeldBlocks }, same, same), false},
	{Column{"promised_blocks", Int32, "blocks", "", "free or cached KV blocks that running requests have been promised"},
		required(func(s *StepRow) *int32 { return &s.PromisedBlocks }, same, same), false},
	{Column{"evicted_tokens", Int64, "tokens", "", "cached tokens given up since the step before: the sum of evicted_run_tokens"},
		required(func(s *StepRow) *int64 { return &s.EvictedTokens }, same, same), false},
	{Column{"cells", Int32, "", "the backend does not tell: llama.cpp with one cache for all sequences", "KV cells of the backend that are in use after the step; blocks given back when its tokens had been given out are still among them, their removals come with the next step"},
		nullable(func(s *StepRow) *Opt[int32] { return &s.Cells }, same, same), false},
	{Column{"top_cell", Int32, "", "cells is null", "one more than the highest KV cell in use; with a stream per sequence, the highest among those of the step"},
		nullable(func(s *StepRow) *Opt[int32] { return &s.TopCell }, same, same), false},
	{Column{"width_cells", Int32, "", "top_cell is null, or the step computed nothing", "KV cells that attention went over: top_cell up to the next multiple of 256"},
		derived((*StepRow).Width, same), false},

	{Column{"evicted", Int32List, "", "", "for each run of cached tokens given up since the step before, in order: the idle sequence that had it"},
		list(evicted, func(e *StepEviction) *int32 { return &e.Sequence }, same, same), false},
	{Column{"evicted_run_tokens", Int32List, "tokens", "", "for each of evicted: tokens of the run"},
		beside(evicted, func(e *StepEviction) *int32 { return &e.Tokens }, same, same), false},
	{Column{"evicted_reason", StringList, "", "", "for each of evicted: what it made room for: blocks of a request, a sequence id (sequence), blocks of a published copy (copy), the bound on what is kept (bound), or a step for which the backend had no slot (demand)"},
		beside(evicted, func(e *StepEviction) *string { return &e.Reason }, text, unText[string]), false},

	{Column{"admitted", Int32List, "", "", "requests (indices in the tape) that the step admitted, in order"},
		list(admitted, func(a *StepAdmission) *int32 { return &a.Request }, same, same), false},
	{Column{"admitted_tokens", Int32List, "tokens", "", "for each of admitted: length of its prompt; after a preemption, with the output so far"},
		beside(admitted, func(a *StepAdmission) *int32 { return &a.Tokens }, same, same), false},
	{Column{"admitted_cached_tokens", Int32List, "tokens", "", "for each of admitted: those of admitted_tokens that the prefix cache had"},
		beside(admitted, func(a *StepAdmission) *int32 { return &a.Cached }, same, same), false},
	{Column{"admitted_again", BoolList, "", "", "for each of admitted: it was preempted before, so that what was cached is not a hit"},
		beside(admitted, func(a *StepAdmission) *bool { return &a.Again }, same, same), false},

	{Column{"preempted", Int32List, "", "", "requests that the step took out of the batch, to be computed again later"},
		list(preempted, func(p *StepPreemption) *int32 { return &p.Request }, same, same), false},
	{Column{"preempted_reason", StringList, "", "", "for each of preempted: what was lacking"},
		beside(preempted, func(p *StepPreemption) *string { return &p.Reason }, text, unText[string]), false},
	{Column{"preempted_blocks", Int32List, "blocks", "", "for each of preempted: KV blocks that it made available"},
		beside(preempted, func(p *StepPreemption) *int32 { return &p.Blocks }, same, same), false},
	{Column{"preempted_tokens", Int32List, "tokens", "", "for each of preempted: its computed tokens that no other request holds"},
		beside(preempted, func(p *StepPreemption) *int32 { return &p.Tokens }, same, same), false},

	{Column{"ended", Int32List, "", "", "requests that ended since the step before, in order; those refused on arrival are not among them"},
		list(ended, func(e *StepEnding) *int32 { return &e.Request }, same, same), false},
	{Column{"ended_reason", StringList, "", "", "for each of ended: completed (it reached its stop or its token limit), or what ended it before"},
		beside(ended, func(e *StepEnding) *string { return &e.Reason }, text, unText[string]), false},
}

func evicted(s *StepRow) *[]StepEviction     { return &s.Evicted }
func admitted(s *StepRow) *[]StepAdmission   { return &s.Admitted }
func preempted(s *StepRow) *[]StepPreemption { return &s.Preempted }
func ended(s *StepRow) *[]StepEnding         { return &s.Ended }

// StepColumns returns the column dictionary of step traces, in the files' order.
func StepColumns() []Column { return stepTable.docs() }
