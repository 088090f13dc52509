package kv

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// audited is a Cache that recounts itself from scratch, as both do.
type audited interface {
	Cache
	Check() error
}

// keep serves a prompt of a whole number of blocks and leaves it cached.
func keep(t *testing.T, c Cache, prompt []int32) {
	t.Helper()
	g, v := c.Admit(Request{Prompt: prompt, MaxTokens: 1})
	require.Equal(t, Fits, v.Decision, v)
	require.NoError(t, c.Reserve(g.Lease, len(prompt)))
	require.NoError(t, c.Commit(g.Lease, len(prompt)))
	require.NoError(t, c.Release(g.Lease, prompt))
}

// TestReverseEviction: leaves go in the order in which they were used, or the other way
// round, and an inner node only when it has become one.
func TestReverseEviction(t *testing.T) {
	paths := [][]int32{{1, 1, 2, 2}, {3, 3}, {1, 1, 4, 4}, {5, 5}} // blocks of two tokens
	for _, c := range []struct {
		faults Faults
		gone   [][]int32 // the paths that are cut short or gone, one eviction after another
	}{
		{Faults{}, [][]int32{{1, 1, 2, 2}, {3, 3}, {1, 1, 4, 4}, {1, 1}, {5, 5}}},
		{Faults{ReverseEviction: true}, [][]int32{{5, 5}, {1, 1, 4, 4}, {3, 3}, {1, 1, 2, 2}, {1, 1}}},
	} {
		p := must(NewPaged(Config{Blocks: 16, BlockTokens: 2, Prefix: true, Faults: c.faults}))
		for _, path := range paths {
			keep(t, p, path)
		}
		for _, path := range c.gone {
			require.Equal(t, len(path), p.tree.Match(path).Tokens)
			require.Equal(t, 1, p.Evict(1))
			require.Less(t, p.tree.Match(path).Tokens, len(path), "%+v: %v goes now", c.faults, path)
			require.NoError(t, p.Check())
		}
		require.Zero(t, p.Stats().Cached)
		require.Zero(t, p.Evict(1))
	}
}

// TestLeak: every request takes blocks with it, until none fits any more.
func TestLeak(t *testing.T) {
	for name, open := range map[string]func(Config) (audited, error){
		"contiguous": func(c Config) (audited, error) { return NewContiguous(c) },
		"unified":    func(c Config) (audited, error) { return NewPaged(c) },
		"streams": func(c Config) (audited, error) {
			c.Layout = Streams
			return NewPaged(c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			const blocks, leaks = 24, 2
			c, err := open(Config{Blocks: blocks, BlockTokens: 4, Prefix: true, Faults: Faults{LeakPerRequest: leaks}})
			require.NoError(t, err)
			for n := int32(0); ; n++ {
				require.Equal(t, blocks-leaks*int(n), c.Stats().Free+c.Stats().Cached)
				require.Equal(t, leaks*int(n), c.Stats().Held)
				r := Request{Prompt: []int32{n, n, n, n, n, n, n, n, n}, MaxTokens: 4} // 4 blocks
				if v := c.Room(r); v.Decision != Fits {
					require.Equal(t, LacksBlocks, v.Reason)
					require.Less(t, blocks-leaks*int(n), 4)
					return
				}
				g, v := c.Admit(r)
				require.Equal(t, Fits, v.Decision)
				for size := 9; size <= 13; size++ { // what was promised is there
					require.NoError(t, c.Reserve(g.Lease, size))
					require.NoError(t, c.Commit(g.Lease, size))
				}
				require.NoError(t, c.Release(g.Lease, append(r.Prompt, 7, 7, 7, 7)))
			}
		})
	}
}

// TestGarbage: the faults cost what they say, and nothing when there are none.
func TestGarbage(t *testing.T) {
	var ops []Op
	for n := range 3 {
		c := must(NewPaged(Config{Blocks: 4, Faults: Faults{GarbagePerStep: n}}))
		require.Equal(t, float64(n), testing.AllocsPerRun(100, func() { ops = c.Ops(ops[:0]) }))
	}
	for _, bad := range []Faults{{LeakPerRequest: -1}, {GarbagePerStep: -1}} {
		_, err := NewPaged(Config{Blocks: 4, Faults: bad})
		require.ErrorContains(t, err, "none may be negative")
	}
}
