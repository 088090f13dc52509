package engine

import (
	"errors"

	"github.com/cadence-bench/cadence-bench/kv"
)

// compose fills the batch with rows. When nothing can have a row because decoding
// sequences lack blocks, one is preempted after all, until the others can go on:
// the last one always can, for a request that could never fit was refused.
func (s *Scheduler) compose() {
	for {
		stalled := s.fill()
		if len(s.batch.Rows) > 0 || !stalled {
			return
		}
		s.preempt(s.victim(anyOptimist), LacksBlocks)
		s.sweep()
	}
}

// fill adds the rows of a step, in the policy's order. It reports whether a
// decoding sequence has to go without one.
func (s *Scheduler) fill() (stalled bool) {
	if s.policy.DecodeFirst {
		stalled = s.planDecode()
		s.planPrefill()
		return stalled
	}
	if s.streak < s.policy.PrefillStreak {
		s.planPrefill()
	}
	if len(s.batch.Rows) == 0 {
		s.streak = 0
		stalled = s.planDecode()
		if len(s.batch.Rows) == 0 {
			s.planPrefill()
		}
		return stalled
	}
	for _, q := range s.running {
		if !q.prefilling() {
			s.streak++
			break
		}
	}
	return false
}

// planDecode adds one row for every sequence that is generating. Rows are added
// only when all room is found and all victims are gone, so that no victim has a
// row, and the going of one skips no other (vllm#23347).
func (s *Scheduler) planDecode() (stalled bool) {
	for _, q := range s.running {
		q.ready = false
		if q.running && !q.prefilling() {
			q.ready = s.makeRoom(q)
			stalled = stalled || q.running && !q.ready
		}
	}
	s.sweep()
	for _, q := range s.running {
		if q.ready {
			s.addRow(q, true)
		}
	}
	return stalled
}

// makeRoom finds the cell for a decoding sequence's next token, preempting others,
// or q itself, if it must and may.
func (s *Scheduler) makeRoom(q *sequence) bool {
	for q.running {
		if s.reserve(q, q.computed+1) {
			return true
		}
		v := s.victim(optimistAfterQuantum)
		if v == nil {
			return false
		}
		s.preempt(v, LacksBlocks)
	}
	return false
}

func (s *Scheduler) reserve(q *sequence, tokens int) bool {
	err := s.cache.Reserve(q.lease, tokens)
	if errors.Is(err, kv.ErrNoBlocks) {
		return false
	}
	ensure(err)
	return true
}

// planPrefill shares what is left of the step among prompts, oldest first.
func (s *Scheduler) planPrefill() {
	for _, q := range s.running {
		n := s.chunk(q)
		if n <= 0 || !s.reserve(q, q.computed+n) {
			continue
		}
		if !q.started {
			q.started = true
			s.started = append(s.started, Start{q.ID, q.cached})
		}
		s.prefill += n
		for range n {
			s.addRow(q, q.computed+q.planned+1 == q.target)
		}
	}
}

// chunk is how many rows q may have towards its target, at most 0 for none.
func (s *Scheduler) chunk(q *sequence) int {
	n := min(q.target-q.computed, s.policy.StepTokens-len(s.batch.Rows), s.policy.PrefillTokens-s.prefill)
	if s.policy.ChunkAlign == 0 {
		return s.tiled(n, q.target-q.computed)
	}
	whole := 1
	if left := len(q.Prompt) - q.computed; left > 0 {
		whole = min(left, s.policy.ChunkAlign)
	}
	if whole > n {
		return 0
	}
	return whole
}

func (s *Scheduler) addRow(q *sequence, output bool) {
	at := q.computed + q.planned
	s.batch.Rows = append(s.batch.Rows, Row{
		Token: q.tokens[at], Pos: int32(at), Seq: q.seq, Output: output, Sampling: q.Sampling,
	})
	if q.planned == 0 {
		s.members = append(s.members, q)
	}
	q.planned++
	if output {
		s.outputs = append(s.outputs, q)
	}
}
