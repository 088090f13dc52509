package llamacpp

import (
	"errors"
	"slices"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// stepApart runs each sequence's rows in a decode of their own, in order of
// sequence; see Params.Canonical. After an error no row has been applied, as far as
// the context is still of use.
func (c *Context) stepApart(rows []engine.Row, res *engine.StepResult) error {
	order := make([]int32, len(rows))
	c.sortBySeq(rows, order)
	at := make([]int, len(rows)) // of a row's token among those of the step
	outputs := 0
	for i := range rows {
		at[i] = outputs
		if rows[i].Output {
			outputs++
		}
	}
	res.Tokens = slices.Grow(res.Tokens, outputs)[:outputs]
	var part []engine.Row
	var got engine.StepResult
	for from := 0; from < len(order); from += len(part) {
		part, got.Tokens = part[:0], got.Tokens[:0]
		for _, j := range order[from:] {
			if len(part) > 0 && rows[j].Seq != part[0].Seq {
				break
			}
			part = append(part, rows[j])
		}
		err := c.forward(part, &got)
		res.Model += got.Model
		if err != nil {
			res.Tokens = res.Tokens[:0]
			return errors.Join(err, c.undo(rows, order[:from]))
		}
		for i, next := 0, 0; i < len(part); i++ {
			if part[i].Output {
				res.Tokens[at[order[from+i]]] = got.Tokens[next]
				next++
			}
		}
	}
	return nil
}

// undo takes rows that have been run, whole sequences' in order, out of the cache.
func (c *Context) undo(rows []engine.Row, done []int32) error {
	if c.lost != nil {
		return nil
	}
	for i, j := range done {
		r := &rows[j]
		if i > 0 && rows[done[i-1]].Seq == r.Seq {
			continue
		}
		if _, err := llama.MemorySeqRm(c.mem, llama.SeqId(r.Seq), llama.Pos(r.Pos), -1); err != nil {
			return err
		}
		c.readNext(r.Seq)
	}
	return nil
}
