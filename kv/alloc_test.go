package kv

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// In the steady state nothing but a publication's own tokens is allocated.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	c := must(NewPaged(Config{Blocks: 256, Prefix: true, LogEvictions: true}))
	prompt := make([]int32, 520)
	for i := range prompt {
		prompt[i] = int32(i)
	}
	g, _ := c.Admit(Request{Prompt: prompt, MaxTokens: 8})
	ensure(c.Reserve(g.Lease, 520))
	ensure(c.Commit(g.Lease, 520))
	ensure(c.Release(g.Lease, prompt))
	other := append(append([]int32{}, prompt[:400]...), make([]int32, 120)...)
	ops := c.Ops(nil)
	var evictions []Eviction
	table := NewTable(c.pool)

	for name, f := range map[string]func(){
		"match":   func() { c.tree.Match(prompt) },
		"probe":   func() { c.Probe(prompt) },
		"pending": func() { c.Pending(prompt) },
		"pin": func() {
			ensure(c.tree.Unpin(must(c.tree.Pin(c.tree.Match(other)))))
		},
		"can append": func() { table.CanAppend(1) },
		"append and release": func() {
			ensure(table.Append(544))
			ensure(table.Release())
		},
		"request": func() {
			g, v := c.Admit(Request{Prompt: other, MaxTokens: 8})
			if v.Decision != Fits || g.Hit != 400 {
				t.Fatal(g, v)
			}
			for n := g.Hit + 1; n <= len(other); n++ {
				ensure(c.Reserve(g.Lease, n))
				ensure(c.Commit(g.Lease, n))
			}
			ensure(c.Release(g.Lease, nil))
			ops = c.Ops(ops[:0])
		},
		"eviction log": func() {
			for range 8 {
				c.tree.evictions.add(1, 16, ForBlocks)
			}
			evictions = c.Evictions(evictions[:0])
		},
		"refusal": func() {
			if _, v := c.Admit(Request{Prompt: prompt, MaxTokens: 256*16 - 520 + 1}); v.Decision != Never {
				t.Fatal(v)
			}
		},
	} {
		require.Zero(t, testing.AllocsPerRun(200, f), name)
	}
}
