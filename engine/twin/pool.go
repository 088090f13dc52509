package twin

import "math/bits"

// pool is the cells of a unified cache: each may be held by several sequences, and a
// row takes the lowest that is free. (llama.cpp searches from a head that removals
// pull back, below which nothing is free; the result is the same.)
type pool struct {
	free []uint64 // one bit a cell
	refs []uint16 // sequences that hold the cell
	size int32
	left int   // free cells
	low  int   // no word before it has a free cell
	top  int32 // no cell from it on is used
}

func newPool(cells int) *pool {
	p := &pool{free: make([]uint64, (cells+63)/64), refs: make([]uint16, cells), size: int32(cells), left: cells}
	for i := range cells {
		p.free[i/64] |= 1 << (i % 64)
	}
	return p
}

// take gives the lowest free cell; there must be one.
func (p *pool) take() int32 {
	for p.free[p.low] == 0 {
		p.low++
	}
	word := &p.free[p.low]
	cell := int32(p.low*64 + bits.TrailingZeros64(*word))
	*word &= *word - 1
	p.refs[cell] = 1
	p.left--
	p.top = max(p.top, cell+1)
	return cell
}

func (p *pool) share(cell int32) { p.refs[cell]++ }

func (p *pool) drop(cell int32) {
	p.refs[cell]--
	if p.refs[cell] > 0 {
		return
	}
	p.free[cell/64] |= 1 << (cell % 64)
	p.left++
	p.low = min(p.low, int(cell/64))
}

// high is one above the highest used cell.
func (p *pool) high() int32 {
	for p.top > 0 && p.refs[p.top-1] == 0 {
		p.top--
	}
	return p.top
}
