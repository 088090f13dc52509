package kv

// owner is an idle sequence whose cells cover the path from the root to node.
type owner struct {
	node   int32     // where it ends: a leaf, or a pinned node that it keeps
	keeps  int32     // pinned nodes that it keeps
	blocks []BlockID // of the whole path, with cached holds
}

// adopt makes an owner of a sequence that has no node yet.
func (t *PrefixTree) adopt(seq int32, blocks []BlockID) error {
	o := &t.owners[seq]
	o.blocks = o.blocks[:0]
	for _, b := range blocks {
		if err := t.pool.retainCached(b); err != nil {
			t.dropBlocks(seq, 0)
			return err
		}
		o.blocks = append(o.blocks, b)
	}
	t.ids.own(seq)
	return nil
}

func (t *PrefixTree) attach(seq, node int32) {
	t.owners[seq].node = node
	t.nodes[node].owner = seq
}

// cover returns an owner whose cells cover the path to a node other than the root:
// the first that is met on the way down by the newest child at every step.
func (t *PrefixTree) cover(i int32) int32 {
	for t.nodes[i].owner == none {
		i = t.nodes[i].child
	}
	return t.nodes[i].owner
}

// leaveInner lets go of the owner that ends at a node with children unless it
// keeps that node: owners further down cover it.
func (t *PrefixTree) leaveInner(i int32) {
	n := &t.nodes[i]
	if i == root || n.child == none || n.owner == none || n.owner == n.keeper {
		return
	}
	seq := n.owner
	n.owner = none
	t.retreat(seq, n.parent)
}

// retreat trims an owner that is not needed below a node to the deepest node at or
// above it that the owner keeps, or removes the owner when it keeps none.
func (t *PrefixTree) retreat(seq, from int32) {
	if t.owners[seq].keeps == 0 {
		t.removeOwner(seq)
		return
	}
	for t.nodes[from].keeper != seq {
		from = t.nodes[from].parent
	}
	t.trimOwner(seq, from)
}

// trimOwner makes an owner end at an ancestor of where it ended.
func (t *PrefixTree) trimOwner(seq, node int32) {
	depth := t.nodes[node].end
	t.dropBlocks(seq, depth/t.pool.blockTokens)
	t.log.trim(seq, depth)
	t.attach(seq, node)
}

func (t *PrefixTree) removeOwner(seq int32) {
	t.dropBlocks(seq, 0)
	t.log.remove(seq)
	t.ids.disown(seq)
}

// dropBlocks gives back an owner's blocks from the last to number keep.
func (t *PrefixTree) dropBlocks(seq int32, keep int) {
	o := &t.owners[seq]
	for len(o.blocks) > keep {
		last := len(o.blocks) - 1
		t.pool.releaseCached(o.blocks[last])
		o.blocks = o.blocks[:last]
	}
}
