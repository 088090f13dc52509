// Package streams decides which stream of a KV cache that is not unified a sequence
// lies in. llama.cpp's backend and the model-free one share it, so that both make the
// same passes of a step.
package streams

import "github.com/cadence-bench/cadence-bench/engine"

// Map places sequences in the streams of a cache that is not unified.
//
// llama.cpp puts into one pass only rows of adjacent streams: 16 rows side by side
// took 14.4 ms with the 30M model, the same rows with one gap between them 22 ms.
// As requests come and go their sequences scatter. So which stream a sequence is in
// is decided here: those with rows take the lowest free stream, copies that nobody
// runs the highest, and when there is a gap among those with rows the last one
// moves into it, which costs a copy of one stream and pays within a step or two.
type Map struct {
	of   []int32 // sequence → stream, or None
	seq  []int32 // stream → sequence, or None
	busy []bool  // per stream: has rows in the batch at hand

	batch engine.Batch // the batch at hand, by streams
}

// None is no stream.
const None = -1

// New returns a Map of n streams for n sequences, all of them empty.
func New(n int) *Map {
	s := &Map{of: make([]int32, n), seq: make([]int32, n), busy: make([]bool, n)}
	for i := range n {
		s.of[i], s.seq[i] = None, None
	}
	return s
}

// Of gives the stream of a sequence, or None for one that is empty.
func (s *Map) Of(seq engine.SeqID) int32 { return s.of[seq] }

// Translate returns b, which has been checked, in terms of streams. From then on
// its edits count as made, in order. move allows sequences to be moved. The result is
// valid until the next call.
func (s *Map) Translate(b *engine.Batch, move bool) *engine.Batch {
	s.batch.Ops, s.batch.Rows = s.batch.Ops[:0], s.batch.Rows[:0]
	for i := range b.Ops {
		s.edit(b.Ops[i], b.Rows)
	}
	clear(s.busy)
	for i := range b.Rows {
		s.busy[s.place(b.Rows[i].Seq, true)] = true
	}
	if move {
		s.closeGap()
	}
	for i := range b.Rows {
		row := b.Rows[i]
		row.Seq = s.of[row.Seq]
		s.batch.Rows = append(s.batch.Rows, row)
	}
	return &s.batch
}

func (s *Map) edit(op engine.Op, rows []engine.Row) {
	if op.Kind == engine.OpCopy {
		if s.of[op.Src] == None {
			op = engine.Op{Kind: engine.OpRemove, Seq: op.Seq, To: -1}
		} else {
			s.emit(engine.Op{Kind: engine.OpCopy, Src: s.of[op.Src], Seq: s.place(op.Seq, hasRows(rows, op.Seq))})
			return
		}
	}
	stream := s.of[op.Seq]
	if stream == None {
		return
	}
	if op.From <= 0 && op.To < 0 {
		s.of[op.Seq], s.seq[stream] = None, None
	}
	op.Seq = stream
	s.emit(op)
}

func (s *Map) emit(op engine.Op) { s.batch.Ops = append(s.batch.Ops, op) }

func hasRows(rows []engine.Row, seq engine.SeqID) bool {
	for i := range rows {
		if rows[i].Seq == seq {
			return true
		}
	}
	return false
}

// place returns the stream of a sequence, the lowest or the highest free one if it
// had None. There are as many streams as sequences, so one is free.
func (s *Map) place(seq engine.SeqID, low bool) int32 {
	if s.of[seq] == None {
		stream := s.free(low)
		s.of[seq], s.seq[stream] = stream, seq
	}
	return s.of[seq]
}

func (s *Map) free(low bool) int32 {
	for i := range s.seq {
		if !low {
			i = len(s.seq) - 1 - i
		}
		if s.seq[i] == None {
			return int32(i)
		}
	}
	return None
}

// closeGap moves the last sequence with rows into a gap among them: a free stream
// if there is one, else one whose idle sequence can move away from among them.
func (s *Map) closeGap() {
	first, last := 0, len(s.busy)-1
	for first < last && !s.busy[first] {
		first++
	}
	for last > first && !s.busy[last] {
		last--
	}
	gap := -1
	for i := first; i < last; i++ {
		if s.seq[i] == None {
			s.move(int32(last), int32(i))
			return
		}
		if gap < 0 && !s.busy[i] {
			gap = i
		}
	}
	if gap < 0 {
		return
	}
	if out := s.free(false); out != None {
		s.move(int32(gap), out)
		s.move(int32(last), int32(gap))
	}
}

// move puts the sequence of one stream into another, free one.
func (s *Map) move(from, to int32) {
	s.emit(engine.Op{Kind: engine.OpCopy, Src: from, Seq: to})
	s.emit(engine.Op{Kind: engine.OpRemove, Seq: from, To: -1})
	seq := s.seq[from]
	s.of[seq], s.seq[to], s.seq[from] = to, seq, None
}
