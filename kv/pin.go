package kv

// Pin holds a node of the tree: neither it nor its path is evicted, and its keeper
// is not trimmed below it. The zero Pin holds nothing.
type Pin struct {
	slot int32 // index + 1
	gen  uint32
}

type pinSlot struct {
	node int32 // none while the slot is free
	gen  uint32
}

// Pin holds the path of a match down to its depth, cutting an edge there. It
// returns ErrStale when the match's node has been evicted since, and the zero Pin
// for a match of no tokens.
func (t *PrefixTree) Pin(m Match) (Pin, error) {
	if m.Tokens == 0 {
		return Pin{}, nil
	}
	if !t.live(m) {
		return Pin{}, ErrStale
	}
	i := t.splitAt(m)
	return t.hold(i, t.cover(i)), nil
}

// repin moves a live pin up to a depth, with the same keeper. The result is the
// zero Pin when the depth is 0 or another owner keeps the node there already.
func (t *PrefixTree) repin(p Pin, tokens int) Pin {
	i := t.pins[p.slot-1].node
	keeper := t.nodes[i].keeper
	var up Pin
	if tokens > 0 {
		above := t.splitAt(Match{Tokens: tokens, node: i})
		if k := t.nodes[above].keeper; k == none || k == keeper {
			up = t.hold(above, keeper)
		}
	}
	ensure(t.Unpin(p))
	return up
}

// hold pins a node and makes keeper its keeper if it has none.
func (t *PrefixTree) hold(i, keeper int32) Pin {
	t.addPin(i, keeper)
	n := len(t.freePins)
	if n == 0 {
		t.pins = append(t.pins, pinSlot{node: i})
		return Pin{slot: int32(len(t.pins))}
	}
	slot := t.freePins[n-1]
	t.freePins = t.freePins[:n-1]
	t.pins[slot].node = i
	return Pin{slot: slot + 1, gen: t.pins[slot].gen}
}

// Unpin lets go. It returns ErrStale when the pin has been dropped already, and
// does nothing for the zero Pin.
func (t *PrefixTree) Unpin(p Pin) error {
	if p == (Pin{}) {
		return nil
	}
	if !t.holds(p) {
		return ErrStale
	}
	s := &t.pins[p.slot-1]
	i := s.node
	s.node = none
	s.gen++
	t.freePins = append(t.freePins, p.slot-1)
	t.dropPin(i)
	return nil
}

// Source returns the sequence to copy from for a pinned prefix and how many tokens
// that sequence has, at least those of the prefix. It returns ErrStale when the pin
// has been dropped, and for the zero Pin.
func (t *PrefixTree) Source(p Pin) (seq int32, tokens int, err error) {
	if !t.holds(p) {
		return none, 0, ErrStale
	}
	src := t.source(p)
	return src.seq, src.tokens, nil
}

type source struct {
	seq    int32
	tokens int
	blocks []BlockID
}

// source is the keeper of a live pin.
func (t *PrefixTree) source(p Pin) source {
	keeper := t.nodes[t.pins[p.slot-1].node].keeper
	blocks := t.owners[keeper].blocks
	return source{keeper, len(blocks) * t.pool.blockTokens, blocks}
}

func (t *PrefixTree) holds(p Pin) bool {
	return p.slot >= 1 && int(p.slot) <= len(t.pins) && t.pins[p.slot-1].gen == p.gen
}

func (t *PrefixTree) addPin(i, keeper int32) {
	n := &t.nodes[i]
	if n.pins == 0 {
		n.keeper = keeper
		k := &t.owners[keeper]
		k.keeps++
		if k.keeps == 1 {
			t.keepers++
		}
	}
	wasBusy := n.busy()
	n.pins++
	for !wasBusy {
		t.lru.remove(t.nodes, i)
		i = t.nodes[i].parent
		wasBusy = t.nodes[i].busy() || i == root
		t.nodes[i].busyKids++
	}
}

func (t *PrefixTree) dropPin(i int32) {
	n := &t.nodes[i]
	n.pins--
	if n.pins == 0 {
		k := &t.owners[n.keeper]
		k.keeps--
		if k.keeps == 0 {
			t.keepers--
		}
		n.keeper = none
		t.leaveInner(i)
	}
	for i != root && !t.nodes[i].busy() {
		t.lru.pushLast(t.nodes, i)
		i = t.nodes[i].parent
		t.nodes[i].busyKids--
	}
}

// removable is the number of owners that eviction can remove altogether.
func (t *PrefixTree) removable() int { return t.ids.owned - t.keepers }
