package llamacpp

import (
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// fill writes the rows into the batch arrays and gives how many ask for output.
//
// In a cache that is not unified llama.cpp puts into one pass only rows of
// ascending, adjacent sequences, in the order in which it meets them, so rows
// in another order would be split over several passes. There the rows are
// sorted by sequence (each sequence's own order stays); rank finds the logits
// again.
func (c *Context) fill(rows []engine.Row) (outputs int) {
	a := &c.rows
	order := a.order[:len(rows)]
	if c.params.KVUnified {
		for i := range order {
			order[i] = int32(i)
		}
	} else {
		c.sortBySeq(rows, order)
	}
	for i, j := range order {
		r := &rows[j]
		a.token[i] = llama.Token(r.Token)
		a.pos[i] = llama.Pos(r.Pos)
		a.seq[i] = llama.SeqId(r.Seq)
		a.output[i] = 0
		if r.Output {
			a.output[i] = 1
			a.rank[j] = int32(outputs)
			outputs++
		}
	}
	c.call.batch.NTokens = int32(len(rows))
	return outputs
}

// sortBySeq is a stable counting sort.
func (c *Context) sortBySeq(rows []engine.Row, order []int32) {
	n := c.rows.bucket[:len(c.next)+1]
	clear(n)
	for i := range rows {
		n[rows[i].Seq+1]++
	}
	for s := 1; s < len(n); s++ {
		n[s] += n[s-1]
	}
	for i := range rows {
		order[n[rows[i].Seq]] = int32(i)
		n[rows[i].Seq]++
	}
}
