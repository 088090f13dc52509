package kv

import (
	"errors"
	"fmt"
)

// BlockID names one block of a [Pool], from 0.
type BlockID = int32

var (
	// ErrNoBlocks means that the pool has too few free blocks. Nothing changed.
	ErrNoBlocks = errors.New("kv: no free block")
	// ErrBlock means that a block id is out of range, or that the block is not
	// held in the way that the call needs. Nothing changed.
	ErrBlock = errors.New("kv: block is not held")
)

// Pool is a fixed set of equal blocks. A block is free, or it is held: by running
// sequences (hard holds) or by owners in the prefix tree (cached holds), any
// number of each. Free blocks are reused last in, first out. Every method is O(1)
// and none allocates.
type Pool struct {
	blockTokens int
	holds       []holds
	free        []BlockID // a stack; the top is at the end
	cached      int       // blocks with cached holds only
}

type holds struct{ hard, cached int32 }

// NewPool returns a pool of n free blocks of blockTokens tokens each. Block 0 is
// given first.
func NewPool(n, blockTokens int) (*Pool, error) {
	if n < 1 || blockTokens < 1 {
		return nil, fmt.Errorf("kv: a pool of %d blocks of %d tokens: both must be at least 1", n, blockTokens)
	}
	p := &Pool{blockTokens: blockTokens, holds: make([]holds, n), free: make([]BlockID, n)}
	for i := range p.free {
		p.free[i] = BlockID(n - 1 - i)
	}
	return p, nil
}

// BlockTokens is the size of a block in tokens.
func (p *Pool) BlockTokens() int { return p.blockTokens }

// Len is the number of blocks, free or held.
func (p *Pool) Len() int { return len(p.holds) }

// Free is the number of blocks that nothing holds.
func (p *Pool) Free() int { return len(p.free) }

// Cached is the number of blocks that only owners hold: what eviction can free.
func (p *Pool) Cached() int { return p.cached }

// BlocksFor is the number of blocks that the given number of tokens fills, the
// last one perhaps in part.
func (p *Pool) BlocksFor(tokens int) int { return (tokens + p.blockTokens - 1) / p.blockTokens }

// Alloc takes a free block and gives it one hard hold. It returns ErrNoBlocks when
// there is none.
func (p *Pool) Alloc() (BlockID, error) {
	n := len(p.free)
	if n == 0 {
		return -1, ErrNoBlocks
	}
	b := p.free[n-1]
	p.free = p.free[:n-1]
	p.holds[b].hard = 1
	return b, nil
}

// Retain adds a hard hold to a held block.
func (p *Pool) Retain(b BlockID) error {
	h := p.held(b)
	if h == nil {
		return ErrBlock
	}
	if h.hard == 0 {
		p.cached--
	}
	h.hard++
	return nil
}

// Release drops one hard hold; a block without holds is free.
func (p *Pool) Release(b BlockID) error {
	if uint(b) >= uint(len(p.holds)) {
		return ErrBlock
	}
	h := &p.holds[b]
	if h.hard == 0 {
		return ErrBlock
	}
	h.hard--
	if h.hard == 0 {
		if h.cached == 0 {
			p.free = append(p.free, b)
		} else {
			p.cached++
		}
	}
	return nil
}

// take appends n free blocks, which there must be, to dst, with one hard hold each.
func (p *Pool) take(dst []BlockID, n int) []BlockID {
	rest := len(p.free) - n
	for i := len(p.free) - 1; i >= rest; i-- {
		b := p.free[i]
		p.holds[b].hard = 1
		dst = append(dst, b)
	}
	p.free = p.free[:rest]
	return dst
}

// releaseAll drops one hard hold of each block, the last first. It stops at a block
// that has none, with ErrBlock.
func (p *Pool) releaseAll(blocks []BlockID) error {
	held, free := p.holds, p.free
	for i := len(blocks) - 1; i >= 0; i-- {
		b := blocks[i]
		if uint(b) >= uint(len(held)) || held[b].hard == 0 {
			p.free = free
			return ErrBlock
		}
		h := &held[b]
		h.hard--
		if h.hard > 0 {
			continue
		}
		if h.cached == 0 {
			free = append(free, b)
		} else {
			p.cached++
		}
	}
	p.free = free
	return nil
}

// retainCached adds a cached hold to a held block.
func (p *Pool) retainCached(b BlockID) error {
	h := p.held(b)
	if h == nil {
		return ErrBlock
	}
	h.cached++
	return nil
}

// releaseCached drops one cached hold, which the caller must have; a block without
// holds is free.
func (p *Pool) releaseCached(b BlockID) {
	h := &p.holds[b]
	h.cached--
	if h.cached == 0 && h.hard == 0 {
		p.cached--
		p.free = append(p.free, b)
	}
}

// Holds returns a block's hard and cached holds; both are 0 for a free block and
// for an id out of range.
func (p *Pool) Holds(b BlockID) (hard, cached int) {
	if uint(b) >= uint(len(p.holds)) {
		return 0, 0
	}
	return int(p.holds[b].hard), int(p.holds[b].cached)
}

// held returns a block's holds, or nil when it is free or out of range.
func (p *Pool) held(b BlockID) *holds {
	if uint(b) >= uint(len(p.holds)) {
		return nil
	}
	h := &p.holds[b]
	if h.hard == 0 && h.cached == 0 {
		return nil
	}
	return h
}

// shared reports whether a block has more than one hold of either kind.
func (p *Pool) shared(b BlockID) bool { return p.holds[b].hard+p.holds[b].cached > 1 }

// Check verifies in O(blocks) that the free list is exactly the blocks without
// holds, each once, and that the count of cached blocks is right.
func (p *Pool) Check() error {
	listed := make([]bool, len(p.holds))
	for _, b := range p.free {
		if listed[b] {
			return fmt.Errorf("kv: block %d is twice on the free list", b)
		}
		listed[b] = true
	}
	cached := 0
	for b, h := range p.holds {
		switch held := h.hard != 0 || h.cached != 0; {
		case h.hard < 0 || h.cached < 0:
			return fmt.Errorf("kv: block %d has %d hard and %d cached holds", b, h.hard, h.cached)
		case held == listed[b]:
			return fmt.Errorf("kv: block %d: held %v, on the free list %v", b, held, listed[b])
		}
		if h.hard == 0 && h.cached > 0 {
			cached++
		}
	}
	if cached != p.cached {
		return fmt.Errorf("kv: %d blocks have cached holds only, the pool counts %d", cached, p.cached)
	}
	return nil
}
