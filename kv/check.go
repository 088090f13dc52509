package kv

import (
	"fmt"
	"slices"
)

// Check verifies in O(size) that the tree's links, index, eviction order, owners
// and pins agree with one another.
func (t *PrefixTree) Check() error {
	seen, busy, leaves := 1, 0, 0
	keeps := make([]int32, len(t.owners))
	var walk func(i int32, path []int32) error
	walk = func(i int32, path []int32) error {
		n := &t.nodes[i]
		if n.pins > 0 {
			keeps[n.keeper]++
		} else if n.keeper != none {
			return fmt.Errorf("kv: node %d has a keeper and no pin", i)
		}
		if n.owner != none && t.owners[n.owner].node != i {
			return fmt.Errorf("kv: node %d and owner %d disagree", i, n.owner)
		}
		if n.owner != none && n.child != none && n.owner != n.keeper {
			return fmt.Errorf("kv: owner %d ends at inner node %d and does not keep it", n.owner, i)
		}
		if i != root && n.child == none {
			leaves++
			if n.owner == none {
				return fmt.Errorf("kv: leaf %d has no owner", i)
			}
		}
		busyKids := int32(0)
		for c, newer := n.child, none; c != none; newer, c = c, t.nodes[c].older {
			k := &t.nodes[c]
			full := slices.Concat(path, k.run)
			switch {
			case k.parent != i || k.newer != newer:
				return fmt.Errorf("kv: node %d is not linked to its parent %d", c, i)
			case len(k.run) == 0 || len(k.run)%t.pool.blockTokens != 0 || k.end != len(full):
				return fmt.Errorf("kv: node %d has %d tokens to depth %d of %d", c, len(k.run), k.end, len(full))
			case t.index.find(t.nodes, i, k.run[:t.pool.blockTokens]) != c:
				return fmt.Errorf("kv: node %d is not found under its parent", c)
			}
			seen++
			if k.busy() {
				busyKids++
				busy++
			}
			if err := walk(c, full); err != nil {
				return err
			}
		}
		if busyKids != n.busyKids {
			return fmt.Errorf("kv: node %d has %d busy children, it counts %d", i, busyKids, n.busyKids)
		}
		return nil
	}
	if err := walk(root, nil); err != nil {
		return err
	}
	if seen != t.count || seen != t.index.count+1 || seen+len(t.freeNodes) != len(t.nodes) {
		return fmt.Errorf("kv: %d nodes, %d counted, %d indexed besides the root, %d free of %d slots",
			seen, t.count, t.index.count, len(t.freeNodes), len(t.nodes))
	}
	if err := t.checkOrder(seen - 1 - busy); err != nil {
		return err
	}
	return t.checkOwners(keeps, leaves)
}

// checkOrder verifies that the eviction order holds the nodes that are not busy,
// descendants before ancestors.
func (t *PrefixTree) checkOrder(idle int) error {
	at := map[int32]int{}
	for i, prev := t.lru.first, none; i != none; prev, i = i, t.nodes[i].lruNxt {
		if t.nodes[i].busy() || t.nodes[i].lruPrev != prev {
			return fmt.Errorf("kv: node %d is wrongly in the order of eviction", i)
		}
		at[i] = len(at)
	}
	if len(at) != idle {
		return fmt.Errorf("kv: %d nodes may be evicted, %d are in the order of eviction", idle, len(at))
	}
	for i, place := range at {
		if above, ok := at[t.nodes[i].parent]; ok && above < place {
			return fmt.Errorf("kv: node %d would be evicted after its parent", i)
		}
	}
	return nil
}

func (t *PrefixTree) checkOwners(keeps []int32, leaves int) error {
	live, keepers := 0, 0
	for seq := range t.owners {
		o := &t.owners[seq]
		if t.ids.state[seq] != seqOwned {
			continue
		}
		live++
		n := &t.nodes[o.node]
		if n.owner != int32(seq) || len(o.blocks)*t.pool.blockTokens != n.end {
			return fmt.Errorf("kv: owner %d has %d blocks and ends at node %d of depth %d with owner %d",
				seq, len(o.blocks), o.node, n.end, n.owner)
		}
		if o.keeps != keeps[seq] {
			return fmt.Errorf("kv: owner %d keeps %d nodes, it counts %d", seq, keeps[seq], o.keeps)
		}
		if o.keeps > 0 {
			keepers++
		}
		for i := o.node; i != root; i = t.nodes[i].parent {
			if t.nodes[i].keeper == int32(seq) {
				keeps[seq]--
			}
		}
		if keeps[seq] != 0 {
			return fmt.Errorf("kv: owner %d keeps a node that it does not cover", seq)
		}
	}
	if live != t.ids.owned || live < leaves || keepers != t.keepers {
		return fmt.Errorf("kv: %d owners of %d owned ids for %d leaves; %d keep, %d counted",
			live, t.ids.owned, leaves, keepers, t.keepers)
	}
	return nil
}

// checkHolds verifies that the pool's holds are exactly those of the running
// requests and the given owners.
func (c *requests) checkHolds(owners []owner) error {
	want := make([]holds, c.pool.Len())
	running, written := 0, 0
	for seq := range c.slots {
		s := &c.slots[seq]
		for _, b := range s.table.blocks {
			want[b].hard++
		}
		if s.live {
			running++
			written += s.written
		} else if len(s.table.blocks) > 0 {
			return fmt.Errorf("kv: sequence %d does not run and has %d blocks", seq, len(s.table.blocks))
		}
		if s.live != (c.ids.state[seq] == seqTaken) {
			return fmt.Errorf("kv: sequence %d: running %v, id state %d", seq, s.live, c.ids.state[seq])
		}
	}
	if running != c.running || written != c.written {
		return fmt.Errorf("kv: %d requests with %d tokens run, %d with %d are counted", running, written, c.running, c.written)
	}
	for seq := range owners {
		if c.ids.state[seq] == seqOwned {
			for _, b := range owners[seq].blocks {
				want[b].cached++
			}
		}
	}
	for b, w := range want {
		if w != c.pool.holds[b] {
			return fmt.Errorf("kv: block %d has holds %v, the pool counts %v", b, w, c.pool.holds[b])
		}
	}
	if err := c.pool.Check(); err != nil {
		return err
	}
	return c.ids.Check()
}

// Check implements [Cache].
func (c *Contiguous) Check() error { return c.checkHolds(nil) }

// Check implements [Cache].
func (p *Paged) Check() error {
	if err := p.checkHolds(p.tree.owners); err != nil {
		return err
	}
	if err := p.tree.Check(); err != nil {
		return err
	}
	var total Promise
	for seq := range p.slots {
		s := &p.slots[seq]
		if !s.live {
			continue
		}
		if left := p.pool.BlocksFor(s.limit) - len(s.table.blocks); s.promise.Blocks() != left {
			return fmt.Errorf("kv: sequence %d is promised %d blocks, it may still take %d", seq, s.promise.Blocks(), left)
		}
		total.Firm += s.promise.Firm
		total.Growth += s.promise.Growth
	}
	if total != p.ledger.total {
		return fmt.Errorf("kv: requests are promised %v blocks, the ledger says %v", total, p.ledger.total)
	}
	available := p.pool.Free() + p.pool.Cached()
	if p.cfg.Optimism == 0 && total.Blocks() > available || total.Firm > available {
		return fmt.Errorf("kv: %v blocks are promised, %d are available", total, available)
	}
	return nil
}
