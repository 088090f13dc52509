package engine

import (
	"fmt"
	"hash/fnv"
	"time"
)

// fakeBackend holds each sequence's tokens and answers with a hash of them, so
// that any lost, stale or foreign cell changes the output.
type fakeBackend struct {
	limits Limits
	cells  map[SeqID][]Token
	peak   int
	err    error // returned by the next step
}

func newFake(lim Limits) *fakeBackend { return &fakeBackend{limits: lim, cells: map[SeqID][]Token{}} }

func (f *fakeBackend) Limits() Limits { return f.limits }
func (f *fakeBackend) Abort()         { f.err = ErrAborted }
func (f *fakeBackend) Close() error   { return nil }

func (f *fakeBackend) Step(b *Batch, r *StepResult) error {
	if f.err != nil {
		return f.err
	}
	if len(b.Rows) > f.limits.Rows {
		return fmt.Errorf("%d rows, limit %d", len(b.Rows), f.limits.Rows)
	}
	for _, op := range b.Ops {
		if op.Kind != OpRemove || op.From != 0 || op.To != -1 {
			return fmt.Errorf("unexpected op %+v", op)
		}
		delete(f.cells, op.Seq)
	}
	r.Tokens = r.Tokens[:0]
	for _, row := range b.Rows {
		held := f.cells[row.Seq]
		if int(row.Pos) != len(held) || len(held) >= f.limits.SeqCells {
			return fmt.Errorf("sequence %d holds %d cells, row at position %d", row.Seq, len(held), row.Pos)
		}
		held = append(held, row.Token)
		f.cells[row.Seq] = held
		if row.Output {
			r.Tokens = append(r.Tokens, nextToken(held))
		}
	}
	used := 0
	for _, held := range f.cells {
		used += len(held)
	}
	f.peak = max(f.peak, used)
	if used > f.limits.Cells {
		return ErrNoSlot
	}
	r.Modelled = time.Millisecond + time.Duration(len(b.Rows))*10*time.Microsecond
	r.Model = r.Modelled
	return nil
}

func nextToken(held []Token) Token {
	h := fnv.New32a()
	for _, t := range held {
		h.Write([]byte{byte(t), byte(t >> 8), byte(t >> 16), byte(t >> 24)})
	}
	return Token(h.Sum32() >> 1)
}

// solo is what a request answers when it has the backend to itself.
func solo(prompt []Token, n int) []Token {
	held := append([]Token(nil), prompt...)
	var out []Token
	for range n {
		out = append(out, nextToken(held))
		held = append(held, out[len(out)-1])
	}
	return out
}
