// Package streams decides which stream of a KV cache that is not unified a sequence
// lies in, so that every step's rows lie in adjacent streams. llama.cpp's backend and
// the model-free one share it, so that both make the same passes of a step.
package streams

import "github.com/cadence-bench/cadence-bench/engine"

// Map places sequences in the streams of a cache that is not unified.
//
// llama.cpp puts into one pass only rows of adjacent streams: 24 rows side by side
// took 21 ms with the 30M model on two threads, the same rows with idle sequences
// between them 58. As requests come and go their sequences scatter, and the cached
// prefixes of those that went lie between those that run. So the Map keeps the
// sequences with rows adjacent: a new one takes the lowest place among them, and
// whoever lies idle there moves out of the way; where one has gone, the sequences
// close up. A move copies one stream, 1.3 ms, once; a pass more costs at least 3.4
// ms in every step that the sequence runs on, so a gap is never left.
type Map struct {
	of   []int32 // sequence → stream, or None
	seq  []int32 // stream → sequence, or None
	rows []int32 // per sequence: rows in the batch at hand

	batch engine.Batch // the batch at hand, by streams
}

// None is no stream.
const None = -1

// Spare is how many more streams a cache has than sequences: one that is always free,
// so that a sequence can be moved however many are in use.
const Spare = 1

// New returns a Map of n sequences, all of them empty, and n+Spare streams.
func New(n int) *Map {
	s := &Map{of: make([]int32, n), seq: make([]int32, n+Spare), rows: make([]int32, n)}
	for i := range s.of {
		s.of[i] = None
	}
	for i := range s.seq {
		s.seq[i] = None
	}
	return s
}

// Of gives the stream of a sequence, or None for one that is empty.
func (s *Map) Of(seq engine.SeqID) int32 { return s.of[seq] }

// Translate returns b, which has been checked, in terms of streams. From then on
// its edits count as made, in order. move allows sequences to be moved: the rows of a
// step in which somebody decodes are then of adjacent streams. (One with nothing but
// prompts has no steps like it to come.) The result is valid until the next call.
func (s *Map) Translate(b *engine.Batch, move bool) *engine.Batch {
	s.batch.Ops, s.batch.Rows = s.batch.Ops[:0], s.batch.Rows[:0]
	running, decoding := s.count(b.Rows)
	room := running // the streams that those who run should be in
	if !move || decoding == 0 {
		room = 0
	}
	for i := range b.Ops {
		s.edit(b.Ops[i], room)
	}
	for i := range b.Rows {
		s.place(b.Rows[i].Seq, room)
	}
	if room > 0 {
		s.gather(running)
	}
	for i := range b.Rows {
		row := b.Rows[i]
		row.Seq = s.of[row.Seq]
		s.batch.Rows = append(s.batch.Rows, row)
	}
	return &s.batch
}

// count notes how many rows each sequence has. It returns how many have any, and how many
// have one, as those do that decode.
func (s *Map) count(rows []engine.Row) (running, decoding int32) {
	clear(s.rows)
	for i := range rows {
		s.rows[rows[i].Seq]++
		switch s.rows[rows[i].Seq] {
		case 1:
			running, decoding = running+1, decoding+1
		case 2:
			decoding--
		}
	}
	return running, decoding
}

func (s *Map) edit(op engine.Op, room int32) {
	if op.Kind == engine.OpCopy {
		if s.of[op.Src] == None {
			op = engine.Op{Kind: engine.OpRemove, Seq: op.Seq, To: -1}
		} else {
			to := s.place(op.Seq, room) // before the source, which may have to make way
			s.emit(engine.Op{Kind: engine.OpCopy, Src: s.of[op.Src], Seq: to})
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

// place returns the stream of a sequence. One that had None gets the lowest free
// stream if it has rows, else the highest. Below room, a sequence with rows sends away
// whoever has none.
func (s *Map) place(seq engine.SeqID, room int32) int32 {
	if s.of[seq] != None {
		return s.of[seq]
	}
	stream := s.highestFree()
	if s.rows[seq] > 0 {
		for i, at := range s.seq {
			if at == None {
				stream = int32(i)
				break
			}
			if int32(i) < room && s.rows[at] == 0 {
				s.move(int32(i), stream)
				stream = int32(i)
				break
			}
		}
	}
	s.of[seq], s.seq[stream] = stream, seq
	return stream
}

// highestFree is the last free stream. There is one: there are more streams than
// sequences.
func (s *Map) highestFree() int32 {
	i := int32(len(s.seq) - 1)
	for s.seq[i] != None {
		i--
	}
	return i
}

// gather makes the sequences with rows adjacent, by the fewest copies: within the run
// of streams in which most of them are already, and the fewest that lie idle.
func (s *Map) gather(running int32) {
	first := s.cheapest(running)
	end := first + running
	inside := func(i int32) bool { return i >= first && i < end }
	// Free streams are filled first, which frees one elsewhere for the idle to go to.
	for _, idle := range [...]bool{false, true} {
		from := int32(0)
		for to := first; to < end; to++ {
			if at := s.seq[to]; at != None && (!idle || s.rows[at] > 0) {
				continue
			}
			for inside(from) || !s.runs(from) {
				from++
			}
			if idle {
				s.move(to, s.highestFree())
			}
			s.move(from, to)
		}
	}
}

// cheapest is the first of the run of streams that costs the fewest copies to fill with
// those who run, the lowest among equals.
func (s *Map) cheapest(running int32) int32 {
	cost := running // one copy into each stream that has no rows, one more out of it if it is idle
	best, first := int32(1<<30), int32(0)
	for end := range int32(len(s.seq)) {
		cost += s.price(end)
		if start := end - running + 1; start >= 0 {
			if cost < best {
				best, first = cost, start
			}
			cost -= s.price(start)
		}
	}
	return first
}

func (s *Map) price(stream int32) int32 {
	switch at := s.seq[stream]; {
	case at == None:
		return 0
	case s.rows[at] > 0:
		return -1
	}
	return 1
}

func (s *Map) runs(stream int32) bool {
	at := s.seq[stream]
	return at != None && s.rows[at] > 0
}

// move puts the sequence of one stream into another, free one.
func (s *Map) move(from, to int32) {
	s.emit(engine.Op{Kind: engine.OpCopy, Src: from, Seq: to})
	s.emit(engine.Op{Kind: engine.OpRemove, Seq: from, To: -1})
	seq := s.seq[from]
	s.of[seq], s.seq[to], s.seq[from] = to, seq, None
}
