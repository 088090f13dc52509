package llamacpp_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/stretchr/testify/require"
)

// run is a context with the bookkeeping of a test: it places rows at their
// sequence's end and samples greedily.
type run struct {
	testing.TB
	*llamacpp.Context
	batch engine.Batch
	res   engine.StepResult
}

func newRun(t testing.TB, p llamacpp.Params) *run {
	t.Helper()
	m := llamatest.Open(t)
	c, err := llamacpp.NewContext(m, p)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return &run{TB: t, Context: c}
}

// unified and split are small contexts of the two layouts. One thread: two that
// spin for each other take a hundred times as long on a machine that is busy
// with other tests.
func unified(seqs, cells int) llamacpp.Params {
	return llamacpp.Params{Seqs: seqs, KVUnified: true, Cells: cells, Rows: 512, UBatch: 256, Threads: 1}
}

func split(seqs, cells int) llamacpp.Params {
	return llamacpp.Params{Seqs: seqs, SeqCells: cells, Rows: 512, UBatch: 256, Threads: 1}
}

// apart is a small context whose sequences are run one by one.
func apart(seqs, cells int) llamacpp.Params {
	p := split(seqs, cells)
	p.Canonical = true
	return p
}

var layouts = map[string]func(seqs, cells int) llamacpp.Params{"unified": unified, "split": split, "canonical": apart}

// tokens gives n tokens drawn by a seed.
func tokens(n int, seed uint64) []engine.Token {
	r := rand.New(rand.NewPCG(seed, 99))
	out := make([]engine.Token, n)
	for i := range out {
		out[i] = engine.Token(300 + r.IntN(7000))
	}
	return out
}

// add puts tokens at the end of a sequence into the batch; the last asks for
// output.
func (r *run) add(seq engine.SeqID, toks ...engine.Token) {
	pos := r.Next(seq)
	for _, op := range r.batch.Ops {
		switch {
		case op.Seq != seq:
		case op.Kind == engine.OpCopy:
			pos = r.Next(op.Src)
		case op.To < 0:
			pos = min(pos, max(op.From, 0))
		}
	}
	for _, row := range r.batch.Rows {
		if row.Seq == seq {
			pos++
		}
	}
	for i, tok := range toks {
		r.batch.Rows = append(r.batch.Rows, engine.Row{Token: tok, Pos: pos + int32(i), Seq: seq, Output: i == len(toks)-1})
	}
}

func (r *run) remove(seq engine.SeqID, from, to int32) {
	r.batch.Ops = append(r.batch.Ops, engine.Op{Kind: engine.OpRemove, Seq: seq, From: from, To: to})
}

func (r *run) copy(src, dst engine.SeqID) {
	r.batch.Ops = append(r.batch.Ops, engine.Op{Kind: engine.OpCopy, Seq: dst, Src: src})
}

// try runs the batch and forgets it.
func (r *run) try() ([]engine.Token, error) {
	err := r.Step(&r.batch, &r.res)
	r.batch.Ops, r.batch.Rows = r.batch.Ops[:0], r.batch.Rows[:0]
	return r.res.Tokens, err
}

func (r *run) step() []engine.Token {
	r.Helper()
	toks, err := r.try()
	require.NoError(r, err)
	return toks
}

// tells requires that the last step's result gives the cells that are in use, and the
// longest of the step's sequences, where the backend can know them.
func (r *run) tells(b *engine.Batch, used int, err error) {
	want := engine.CellUse{}
	if !r.Params().KVUnified {
		want.Known, want.Cells = true, used
		for i := range b.Rows {
			if err == nil {
				want.Top = max(want.Top, int(b.Rows[i].Pos)+1)
			}
		}
	}
	require.Equal(r, want, r.res.Use)
}

// generate decodes n tokens greedily after the prompt, alone, and gives them
// with the logits that each was taken from.
func (r *run) generate(seq engine.SeqID, prompt []engine.Token, n int) (out []engine.Token, logits [][]float32) {
	r.Helper()
	r.add(seq, prompt...)
	for range n {
		tok := r.step()[0]
		out = append(out, tok)
		logits = append(logits, append([]float32{}, r.Logits(1)...))
		r.add(seq, tok)
	}
	r.batch.Rows = r.batch.Rows[:0]
	return out, logits
}

// agreement compares rows of logits of the same positions, computed in two ways.
type agreement struct {
	same, total int
	first       int     // the first position that differs, -1 for none
	diff        float64 // the largest difference of a logit
}

func (a *agreement) add(want, got []float32) {
	w, g := argmax(want), argmax(got)
	if a.total == 0 {
		a.first = -1
	}
	if w == g {
		a.same++
	} else if a.first < 0 {
		a.first = a.total
	}
	a.total++
	for i := range want {
		a.diff = max(a.diff, abs(float64(want[i])-float64(got[i])))
	}
}

// report logs the agreement and requires what rounding alone explains. A cell of
// another sequence, or one lost, changes logits by units.
func (a *agreement) report(t testing.TB, name string) {
	t.Helper()
	t.Logf("%s: %d of %d tokens equal, first difference at %d, largest logit difference %.4f", name, a.same, a.total, a.first, a.diff)
	require.Less(t, a.diff, 0.5, name)
	require.GreaterOrEqual(t, float64(a.same), 0.95*float64(a.total), name)
}

func argmax(x []float32) (at int) {
	for i, v := range x {
		if v > x[at] {
			at = i
		}
	}
	return at
}

func abs(x float64) float64 { return max(x, -x) }
