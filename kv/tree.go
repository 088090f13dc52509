package kv

import (
	"errors"
	"slices"
)

var (
	// ErrStale means that a handle's subject is gone: the node was evicted, the
	// pin dropped, or the request released.
	ErrStale = errors.New("kv: stale handle")
	// ErrCached means that the tokens are all cached already.
	ErrCached = errors.New("kv: tokens are cached already")
)

// PrefixTree is a radix tree over the tokens of the owners, cut at block
// boundaries. See the package comment for how nodes and owners relate. With P the
// number of nodes on a path: Match is O(tokens); Pin, Unpin and EvictOne are O(P)
// besides giving an owner's blocks back; none depends on how much is cached, and
// none allocates once the tree has reached its size.
type PrefixTree struct {
	pool *Pool
	ids  *SeqIDs
	log  *OpLog

	nodes     []node
	freeNodes []int32
	count     int // nodes in the tree, the root included
	index     childIndex
	lru       lru

	owners   []owner // by sequence id
	keepers  int     // owners that keep a pinned node
	pins     []pinSlot
	freePins []int32

	splits    uint64
	evicted   uint64 // tokens
	evictions evictionLog

	newestFirst bool // EvictNewestFirst was called
}

// Match is how far the tree covers a prompt. It is a reading, not a hold: pin it
// before anything else is done to the tree. The zero Match is that of no tokens.
type Match struct {
	Tokens int // whole blocks
	node   int32
	gen    uint32
}

// NewPrefixTree returns an empty tree. It takes blocks of pool for its owners,
// gives the owners' sequence ids back to ids, and writes what the backend must do
// to log.
func NewPrefixTree(pool *Pool, ids *SeqIDs, log *OpLog) *PrefixTree {
	t := &PrefixTree{pool: pool, ids: ids, log: log, lru: lru{none, none}, owners: make([]owner, ids.Len())}
	t.newNode(nil, 0)
	return t
}

// Match returns the longest prefix of tokens, in whole blocks, that is cached. It
// changes nothing, not even the order of eviction.
func (t *PrefixTree) Match(tokens []int32) Match {
	bt := t.pool.blockTokens
	limit := len(tokens) / bt * bt
	at, depth := root, 0
	for depth < limit {
		child := t.index.find(t.nodes, at, tokens[depth:depth+bt])
		if child == none {
			break
		}
		run := t.nodes[child].run
		common := bt + commonPrefix(run[bt:], tokens[depth+bt:limit])/bt*bt
		at, depth = child, depth+common
		if common < len(run) {
			break
		}
	}
	return Match{Tokens: depth, node: at, gen: t.nodes[at].gen}
}

// To shortens a match to a depth in whole blocks.
func (m Match) To(tokens int) Match {
	m.Tokens = min(m.Tokens, tokens)
	return m
}

// Touch makes a matched path the most recently used one.
func (t *PrefixTree) Touch(m Match) error {
	if !t.live(m) {
		return ErrStale
	}
	for i := m.node; i != root && !t.nodes[i].busy(); i = t.nodes[i].parent {
		t.lru.remove(t.nodes, i)
		t.lru.pushLast(t.nodes, i)
	}
	return nil
}

// Insert caches tokens (whole blocks, at least one, beyond what Match finds) with
// the idle sequence seq as their owner and its blocks, to which it adds cached
// holds. From then on seq belongs to the tree. It changes nothing and returns
// ErrCached when the tokens are all cached already, ErrBlock when the lengths
// disagree or a block is free, and ErrSeq when seq is not taken or is an owner.
func (t *PrefixTree) Insert(tokens []int32, seq int32, blocks []BlockID) (Match, error) {
	bt := t.pool.blockTokens
	if len(tokens) == 0 || len(tokens) != len(blocks)*bt {
		return Match{}, ErrBlock
	}
	if uint(seq) >= uint(len(t.owners)) || t.ids.state[seq] != seqTaken {
		return Match{}, ErrSeq
	}
	m := t.Match(tokens)
	if m.Tokens == len(tokens) {
		return Match{}, ErrCached
	}
	if err := t.adopt(seq, blocks); err != nil {
		return Match{}, err
	}
	parent := t.splitAt(m)
	leaf := t.newNode(slices.Clone(tokens[m.Tokens:]), len(tokens))
	t.link(parent, leaf)
	t.attach(seq, leaf)
	t.lru.pushLast(t.nodes, leaf)
	t.leaveInner(parent)
	m = Match{Tokens: len(tokens), node: leaf, gen: t.nodes[leaf].gen}
	return m, t.Touch(m)
}

// EvictOne evicts the least recently used leaf that is not pinned and reports
// whether there was one. The reason is for the log alone.
func (t *PrefixTree) EvictOne(why EvictReason) bool {
	i := t.lru.first
	if t.newestFirst {
		i = t.lru.newest(t.nodes)
	}
	if i == none {
		return false
	}
	n := &t.nodes[i]
	parent, seq := n.parent, n.owner
	t.evicted += uint64(len(n.run))
	t.evictions.add(seq, len(n.run), why)
	t.lru.remove(t.nodes, i)
	t.unlink(i)
	t.freeNode(i)
	if p := &t.nodes[parent]; parent != root && p.child == none && p.owner == none {
		t.trimOwner(seq, parent)
	} else {
		t.retreat(seq, parent)
	}
	return true
}

// live reports whether a match's node is still in the tree.
func (t *PrefixTree) live(m Match) bool {
	return uint(m.node) < uint(len(t.nodes)) && t.nodes[m.node].gen == m.gen && m.Tokens <= t.nodes[m.node].end
}

// splitAt returns the node on the match's path that ends at its depth, cutting an
// edge when none does.
func (t *PrefixTree) splitAt(m Match) int32 {
	i := m.node
	for i != root && t.nodes[i].start() >= m.Tokens {
		i = t.nodes[i].parent
	}
	if t.nodes[i].end > m.Tokens {
		i = t.split(i, m.Tokens)
	}
	return i
}

// commonPrefix is the number of leading tokens that a and b share. It compares 16
// tokens at a time, which the compiler turns into one vector comparison.
func commonPrefix(a, b []int32) int {
	n, i := min(len(a), len(b)), 0
	a, b = a[:n], b[:n]
	for ; i+16 <= n; i += 16 {
		if *(*[16]int32)(a[i:]) != *(*[16]int32)(b[i:]) {
			break
		}
	}
	for ; i < n; i++ {
		if a[i] != b[i] {
			break
		}
	}
	return i
}
