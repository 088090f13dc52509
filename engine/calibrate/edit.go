package calibrate

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/engine"
)

// The edits and rows of which scripts are made.

// extend adds n rows to a sequence; the last of them asks for a token.
func (s *script) extend(seq, n int) {
	for i := range n {
		pos := s.held[seq] + i
		s.rows = append(s.rows, engine.Row{
			Token: engine.Token((pos*7919 + seq*131 + 11) % s.lim.Vocab), Pos: int32(pos), Seq: engine.SeqID(seq), Output: i == n-1,
		})
	}
	s.held[seq] += n
}

// cut drops the cells of a sequence from a position on.
func (s *script) cut(seq, from int) {
	if s.held[seq] > from {
		s.ops = append(s.ops, engine.Op{Kind: engine.OpRemove, Seq: engine.SeqID(seq), From: int32(from), To: -1})
		s.held[seq] = from
	}
}

// copyBase makes a sequence the beginning of the base.
func (s *script) copyBase(seq, depth int) {
	s.cut(seq, 0)
	s.ops = append(s.ops, engine.Op{Kind: engine.OpCopy, Seq: engine.SeqID(seq), Src: 0})
	s.held[seq] = s.held[0]
	s.cut(seq, depth)
}

// emit ends a step. Edits of a step without rows wait for the next one with some, as
// a backend may do itself: llama.cpp copies streams in the next forward pass.
func (s *script) emit(kind Kind, point string, args ...any) {
	if len(s.rows) == 0 {
		return
	}
	s.steps = append(s.steps, Step{
		Label: Label{Kind: kind, Round: s.round, Point: fmt.Sprintf(point, args...)},
		Batch: engine.Batch{Ops: slices.Clone(s.ops), Rows: slices.Clone(s.rows)},
	})
	s.ops, s.rows = s.ops[:0], s.rows[:0]
}
