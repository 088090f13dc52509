package engine

import (
	"fmt"
	"hash/fnv"
	"time"
)

// fakeBackend holds each sequence's cells and answers with a hash of them, so that
// any lost, stale or foreign cell changes the output.
type fakeBackend struct {
	limits  Limits
	streams bool // a copy has cells of its own
	room    int  // cells that there really are
	seqs    map[SeqID][]*fakeCell
	refused int
	err     error // returned by the next step
	// after is called with the cells in use when a step has run.
	after func(cells int)
}

type fakeCell struct{ token Token }

func newFake(lim Limits) *fakeBackend {
	return &fakeBackend{limits: lim, room: lim.Cells, seqs: map[SeqID][]*fakeCell{}}
}

func (f *fakeBackend) Limits() Limits { return f.limits }
func (f *fakeBackend) Abort()         { f.err = ErrAborted }
func (f *fakeBackend) Close() error   { return nil }

func (f *fakeBackend) Step(b *Batch, r *StepResult) error {
	*r = StepResult{Tokens: r.Tokens[:0]}
	if f.err != nil {
		return f.err
	}
	if len(b.Rows) > f.limits.Rows {
		return fmt.Errorf("%d rows, limit %d", len(b.Rows), f.limits.Rows)
	}
	for _, op := range b.Ops {
		if err := f.apply(op); err != nil {
			return err
		}
	}
	r.Modelled = time.Millisecond + time.Duration(len(b.Rows))*10*time.Microsecond
	if f.cells()+len(b.Rows) > f.room && len(b.Rows) > 0 {
		f.refused++
		r.Use = f.use(nil)
		return ErrNoSlot
	}
	for _, row := range b.Rows {
		held := f.seqs[row.Seq]
		if int(row.Pos) != len(held) || len(held) >= f.limits.SeqCells {
			return fmt.Errorf("sequence %d holds %d cells, row at position %d", row.Seq, len(held), row.Pos)
		}
		held = append(held, &fakeCell{row.Token})
		f.seqs[row.Seq] = held
		if row.Output {
			r.Tokens = append(r.Tokens, nextToken(tokensOf(held), row.Sampling.Seed))
		}
	}
	r.Model = r.Modelled
	r.Use = f.use(b.Rows)
	if f.after != nil {
		f.after(f.cells())
	}
	return nil
}

func (f *fakeBackend) apply(op Op) error {
	held := f.seqs[op.Seq]
	switch {
	case op.Kind == OpCopy && (len(held) > 0 || len(f.seqs[op.Src]) == 0):
		return fmt.Errorf("copy of sequence %d with %d cells to sequence %d with %d", op.Src, len(f.seqs[op.Src]), op.Seq, len(held))
	case op.Kind == OpCopy:
		for _, c := range f.seqs[op.Src] {
			if f.streams {
				c = &fakeCell{c.token}
			}
			held = append(held, c)
		}
		f.seqs[op.Seq] = held
	case op.To != -1 || int(op.From) > len(held):
		return fmt.Errorf("unexpected %+v of a sequence with %d cells", op, len(held))
	case op.From == 0:
		delete(f.seqs, op.Seq)
	default:
		f.seqs[op.Seq] = held[:op.From:op.From]
	}
	return nil
}

// use is known where a sequence's cells are its own.
func (f *fakeBackend) use(rows []Row) (u CellUse) {
	if !f.streams {
		return u
	}
	u.Known, u.Cells = true, f.cells()
	for _, row := range rows {
		u.Top = max(u.Top, len(f.seqs[row.Seq]))
	}
	return u
}

// cells is how many cells any sequence holds.
func (f *fakeBackend) cells() int {
	used := map[*fakeCell]bool{}
	for _, held := range f.seqs {
		for _, c := range held {
			used[c] = true
		}
	}
	return len(used)
}

func tokensOf(held []*fakeCell) []Token {
	out := make([]Token, len(held))
	for i, c := range held {
		out[i] = c.token
	}
	return out
}

func nextToken(held []Token, seed uint64) Token {
	h := fnv.New32a()
	h.Write([]byte{byte(seed), byte(len(held))})
	for _, t := range held {
		h.Write([]byte{byte(t), byte(t >> 8), byte(t >> 16), byte(t >> 24)})
	}
	return Token(h.Sum32() >> 1)
}

// solo is what a request answers when it has the backend to itself.
func solo(r Request, n int) []Token {
	held := append([]Token(nil), r.Prompt...)
	out := []Token{}
	for range n {
		out = append(out, nextToken(held, r.Sampling.Seed))
		held = append(held, out[len(out)-1])
	}
	return out
}
