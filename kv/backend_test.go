package kv

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// backend is what llama.cpp does with the ops, cell by cell, and the oracle of the
// cache tests: what a sequence really holds is independent of what kv believes.
type backend struct {
	t      *testing.T
	layout Layout
	seqs   [][]*cell // by id, in order of position
}

type cell struct{ token int32 }

func newBackend(t *testing.T, layout Layout, seqs int) *backend {
	return &backend{t: t, layout: layout, seqs: make([][]*cell, seqs)}
}

func (b *backend) apply(ops []Op) {
	for _, op := range ops {
		seq := &b.seqs[op.Seq]
		switch op.Kind {
		case Copy:
			require.Empty(b.t, *seq, "%v into a sequence that is not empty", op)
			require.NotEmpty(b.t, b.seqs[op.Src], "%v from an empty sequence", op)
			for _, c := range b.seqs[op.Src] {
				if b.layout == Streams {
					c = &cell{c.token}
				}
				*seq = append(*seq, c)
			}
		case Trim:
			require.LessOrEqual(b.t, int(op.From), len(*seq), "%v", op)
			*seq = (*seq)[:op.From]
		case Remove:
			*seq = nil
		}
	}
}

// write computes tokens at positions from on, which must continue the sequence.
func (b *backend) write(seq int32, from int, tokens []int32) {
	require.Len(b.t, b.seqs[seq], from, "position %d does not continue sequence %d", from, seq)
	for _, tok := range tokens {
		b.seqs[seq] = append(b.seqs[seq], &cell{tok})
	}
}

func (b *backend) tokens(seq int32) []int32 {
	var out []int32
	for _, c := range b.seqs[seq] {
		out = append(out, c.token)
	}
	return out
}

// cells is the number of cells that any sequence holds.
func (b *backend) cells() int {
	used := map[*cell]bool{}
	for _, seq := range b.seqs {
		for _, c := range seq {
			used[c] = true
		}
	}
	return len(used)
}
