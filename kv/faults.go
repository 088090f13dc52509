package kv

// Faults are mistakes that a cache makes on purpose. They are there to prove that a
// regression gate sees such mistakes, and for nothing else: no ladder file, flag or
// parameter sets them. The zero Faults makes none and costs one comparison where a
// fault would be.
type Faults struct {
	// ReverseEviction evicts the leaf that was used last instead of the one that was
	// not used for longest.
	ReverseEviction bool
	// LeakPerRequest is how many blocks a request never gives back when it ends: the
	// last ones of its table, as far as it has them. The pool shrinks with every
	// request, until nothing fits any more. What is promised to others stays there
	// for them: a leaked block was the request's own until then.
	LeakPerRequest int
	// GarbagePerStep is how many objects the cache allocates in vain in every step.
	GarbagePerStep int
}

// leak takes the last n blocks out of the table without giving them back.
func (t *Table) leak(n int) {
	if n > 0 {
		t.blocks = t.blocks[:max(0, len(t.blocks)-n)]
	}
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

// litter allocates n objects that the collector must find again.
func (c *requests) litter(n int) {
	for range n {
		c.garbage = new(Stats)
	}
}
