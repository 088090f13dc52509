package llamacpp

import "github.com/cadence-bench/cadence-bench/engine"

// use gives the cells in use after a step over rows, which are in terms of
// sequences. It is known where every sequence has a stream of its own: there
// llama.cpp fills the cells of a stream from the first on, a trim frees the last
// and a copy takes the same ones, so a sequence has as many cells as positions. In a
// unified cache several sequences may hold one cell, and which cell llama.cpp gives
// to a row it does not say.
func (c *Context) use(rows []engine.Row, err error) (u engine.CellUse) {
	if c.streams == nil || c.holed {
		return u
	}
	u.Known, u.Cells = true, c.ends
	if err != nil { // the rows were not run
		return u
	}
	for i := range rows {
		u.Top = max(u.Top, int(c.next[c.streams.Of(rows[i].Seq)]))
	}
	return u
}
