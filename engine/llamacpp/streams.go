package llamacpp

import "github.com/cadence-bench/cadence-bench/engine"

// streams places sequences in the streams of a cache that is not unified.
//
// llama.cpp puts into one pass only rows of adjacent streams: 16 rows side by side
// took 14.4 ms with the 30M model, the same rows with one gap between them 22 ms.
// As requests come and go their sequences scatter. So which stream a sequence is in
// is decided here: those with rows take the lowest free stream, copies that nobody
// runs the highest, and when there is a gap among those with rows the last one
// moves into it, which costs a copy of one stream and pays within a step or two.
type streams struct {
	of   []int32 // sequence → stream, or none
	seq  []int32 // stream → sequence, or none
	busy []bool  // per stream: has rows in the batch at hand

	batch engine.Batch // the batch at hand, by streams
}

const none = -1

func newStreams(n int) *streams {
	s := &streams{of: make([]int32, n), seq: make([]int32, n), busy: make([]bool, n)}
	for i := range n {
		s.of[i], s.seq[i] = none, none
	}
	return s
}

// translate returns b, which has been checked, in terms of streams. From then on
// its edits count as made, in order. move allows sequences to be moved.
func (s *streams) translate(b *engine.Batch, move bool) *engine.Batch {
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

func (s *streams) edit(op engine.Op, rows []engine.Row) {
	if op.Kind == engine.OpCopy {
		if s.of[op.Src] == none {
			op = engine.Op{Kind: engine.OpRemove, Seq: op.Seq, To: -1}
		} else {
			s.emit(engine.Op{Kind: engine.OpCopy, Src: s.of[op.Src], Seq: s.place(op.Seq, hasRows(rows, op.Seq))})
			return
		}
	}
	stream := s.of[op.Seq]
	if stream == none {
		return
	}
	if op.From <= 0 && op.To < 0 {
		s.of[op.Seq], s.seq[stream] = none, none
	}
	op.Seq = stream
	s.emit(op)
}

func (s *streams) emit(op engine.Op) { s.batch.Ops = append(s.batch.Ops, op) }

func hasRows(rows []engine.Row, seq engine.SeqID) bool {
	for i := range rows {
		if rows[i].Seq == seq {
			return true
		}
	}
	return false
}

// place returns the stream of a sequence, the lowest or the highest free one if it
// had none. There are as many streams as sequences, so one is free.
func (s *streams) place(seq engine.SeqID, low bool) int32 {
	if s.of[seq] == none {
		stream := s.free(low)
		s.of[seq], s.seq[stream] = stream, seq
	}
	return s.of[seq]
}

func (s *streams) free(low bool) int32 {
	for i := range s.seq {
		if !low {
			i = len(s.seq) - 1 - i
		}
		if s.seq[i] == none {
			return int32(i)
		}
	}
	return none
}

// closeGap moves the last sequence with rows into a gap among them: a free stream
// if there is one, else one whose idle sequence can move away from among them.
func (s *streams) closeGap() {
	first, last := 0, len(s.busy)-1
	for first < last && !s.busy[first] {
		first++
	}
	for last > first && !s.busy[last] {
		last--
	}
	gap := -1
	for i := first; i < last; i++ {
		if s.seq[i] == none {
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
	if out := s.free(false); out != none {
		s.move(int32(gap), out)
		s.move(int32(last), int32(gap))
	}
}

// move puts the sequence of one stream into another, free one.
func (s *streams) move(from, to int32) {
	s.emit(engine.Op{Kind: engine.OpCopy, Src: from, Seq: to})
	s.emit(engine.Op{Kind: engine.OpRemove, Seq: from, To: -1})
	seq := s.seq[from]
	s.of[seq], s.seq[to], s.seq[from] = to, seq, none
}
