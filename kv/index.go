package kv

import "math/bits"

// childIndex finds the child of a node by the first block of its run. It is one
// chained hash table for the whole tree, so a node with a hundred thousand
// children costs no more than a node with one. The hash only selects a chain; the
// tokens themselves are always compared.
type childIndex struct {
	heads []int32 // a power of two of them
	count int
}

func (x *childIndex) find(nodes []node, parent int32, block []int32) int32 {
	if len(x.heads) == 0 {
		return none
	}
	h := blockHash(parent, block)
	for i := x.heads[h&uint64(len(x.heads)-1)]; i != none; i = nodes[i].bucketNext {
		n := &nodes[i]
		if n.hash == h && n.parent == parent && commonPrefix(n.run, block) == len(block) {
			return i
		}
	}
	return none
}

// add enters a node under its parent and the first block of its run.
func (x *childIndex) add(nodes []node, i int32, blockTokens int) {
	if x.count == len(x.heads) {
		x.grow(nodes)
	}
	n := &nodes[i]
	n.hash = blockHash(n.parent, n.run[:blockTokens])
	head := &x.heads[n.hash&uint64(len(x.heads)-1)]
	n.bucketNext, *head = *head, i
	x.count++
}

func (x *childIndex) remove(nodes []node, i int32) {
	at := &x.heads[nodes[i].hash&uint64(len(x.heads)-1)]
	for *at != i {
		at = &nodes[*at].bucketNext
	}
	*at = nodes[i].bucketNext
	x.count--
}

func (x *childIndex) grow(nodes []node) {
	old := x.heads
	x.heads = make([]int32, max(16, 2*len(old)))
	for b := range x.heads {
		x.heads[b] = none
	}
	for _, i := range old {
		for i != none {
			next := nodes[i].bucketNext
			head := &x.heads[nodes[i].hash&uint64(len(x.heads)-1)]
			nodes[i].bucketNext, *head = *head, i
			i = next
		}
	}
}

// blockHash mixes a parent and a block by the folded 64 × 64 → 128 bit product of
// wyhash (Wang Yi, https://github.com/wangyi-fudan/wyhash), whose first two secret
// constants it uses.
func blockHash(parent int32, block []int32) uint64 {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := uint64(uint32(parent)) ^ k0
	for len(block) >= 4 {
		a := uint64(uint32(block[0])) | uint64(uint32(block[1]))<<32
		b := uint64(uint32(block[2])) | uint64(uint32(block[3]))<<32
		hi, lo := bits.Mul64(a^k1, b^h)
		h = hi ^ lo
		block = block[4:]
	}
	for _, tok := range block {
		hi, lo := bits.Mul64(uint64(uint32(tok))^k1, h^k0)
		h = hi ^ lo
	}
	return h
}
