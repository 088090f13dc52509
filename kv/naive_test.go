package kv

import "slices"

// The naive models say what the package does in the plainest terms: flat lists and
// linear scans, a clock that counts, no links, no index, no caching of anything.

// naivePool keeps every hold of a block as one entry of a list.
type naivePool struct {
	blockTokens int
	free        []BlockID
	hard        []BlockID // one entry per hold
	cached      []BlockID
}

func newNaivePool(n, blockTokens int) *naivePool {
	p := &naivePool{blockTokens: blockTokens}
	for b := n - 1; b >= 0; b-- {
		p.free = append(p.free, BlockID(b))
	}
	return p
}

func count(list []BlockID, b BlockID) (n int) {
	for _, x := range list {
		if x == b {
			n++
		}
	}
	return n
}

func drop(list *[]BlockID, b BlockID) bool {
	i := slices.Index(*list, b)
	if i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	return i >= 0
}

func (p *naivePool) held(b BlockID) bool { return count(p.hard, b)+count(p.cached, b) > 0 }

func (p *naivePool) alloc() (BlockID, bool) {
	if len(p.free) == 0 {
		return -1, false
	}
	b := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	p.hard = append(p.hard, b)
	return b, true
}

func (p *naivePool) retain(list *[]BlockID, b BlockID) bool {
	if !p.held(b) {
		return false
	}
	*list = append(*list, b)
	return true
}

func (p *naivePool) release(list *[]BlockID, b BlockID) bool {
	if !drop(list, b) {
		return false
	}
	if !p.held(b) {
		p.free = append(p.free, b)
	}
	return true
}

func (p *naivePool) onlyCached() (n int) {
	for i, b := range p.cached {
		if !slices.Contains(p.cached[:i], b) && !slices.Contains(p.hard, b) {
			n++
		}
	}
	return n
}

// naiveTree keeps every node as the whole token sequence from the root to its end.
type naiveTree struct {
	pool    *naivePool
	nodes   []*naiveNode
	owners  map[int32]*naiveOwner
	freed   []int32 // sequence ids given back, in order
	ops     []Op
	log     []Eviction
	clock   int
	evicted int
}

type naiveNode struct {
	path   []int32
	start  int
	used   int // clock of the last use
	linked int // clock of being put under its parent
	pins   int
	owner  int32
	keeper int32
}

type naiveOwner struct {
	node   *naiveNode
	blocks []BlockID
}

func newNaiveTree(p *naivePool) *naiveTree {
	return &naiveTree{pool: p, owners: map[int32]*naiveOwner{}}
}

func (t *naiveTree) tick() int { t.clock++; return t.clock }

func isPrefix(a, b []int32) bool { return len(a) <= len(b) && slices.Equal(a, b[:len(a)]) }

func (t *naiveTree) match(tokens []int32) int {
	best := 0
	for _, n := range t.nodes {
		for k := t.pool.blockTokens; k <= min(len(n.path), len(tokens)); k += t.pool.blockTokens {
			if slices.Equal(n.path[:k], tokens[:k]) {
				best = max(best, k)
			}
		}
	}
	return best
}

func (t *naiveTree) parent(n *naiveNode) *naiveNode {
	for _, p := range t.nodes {
		if len(p.path) == n.start && isPrefix(p.path, n.path) {
			return p
		}
	}
	return nil
}

func (t *naiveTree) children(n *naiveNode) (kids []*naiveNode) {
	for _, c := range t.nodes {
		if c.start == len(n.path) && isPrefix(n.path, c.path) {
			kids = append(kids, c)
		}
	}
	return kids
}

func (t *naiveTree) busy(n *naiveNode) bool {
	return slices.ContainsFunc(t.nodes, func(m *naiveNode) bool { return m.pins > 0 && isPrefix(n.path, m.path) })
}

// at returns the node that ends exactly after tokens, cutting one that does not.
func (t *naiveTree) at(tokens []int32) *naiveNode {
	for _, n := range t.nodes {
		if slices.Equal(n.path, tokens) {
			return n
		}
	}
	for _, n := range t.nodes {
		if n.start < len(tokens) && isPrefix(tokens, n.path) {
			upper := &naiveNode{path: tokens, start: n.start, used: n.used, linked: t.tick(), owner: none, keeper: none}
			n.start, n.linked = len(tokens), t.tick()
			t.nodes = append(t.nodes, upper)
			return upper
		}
	}
	return nil
}

func (t *naiveTree) touch(n *naiveNode) {
	now := t.tick()
	for ; n != nil; n = t.parent(n) {
		n.used = now
	}
}

func (t *naiveTree) insert(tokens []int32, seq int32, blocks []BlockID) {
	t.pool.cached = append(t.pool.cached, blocks...)
	depth := t.match(tokens)
	above := t.at(tokens[:depth])
	leaf := &naiveNode{path: slices.Clone(tokens), start: depth, linked: t.tick(), owner: seq, keeper: none}
	t.nodes = append(t.nodes, leaf)
	t.owners[seq] = &naiveOwner{node: leaf, blocks: slices.Clone(blocks)}
	if above != nil {
		t.leave(above)
	}
	t.touch(leaf)
}

// cover is the first owner met by going to the newest child.
func (t *naiveTree) cover(n *naiveNode) int32 {
	for n.owner == none {
		n = slices.MaxFunc(t.children(n), func(a, b *naiveNode) int { return a.linked - b.linked })
	}
	return n.owner
}

func (t *naiveTree) pin(tokens []int32) *naiveNode {
	n := t.at(tokens)
	if n.pins == 0 {
		n.keeper = t.cover(n)
	}
	n.pins++
	return n
}

func (t *naiveTree) unpin(n *naiveNode) {
	var wasBusy []*naiveNode
	for m := n; m != nil; m = t.parent(m) {
		wasBusy = append(wasBusy, m)
	}
	n.pins--
	if n.pins == 0 {
		n.keeper = none
		t.leave(n)
	}
	now := t.tick()
	for _, m := range wasBusy {
		if !t.busy(m) {
			m.used = now
		}
	}
}

// leave parts an inner node from an owner that does not keep it.
func (t *naiveTree) leave(n *naiveNode) {
	if len(t.children(n)) == 0 || n.owner == none || n.owner == n.keeper {
		return
	}
	seq := n.owner
	n.owner = none
	t.retreat(seq, n)
}

// retreat makes an owner end at the deepest node above n that it keeps, or go.
func (t *naiveTree) retreat(seq int32, n *naiveNode) {
	for n = t.parent(n); n != nil; n = t.parent(n) {
		if n.keeper == seq {
			t.trim(seq, n)
			return
		}
	}
	t.cut(seq, 0)
	t.ops = append(t.ops, Op{Kind: Remove, Seq: seq})
	t.freed = append(t.freed, seq)
	delete(t.owners, seq)
}

func (t *naiveTree) trim(seq int32, n *naiveNode) {
	t.cut(seq, len(n.path)/t.pool.blockTokens)
	t.ops = append(t.ops, Op{Kind: Trim, Seq: seq, From: int32(len(n.path))})
	t.owners[seq].node, n.owner = n, seq
}

func (t *naiveTree) cut(seq int32, keep int) {
	o := t.owners[seq]
	for i := len(o.blocks) - 1; i >= keep; i-- {
		t.pool.release(&t.pool.cached, o.blocks[i])
	}
	o.blocks = o.blocks[:keep]
}

func (t *naiveTree) evict(why EvictReason) bool {
	var victim *naiveNode
	for _, n := range t.nodes {
		if len(t.children(n)) == 0 && !t.busy(n) && (victim == nil || n.used < victim.used) {
			victim = n
		}
	}
	if victim == nil {
		return false
	}
	above := t.parent(victim)
	t.evicted += len(victim.path) - victim.start
	t.log = append(t.log, Eviction{victim.owner, int32(len(victim.path) - victim.start), why})
	if above != nil && len(t.children(above)) == 1 && above.owner == none {
		t.trim(victim.owner, above)
	} else {
		t.retreat(victim.owner, victim)
	}
	t.nodes = slices.DeleteFunc(t.nodes, func(n *naiveNode) bool { return n == victim })
	return true
}
