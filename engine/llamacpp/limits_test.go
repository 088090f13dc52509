package llamacpp_test

import (
	"math"
	"testing"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp"
	"github.com/cadence-bench/cadence-bench/engine/llamacpp/llamatest"
	"github.com/stretchr/testify/require"
)

// TestBadBatches: what llama.cpp would end the process for is an error, and the
// context works after it.
func TestBadBatches(t *testing.T) {
	r := newRun(t, unified(4, 1024))
	lim := r.Limits()
	row := func(tok engine.Token, pos int32, seq engine.SeqID) engine.Batch {
		return engine.Batch{Rows: []engine.Row{{Token: tok, Pos: pos, Seq: seq, Output: true}}}
	}
	many := engine.Batch{}
	for i := range lim.Rows + 1 {
		many.Rows = append(many.Rows, engine.Row{Token: 5, Pos: int32(i)})
	}
	hole := row(5, 0, 0)
	hole.Rows = append(hole.Rows, engine.Row{Token: 5, Pos: 2})
	twice := row(5, 0, 0)
	twice.Rows = append(twice.Rows, engine.Row{Token: 5, Pos: 0})
	temp := func(x float32) engine.Batch {
		b := row(5, 0, 0)
		b.Rows[0].Sampling.Temperature = x
		return b
	}
	for name, b := range map[string]engine.Batch{
		"too many rows":           many,
		"negative sequence":       row(5, 0, -1),
		"sequence past the last":  row(5, 0, int32(lim.Seqs)),
		"negative token":          row(-1, 0, 0),
		"token past the last":     row(int32(lim.Vocab), 0, 0),
		"position before the end": row(5, -1, 0),
		"position past the end":   row(5, 3, 0),
		"hole":                    hole,
		"same position twice":     twice,
		"negative temperature":    temp(-1),
		"temperature NaN":         temp(float32(math.NaN())),
		"edit of no sequence":     {Ops: []engine.Op{{Kind: engine.OpRemove, Seq: 4}}},
		"copy from no sequence":   {Ops: []engine.Op{{Kind: engine.OpCopy, Seq: 1, Src: -1}}},
		"copy to itself":          {Ops: []engine.Op{{Kind: engine.OpCopy, Seq: 1, Src: 1}}},
		"unknown edit":            {Ops: []engine.Op{{Kind: 9, Seq: 1}}},
	} {
		var res engine.StepResult
		err := r.Step(&b, &res)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "\n", name)
		require.Empty(t, res.Tokens, name)
		require.Zero(t, r.Next(0), name)
	}
	r.add(0, tokens(30, 1)...)
	r.step()
}

func TestBadParams(t *testing.T) {
	m := llamatest.Open(t)
	for name, p := range map[string]llamacpp.Params{
		"no sequences":     {KVUnified: true, Cells: 512, Rows: 8},
		"257 sequences":    {Seqs: 257, KVUnified: true, Cells: 512, Rows: 8},
		"no rows":          {Seqs: 1, KVUnified: true, Cells: 512},
		"ubatch over rows": {Seqs: 1, KVUnified: true, Cells: 512, Rows: 8, UBatch: 9},
		"no cells":         {Seqs: 1, KVUnified: true, Rows: 8},
		"both sizes":       {Seqs: 1, KVUnified: true, Cells: 512, SeqCells: 512, Rows: 8},
		"cells, not split": {Seqs: 1, Cells: 512, Rows: 8},
		"too many cells":   {Seqs: 256, SeqCells: 1 << 28, Rows: 8},
		"out of memory":    {Seqs: 256, SeqCells: 1 << 22, Rows: 8},
		"threads":          {Seqs: 1, SeqCells: 256, Rows: 8, Threads: -1},
	} {
		c, err := llamacpp.NewContext(m, p)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "\n", name)
		require.Nil(t, c, name)
	}
}

func TestLimitsAreRead(t *testing.T) {
	r := newRun(t, split(3, 300))
	require.Equal(t, engine.Limits{Seqs: 3, SeqCells: 512, Cells: 1536, Rows: 512, Vocab: r.Limits().Vocab}, r.Limits())
	r = newRun(t, unified(3, 300))
	require.Equal(t, engine.Limits{Seqs: 3, SeqCells: 512, Cells: 512, Rows: 512, Vocab: r.Limits().Vocab}, r.Limits())
	require.Empty(t, r.Warnings())
	require.NoError(t, r.Close())
	require.Error(t, r.Close())
	_, err := r.try()
	require.ErrorContains(t, err, "closed")
}
