package kv

// Nodes live in one slice and are named by index; the root is index 0. A freed
// node's slot is reused with the next generation, so an old handle is told apart.

const (
	root int32 = 0
	none int32 = -1
)

type node struct {
	run []int32 // the edge from the parent: whole blocks of tokens
	end int     // depth in tokens at the end of run
	gen uint32

	parent, child   int32 // child is the newest child
	older, newer    int32 // siblings
	bucketNext      int32 // in childIndex
	hash            uint64
	lruPrev, lruNxt int32 // in lru, while not busy

	owner    int32 // the owner that ends here, or none; never none at a leaf
	keeper   int32 // while pinned: the owner that covers the node until the last unpin
	pins     int32
	busyKids int32 // children that are busy
}

// busy reports whether the node or one below it is pinned.
func (n *node) busy() bool { return n.pins > 0 || n.busyKids > 0 }

func (n *node) start() int { return n.end - len(n.run) }

// newNode takes a node slot. It may move t.nodes.
func (t *PrefixTree) newNode(run []int32, end int) int32 {
	fresh := node{
		run: run, end: end,
		parent: none, child: none, older: none, newer: none, bucketNext: none,
		lruPrev: none, lruNxt: none, owner: none, keeper: none,
	}
	t.count++
	if n := len(t.freeNodes); n > 0 {
		i := t.freeNodes[n-1]
		t.freeNodes = t.freeNodes[:n-1]
		fresh.gen = t.nodes[i].gen
		t.nodes[i] = fresh
		return i
	}
	t.nodes = append(t.nodes, fresh)
	return int32(len(t.nodes) - 1)
}

func (t *PrefixTree) freeNode(i int32) {
	n := &t.nodes[i]
	n.run = nil
	n.gen++
	t.freeNodes = append(t.freeNodes, i)
	t.count--
}

// link makes child the newest child of parent.
func (t *PrefixTree) link(parent, child int32) {
	p, c := &t.nodes[parent], &t.nodes[child]
	c.parent, c.older, c.newer = parent, p.child, none
	if p.child != none {
		t.nodes[p.child].newer = child
	}
	p.child = child
	t.index.add(t.nodes, child, t.pool.blockTokens)
}

// unlink takes a node from its parent.
func (t *PrefixTree) unlink(child int32) {
	t.index.remove(t.nodes, child)
	c := &t.nodes[child]
	if c.newer != none {
		t.nodes[c.newer].older = c.older
	} else {
		t.nodes[c.parent].child = c.older
	}
	if c.older != none {
		t.nodes[c.older].newer = c.newer
	}
}

// split cuts a node's run at a depth inside it and returns the new upper part. The
// node itself stays the lower part, so handles to it still mean its end. The caller
// goes on to touch or pin the upper part, which gives it its place in the order.
func (t *PrefixTree) split(i int32, depth int) int32 {
	at := depth - t.nodes[i].start()
	upper := t.newNode(t.nodes[i].run[:at:at], depth)
	parent := t.nodes[i].parent
	t.unlink(i)
	t.nodes[i].run = t.nodes[i].run[at:]
	t.link(parent, upper)
	t.link(upper, i)
	if t.nodes[i].busy() {
		t.nodes[upper].busyKids = 1
	} else {
		t.lru.pushLast(t.nodes, upper)
	}
	t.splits++
	return upper
}
