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

// TestStreamsHoldWhatTheirSequencesHold: whatever is run, copied, trimmed and
// removed, and whoever is moved, each sequence's stream holds its tokens, and once
// the same sequences run on, they are side by side.
func TestStreamsHoldWhatTheirSequencesHold(t *testing.T) {
	const n, idle = 12, 4 // sequences used, and never used
	closed, moved := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := New(n + idle)
		want, got := cellsOf{}, cellsOf{}
		step := func(b engine.Batch) {
			for i := range b.Ops { // a copy's target is emptied first, as the scheduler does
				if op := b.Ops[i]; op.Kind == engine.OpCopy && len(want[op.Seq]) > 0 {
					b.Ops = slices.Insert(b.Ops, i, engine.Op{Seq: op.Seq, To: -1})
					break
				}
			}
			want.apply(t, &b, false)
			tr := s.Translate(&b, true)
			moved += len(tr.Ops) - len(b.Ops)
			got.apply(t, tr, true)
			for seq := range int32(n) {
				if len(want[seq]) == 0 {
					continue
				}
				stream := s.of[seq]
				require.Equal(t, seq, s.seq[stream])
				require.Equal(t, want[seq], got[stream])
			}
		}
		next := func(seq int32) engine.Row {
			return engine.Row{Seq: seq, Pos: int32(len(want[seq])), Token: engine.Token(rng.IntN(1000))}
		}
		for range 60 {
			var b engine.Batch
			switch seq := int32(rng.IntN(n)); rng.IntN(5) {
			case 0:
				b.Ops = append(b.Ops, engine.Op{Seq: seq, To: -1})
			case 1:
				if src := int32(rng.IntN(n)); src != seq && len(want[src]) > 0 {
					b.Ops = append(b.Ops, engine.Op{Kind: engine.OpCopy, Seq: seq, Src: src})
				}
			case 2:
				if len(want[seq]) > 1 {
					b.Ops = append(b.Ops, engine.Op{Seq: seq, From: int32(1 + rng.IntN(len(want[seq])-1)), To: -1})
				}
			}
			if len(b.Ops) == 0 {
				for seq := range int32(n) {
					if rng.IntN(2) == 0 {
						b.Rows = append(b.Rows, next(seq))
					}
				}
			}
			step(b)
		}
		// Half of the sequences run on and on.
		for range n {
			var b engine.Batch
			for seq := int32(0); seq < n; seq += 2 {
				b.Rows = append(b.Rows, next(seq))
			}
			step(b)
		}
		var busy []int32
		for seq := int32(0); seq < n; seq += 2 {
			busy = append(busy, s.of[seq])
		}
		if slices.Max(busy)-slices.Min(busy) == int32(len(busy)-1) {
			closed++
		}
	}
	require.Positive(t, moved)
	require.Equal(t, 300, closed)
}
