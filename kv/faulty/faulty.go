// Package faulty puts mistakes into a KV cache, to prove that a regression gate sees them.
// Each is one that a careless change could make, and no configuration has one: tests and
// `gate --prove` wrap them around the cache.
package faulty

import "github.com/cadence-bench/cadence-bench/kv"

// ReverseEviction makes a paged cache evict the leaf that was used last instead of the one
// that was not used for longest. Any other cache evicts nothing and stays as it is.
func ReverseEviction(c kv.Cache) kv.Cache {
	if p, ok := c.(*kv.Paged); ok {
		p.EvictNewestFirst()
	}
	return c
}

// Leak returns the decorator by which a request that ends never gives its last n blocks
// back, as far as it has them. The pool shrinks with every request, until nothing fits any
// more. What is promised to others stays there for them: a leaked block was the request's
// own until then.
func Leak(n int) func(kv.Cache) kv.Cache {
	return func(c kv.Cache) kv.Cache {
		return sharing(&leak{Cache: c, blocks: c.(holder), n: n}, c)
	}
}

// holder is a cache that shows which blocks it holds for whom, as each of package kv does.
type holder interface {
	Pool() *kv.Pool
	Blocks(kv.Lease) []kv.BlockID
}

type leak struct {
	kv.Cache
	blocks holder
	n      int
}

// Release implements kv.Cache: the last blocks get a hold that nobody drops.
func (f *leak) Release(l kv.Lease, keep []int32) error {
	blocks := f.blocks.Blocks(l)
	for _, b := range blocks[max(0, len(blocks)-f.n):] {
		if err := f.blocks.Pool().Retain(b); err != nil {
			return err
		}
	}
	return f.Cache.Release(l, keep)
}

// Garbage returns the decorator by which a cache allocates n objects in vain in every step.
func Garbage(n int) func(kv.Cache) kv.Cache {
	return func(c kv.Cache) kv.Cache { return sharing(&garbage{Cache: c, n: n}, c) }
}

type garbage struct {
	kv.Cache
	n    int
	last *kv.Stats // so that each allocation lasts until the next
}

// Ops implements kv.Cache, which a scheduler calls once a step.
func (f *garbage) Ops(dst []kv.Op) []kv.Op {
	for range f.n {
		f.last = new(kv.Stats)
	}
	return f.Cache.Ops(dst)
}

// sharing is a decorated cache that shares what its origin shares.
func sharing(decorated, origin kv.Cache) kv.Cache {
	if s, ok := origin.(kv.Sharer); ok {
		return struct {
			kv.Cache
			kv.Sharer
		}{decorated, s}
	}
	return decorated
}
