package cell

import (
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/results"
)

// StepTrace collects the steps of an engine as rows.
type StepTrace struct {
	BlockTokens int // of the engine's KV cache
	Steps       []results.StepRow
}

// Add is an engine's OnStep. The engine reuses what it passes, so everything is copied.
func (t *StepTrace) Add(s *engine.StepInfo) {
	row := results.StepRow{
		Step: int64(s.Index), Start: s.Start, End: s.End, Committed: s.Committed, Model: s.Model, Host: s.Host,
		Rows: int32(s.Rows), PrefillRows: int32(s.Prefill), DecodeRows: int32(s.Decode), OutputRows: int32(s.Outputs),
		Sequences: int32(s.Seqs), Copies: int32(s.Copies), Removes: int32(s.Removes),
		Waiting: int32(s.Waiting), Held: int32(s.Held), Running: int32(s.Running),
		BlockTokens: int32(t.BlockTokens), FreeBlocks: int32(s.KV.Free), CachedBlocks: int32(s.KV.Cached),
		HeldBlocks: int32(s.KV.Held), PromisedBlocks: int32(s.KV.Promised),
		EvictedTokens: int64(s.Evicted),
	}
	if s.Err != nil {
		row.Error = results.Some(s.Err.Error())
	}
	if s.Use.Known {
		row.Cells, row.TopCell = results.Some(int32(s.Use.Cells)), results.Some(int32(s.Use.Top))
	}
	for _, e := range s.Evictions {
		row.Evicted = append(row.Evicted, results.StepEviction{Sequence: e.Seq, Tokens: e.Tokens, Reason: e.Reason.String()})
	}
	for _, a := range s.Joined {
		row.Admitted = append(row.Admitted, results.StepAdmission{Request: int32(a.ID), Tokens: int32(a.Tokens), Cached: int32(a.Hit), Again: a.Resumed})
	}
	for _, p := range s.Preempted {
		row.Preempted = append(row.Preempted, results.StepPreemption{
			Request: int32(p.ID), Reason: p.Reason.String(), Blocks: int32(p.Blocks), Tokens: int32(p.Tokens)})
	}
	for _, e := range s.Ended {
		outcome, reason := outcomeOf(e.Err)
		if reason == "" {
			reason = string(outcome)
		}
		row.Ended = append(row.Ended, results.StepEnding{Request: int32(e.ID), Reason: reason})
	}
	t.Steps = append(t.Steps, row)
}

// since makes the steps' times those since the start of the load, as the records' are:
// the loop has been running for a moment when the first arrival falls due.
func (t *StepTrace) since(start time.Duration) {
	for i := range t.Steps {
		s := &t.Steps[i]
		s.Start, s.End, s.Committed = s.Start-start, s.End-start, s.Committed-start
	}
}
