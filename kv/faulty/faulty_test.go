package faulty_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/kv"
	"github.com/cadence-bench/cadence-bench/kv/faulty"
)

func paged(t *testing.T, cfg kv.Config) *kv.Paged {
	t.Helper()
	p, err := kv.NewPaged(cfg)
	require.NoError(t, err)
	return p
}

// keep serves a prompt of a whole number of blocks and leaves it cached.
func keep(t *testing.T, c kv.Cache, prompt []int32) {
	t.Helper()
	g, v := c.Admit(kv.Request{Prompt: prompt, MaxTokens: 1})
	require.Equal(t, kv.Fits, v.Decision, v)
	require.NoError(t, c.Reserve(g.Lease, len(prompt)))
	require.NoError(t, c.Commit(g.Lease, len(prompt)))
	require.NoError(t, c.Release(g.Lease, prompt))
}

// TestReverseEviction: leaves go in the order in which they were used, or the other way
// round, and an inner node only when it has become one.
func TestReverseEviction(t *testing.T) {
	paths := [][]int32{{1, 1, 2, 2}, {3, 3}, {1, 1, 4, 4}, {5, 5}} // blocks of two tokens
	for _, c := range []struct {
		wrap func(kv.Cache) kv.Cache
		gone [][]int32 // the paths that are cut short or gone, one eviction after another
	}{
		{func(c kv.Cache) kv.Cache { return c }, [][]int32{{1, 1, 2, 2}, {3, 3}, {1, 1, 4, 4}, {1, 1}, {5, 5}}},
		{faulty.ReverseEviction, [][]int32{{5, 5}, {1, 1, 4, 4}, {3, 3}, {1, 1, 2, 2}, {1, 1}}},
	} {
		p := paged(t, kv.Config{Blocks: 16, BlockTokens: 2, Prefix: true})
		require.Same(t, p, c.wrap(p))
		cached := func(path []int32) int { return p.Probe(append(path[:len(path):len(path)], 9)) }
		for _, path := range paths {
			keep(t, p, path)
		}
		for _, path := range c.gone {
			require.Equal(t, len(path), cached(path))
			require.Equal(t, 1, p.Evict(1))
			require.Less(t, cached(path), len(path), "%v goes now", path)
			require.NoError(t, p.Check())
		}
		require.Zero(t, p.Stats().Cached)
		require.Zero(t, p.Evict(1))
	}
}

// TestLeak: every request takes blocks with it, until none fits any more.
func TestLeak(t *testing.T) {
	for name, open := range map[string]func(kv.Config) (kv.Cache, error){
		"contiguous": func(c kv.Config) (kv.Cache, error) { return kv.NewContiguous(c) },
		"unified":    func(c kv.Config) (kv.Cache, error) { return kv.NewPaged(c) },
		"streams": func(c kv.Config) (kv.Cache, error) {
			c.Layout = kv.Streams
			return kv.NewPaged(c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			const blocks, leaks = 24, 2
			sound, err := open(kv.Config{Blocks: blocks, BlockTokens: 4, Prefix: true})
			require.NoError(t, err)
			c := faulty.Leak(leaks)(sound)
			_, shares := sound.(kv.Sharer)
			_, still := c.(kv.Sharer)
			require.Equal(t, shares, still)
			for n := int32(0); ; n++ {
				require.Equal(t, blocks-leaks*int(n), c.Stats().Free+c.Stats().Cached)
				require.Equal(t, leaks*int(n), c.Stats().Held)
				r := kv.Request{Prompt: []int32{n, n, n, n, n, n, n, n, n}, MaxTokens: 4} // 4 blocks
				if v := c.Room(r); v.Decision != kv.Fits {
					require.Equal(t, kv.LacksBlocks, v.Reason)
					require.Less(t, blocks-leaks*int(n), 4)
					return
				}
				g, v := c.Admit(r)
				require.Equal(t, kv.Fits, v.Decision)
				for size := 9; size <= 13; size++ { // what was promised is there
					require.NoError(t, c.Reserve(g.Lease, size))
					require.NoError(t, c.Commit(g.Lease, size))
				}
				require.NoError(t, c.Release(g.Lease, append(r.Prompt, 7, 7, 7, 7)))
			}
		})
	}
}

// TestGarbage: the fault costs what it says.
func TestGarbage(t *testing.T) {
	var ops []kv.Op
	for n := range 3 {
		c := faulty.Garbage(n)(paged(t, kv.Config{Blocks: 4}))
		require.Equal(t, float64(n), testing.AllocsPerRun(100, func() { ops = c.Ops(ops[:0]) }))
	}
}
