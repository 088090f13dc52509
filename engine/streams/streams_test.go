package streams

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine"
)

// cellsOf is a naive cache: the tokens of each sequence, or of each stream.
type cellsOf map[int32][]engine.Token

func (c cellsOf) apply(t *testing.T, b *engine.Batch, streams bool) {
	for _, op := range b.Ops {
		switch {
		case op.Kind == engine.OpCopy && streams:
			require.Empty(t, c[op.Seq], "a copy goes to a free stream or replaces its own sequence")
			fallthrough
		case op.Kind == engine.OpCopy:
			c[op.Seq] = slices.Clone(c[op.Src])
		case op.To < 0:
			c[op.Seq] = c[op.Seq][:min(max(int(op.From), 0), len(c[op.Seq]))]
		}
	}
	for _, r := range b.Rows {
		require.Len(t, c[r.Seq], int(r.Pos))
		c[r.Seq] = append(c[r.Seq], r.Token)
	}
}

// world is a Map beside what it must keep: the tokens of each sequence, and of each
// stream as the translated batches made them.
type world struct {
	t         *testing.T
	s         *Map
	want, got cellsOf
	n         int32
	copies    int
}

func newWorld(t *testing.T, n int32) *world {
	return &world{t: t, s: New(int(n)), want: cellsOf{}, got: cellsOf{}, n: n}
}

// step translates a batch and holds the result against the sequences. It returns the
// streams with rows, in order.
func (w *world) step(b engine.Batch) []int32 {
	for i := range b.Ops { // a copy's target is emptied first, as the scheduler does
		if op := b.Ops[i]; op.Kind == engine.OpCopy && len(w.want[op.Seq]) > 0 {
			b.Ops = slices.Insert(b.Ops, i, engine.Op{Seq: op.Seq, To: -1})
			break
		}
	}
	w.want.apply(w.t, &b, false)
	tr := w.s.Translate(&b, true)
	w.got.apply(w.t, tr, true)
	for _, op := range tr.Ops {
		if op.Kind == engine.OpCopy {
			w.copies++
		}
	}
	for seq := range w.n {
		if len(w.want[seq]) == 0 {
			continue
		}
		stream := w.s.of[seq]
		require.Equal(w.t, seq, w.s.seq[stream])
		require.Equal(w.t, w.want[seq], w.got[stream])
	}
	require.Contains(w.t, w.s.seq, int32(None), "a stream is always free")
	var busy []int32
	for _, r := range tr.Rows {
		busy = append(busy, r.Seq)
	}
	slices.Sort(busy)
	return slices.Compact(busy)
}

func (w *world) row(seq int32, more int) engine.Row {
	return engine.Row{Seq: seq, Pos: int32(len(w.want[seq]) + more), Token: engine.Token(seq*1000) + int32(len(w.want[seq])+more)}
}

func adjacent(busy []int32) bool {
	return len(busy) == 0 || int(busy[len(busy)-1]-busy[0]) == len(busy)-1
}

// TestRowsAreAdjacent: whatever was run, copied, trimmed and removed before, and
// however many sequences are in use, each sequence's stream holds its tokens, and a step
// in which somebody decodes has its rows in adjacent streams: it is one pass, and one
// more for what prompts have beyond a row.
func TestRowsAreAdjacent(t *testing.T) {
	full := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 5))
		w := newWorld(t, int32(1+rng.IntN(14)))
		for range 80 {
			var b engine.Batch
			for range rng.IntN(3) {
				if len(b.Ops) > 0 && b.Ops[0].Kind == engine.OpCopy {
					break
				}
				switch seq := int32(rng.IntN(int(w.n))); rng.IntN(4) {
				case 0:
					b.Ops = append(b.Ops, engine.Op{Seq: seq, To: -1})
				case 1, 2:
					if src := int32(rng.IntN(int(w.n))); len(b.Ops) == 0 && src != seq && len(w.want[src]) > 0 {
						b.Ops = append(b.Ops, engine.Op{Kind: engine.OpCopy, Seq: seq, Src: src})
					}
				case 3:
					if len(b.Ops) == 0 && len(w.want[seq]) > 1 {
						b.Ops = append(b.Ops, engine.Op{Seq: seq, From: int32(1 + rng.IntN(len(w.want[seq])-1)), To: -1})
					}
				}
			}
			length := map[int32]int{}
			for seq := range w.n {
				length[seq] = len(w.want[seq])
			}
			for _, op := range b.Ops {
				if op.Kind == engine.OpCopy {
					length[op.Seq] = length[op.Src]
				} else {
					length[op.Seq] = min(length[op.Seq], int(op.From))
				}
			}
			decodes := false
			for _, seq := range rng.Perm(int(w.n))[:rng.IntN(int(w.n)+1)] {
				rows := 1
				if rng.IntN(4) == 0 {
					rows = 2 + rng.IntN(5)
				}
				decodes = decodes || rows == 1
				for range rows {
					b.Rows = append(b.Rows, engine.Row{Seq: int32(seq), Pos: int32(length[int32(seq)]), Token: engine.Token(rng.IntN(1000))})
					length[int32(seq)]++
				}
			}
			busy := w.step(b)
			if decodes {
				require.True(t, adjacent(busy), "seed %d: rows in streams %v", seed, busy)
			}
			if inUse(w.s) == int(w.n) && len(busy) > 1 && len(busy) < int(w.n) {
				full++
			}
		}
	}
	require.Positive(t, full, "no step found every sequence in use")
}

func inUse(s *Map) (n int) {
	for _, seq := range s.seq {
		if seq != None {
			n++
		}
	}
	return n
}

// TestARequestCostsTwoCopies: with a full batch and a cache that is full besides, a
// request that goes and one that comes cost one copy to make way, beside the copy of
// what the new one shares.
func TestARequestCostsTwoCopies(t *testing.T) {
	const running, seqs = 8, 24
	rng := rand.New(rand.NewPCG(1, 1))
	w := newWorld(t, seqs)
	order := rng.Perm(seqs)
	live, idle := order[:running], order[running:]
	var b engine.Batch
	for _, seq := range order {
		b.Rows = append(b.Rows, w.row(int32(seq), 0))
	}
	w.step(b)
	decode := func(ops ...engine.Op) []int32 {
		b := engine.Batch{Ops: ops}
		for _, seq := range live {
			r := w.row(int32(seq), 0)
			for _, op := range ops {
				if op.Kind == engine.OpCopy && op.Seq == int32(seq) {
					r.Pos = int32(len(w.want[op.Src]))
				}
			}
			b.Rows = append(b.Rows, r)
		}
		return w.step(b)
	}
	decode()
	w.copies = 0
	const requests = 500
	for range requests {
		// One goes and stays cached; the oldest that is cached makes room for a new one,
		// which shares what another idle one holds.
		i := rng.IntN(running)
		idle = append(idle, live[i])
		live[i], idle = idle[0], idle[1:]
		src := idle[rng.IntN(len(idle))]
		busy := decode(engine.Op{Seq: int32(live[i]), To: -1}, engine.Op{Kind: engine.OpCopy, Seq: int32(live[i]), Src: int32(src)})
		require.True(t, adjacent(busy))
		require.Less(t, busy[len(busy)-1], int32(running), "those who run are the first streams")
	}
	require.LessOrEqual(t, w.copies, 2*requests)
}
