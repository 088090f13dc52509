package kv

import (
	"fmt"
	"testing"
)

// fill caches n paths of the given number of blocks that have a system prompt of
// share blocks in common, and returns the last one's tokens.
func fill(b *testing.B, tree *PrefixTree, n, blocks, share int) []int32 {
	b.Helper()
	bt := tree.pool.blockTokens
	tokens := make([]int32, blocks*bt)
	system := NewTable(tree.pool)
	ensure(system.Append(share * bt))
	for i := range n {
		for j := share * bt; j < len(tokens); j++ {
			tokens[j] = int32(i*31 + j)
		}
		own := NewTable(tree.pool)
		ensure(own.Share(system.blocks, share*bt))
		ensure(own.Append((blocks - share) * bt))
		must(tree.Insert(tokens, must(tree.ids.Take()), own.blocks))
		ensure(own.Release())
	}
	ensure(system.Release())
	return tokens
}

func emptyTree(blocks, seqs int) *PrefixTree {
	return NewPrefixTree(must(NewPool(blocks, 16)), must(NewSeqIDs(seqs)), new(OpLog))
}

// BenchmarkPrefixMatch matches a cached prompt of the given number of tokens.
// "edges" is the same path cut into an edge per block, the worst case.
func BenchmarkPrefixMatch(b *testing.B) {
	for _, n := range []int{128, 256, 512, 1024, 2048} {
		for _, cut := range []bool{false, true} {
			name := fmt.Sprint(n)
			if cut {
				name += "-edges"
			}
			b.Run(name, func(b *testing.B) {
				tree := emptyTree(8192, 64)
				prompt := fill(b, tree, 16, n/16, n/32)
				for depth := 16; cut && depth < n; depth += 16 {
					must(tree.Pin(tree.Match(prompt).To(depth)))
				}
				b.ReportAllocs()
				for b.Loop() {
					if tree.Match(prompt).Tokens != n {
						b.Fatal("no match")
					}
				}
			})
		}
	}
}

func BenchmarkCanAppend(b *testing.B) {
	table := NewTable(must(NewPool(64, 16)))
	ensure(table.Append(540))
	can := 0
	for b.Loop() {
		if table.CanAppend(1) {
			can++
		}
	}
	if can == 0 {
		b.Fatal("it can")
	}
}

// BenchmarkAllocRelease34 takes and gives back the 34 blocks of a 540-token table.
func BenchmarkAllocRelease34(b *testing.B) {
	table := NewTable(must(NewPool(64, 16)))
	b.ReportAllocs()
	for b.Loop() {
		ensure(table.Append(540))
		ensure(table.Release())
	}
}

// BenchmarkCached is a lookup of 512 tokens, and the insertion and eviction of a
// 32-block path beside a system prompt of 16 blocks, in caches of two sizes.
func BenchmarkCached(b *testing.B) {
	for _, blocks := range []int{1000, 100_000} {
		paths := (blocks - 16) / 16
		b.Run(fmt.Sprintf("match/%d", blocks), func(b *testing.B) {
			tree := emptyTree(blocks+64, paths+2)
			prompt := fill(b, tree, paths, 32, 16)
			b.ReportAllocs()
			for b.Loop() {
				if tree.Match(prompt).Tokens != 512 {
					b.Fatal("no match")
				}
			}
		})
		b.Run(fmt.Sprintf("insert-evict/%d", blocks), func(b *testing.B) {
			tree := emptyTree(blocks+64, paths+2)
			prompt := fill(b, tree, paths, 32, 16)
			table := NewTable(tree.pool)
			pin := must(tree.Pin(tree.Match(prompt[:256])))
			system := tree.source(pin).blocks[:16]
			i := int32(1 << 24)
			b.ReportAllocs()
			for b.Loop() {
				i++
				prompt[256] = i
				ensure(table.Share(system, 256))
				ensure(table.Append(256))
				must(tree.Insert(prompt, must(tree.ids.Take()), table.blocks))
				ensure(table.Release())
				if !tree.EvictOne(OnDemand) {
					b.Fatal("nothing to evict")
				}
				tree.log.ops = tree.log.ops[:0]
			}
		})
	}
}

// BenchmarkRequest admits a 540-token prompt of which 496 are cached, computes it
// and 48 tokens of output one at a time, and keeps nothing.
func BenchmarkRequest(b *testing.B) {
	c := must(NewPaged(Config{Blocks: 1024, Prefix: true}))
	prompt := make([]int32, 540)
	for i := range prompt {
		prompt[i] = int32(i)
	}
	g, _ := c.Admit(Request{Prompt: prompt[:496], MaxTokens: 48})
	ensure(c.Reserve(g.Lease, 496))
	ensure(c.Commit(g.Lease, 496))
	ensure(c.Release(g.Lease, prompt[:496]))
	ops := c.Ops(nil)
	b.ReportAllocs()
	for b.Loop() {
		g, v := c.Admit(Request{Prompt: prompt, MaxTokens: 48})
		if v.Decision != Fits || g.Hit != 496 {
			b.Fatal(g, v)
		}
		for n := 540; n < 588; n++ {
			ensure(c.Reserve(g.Lease, n))
			ensure(c.Commit(g.Lease, n))
		}
		ensure(c.Release(g.Lease, nil))
		ops = c.Ops(ops[:0])
	}
}
