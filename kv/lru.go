package kv

// lru orders the nodes that are not busy by their last use, the longest unused
// first. A use moves a whole path, the deepest node first, so below any node in
// the order there is none of its descendants that comes later. Hence the first
// node never has children that are not busy, nor busy ones (it would be busy
// itself): the first node is the least recently used leaf that may be evicted. The
// order is the logical clock; finding the victim is O(1).
type lru struct{ first, last int32 }

func (l *lru) pushLast(nodes []node, i int32) {
	n := &nodes[i]
	n.lruPrev, n.lruNxt = l.last, none
	if l.last != none {
		nodes[l.last].lruNxt = i
	} else {
		l.first = i
	}
	l.last = i
}

func (l *lru) remove(nodes []node, i int32) {
	n := &nodes[i]
	if n.lruPrev != none {
		nodes[n.lruPrev].lruNxt = n.lruNxt
	} else {
		l.first = n.lruNxt
	}
	if n.lruNxt != none {
		nodes[n.lruNxt].lruPrev = n.lruPrev
	} else {
		l.last = n.lruPrev
	}
	n.lruPrev, n.lruNxt = none, none
}

// newest is the leaf that was used last among those that may be evicted, or none.
// The last nodes of the order may be inner ones: a use moves a path's leaf first.
func (l *lru) newest(nodes []node) int32 {
	i := l.last
	for i != none && nodes[i].child != none {
		i = nodes[i].lruPrev
	}
	return i
}
