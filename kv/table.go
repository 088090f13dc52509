package kv

// Table is the block table of one running sequence: position i of the sequence is
// in block i/BlockTokens. It has hard holds on its blocks. The zero Table is not
// usable; make one with [NewTable]. A released table may be used again and keeps
// its memory.
type Table struct {
	pool   *Pool
	blocks []BlockID
	tokens int
}

// NewTable returns an empty table over a pool.
func NewTable(p *Pool) Table { return Table{pool: p} }

// Tokens is the number of positions that have a place.
func (t *Table) Tokens() int { return t.tokens }

// Blocks are the table's blocks in order. The caller must not change or keep them.
func (t *Table) Blocks() []BlockID { return t.blocks }

// Need is how many free blocks Append(n) would take, including the one for copy on
// write: a last block that is in part filled and has another holder is replaced by
// a block of the table's own before it is written to.
func (t *Table) Need(n int) int {
	fresh, copies := t.plan(n)
	if copies {
		return fresh + 1
	}
	return fresh
}

// plan is what appending n takes: blocks at the end, and whether the last block is
// copied on write.
func (t *Table) plan(n int) (fresh int, copies bool) {
	room := len(t.blocks)*t.pool.blockTokens - t.tokens
	if n > room {
		fresh = t.pool.BlocksFor(n - room)
	}
	return fresh, n > 0 && room > 0 && t.pool.shared(t.blocks[len(t.blocks)-1])
}

// CanAppend reports whether Append(n) would succeed.
func (t *Table) CanAppend(n int) bool { return t.Need(n) <= t.pool.Free() }

// Append makes room for n more positions. It returns ErrNoBlocks, and changes
// nothing, when the pool has fewer than Need(n) free blocks.
func (t *Table) Append(n int) error {
	if t.Need(n) > t.pool.Free() {
		return ErrNoBlocks
	}
	if n <= 0 {
		return nil
	}
	fresh, copies := t.plan(n)
	if copies {
		last := len(t.blocks) - 1
		shared := t.blocks[last]
		t.blocks = t.pool.take(t.blocks[:last], 1)
		if err := t.pool.Release(shared); err != nil {
			return err
		}
	}
	t.blocks = t.pool.take(t.blocks, fresh)
	t.tokens += n
	return nil
}

// Share makes an empty table begin with the given tokens in blocks that others
// hold. len(blocks) must be BlocksFor(tokens). It returns ErrBlock, and changes
// nothing, when the table is not empty, the lengths disagree or a block is free.
func (t *Table) Share(blocks []BlockID, tokens int) error {
	if len(t.blocks) != 0 || tokens < 0 || len(blocks) != t.pool.BlocksFor(tokens) {
		return ErrBlock
	}
	for i, b := range blocks {
		if err := t.pool.Retain(b); err != nil {
			for _, undo := range blocks[:i] {
				if err := t.pool.Release(undo); err != nil {
					return err
				}
			}
			return err
		}
	}
	t.blocks = append(t.blocks, blocks...)
	t.tokens = tokens
	return nil
}

// Release gives the blocks back, the last first, so that the next table takes them
// in the order in which this one had them. Releasing an empty table does nothing.
func (t *Table) Release() error {
	err := t.pool.releaseAll(t.blocks)
	t.blocks, t.tokens = t.blocks[:0], 0
	return err
}
