package kv

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var treeStates = []string{
	"match", "match inside an edge", "edge split on divergence", "edge split by a pin", "eviction",
	"nothing left to evict", "eviction under a pin", "pinned match survived eviction", "owner trimmed to its parent",
	"owner removed", "owner kept at an inner node", "two owners hold a prefix apart", "stale match", "stale pin",
	"pool exhausted", "ids exhausted",
}

func TestTreeDifferential(t *testing.T) { differential(t, 1, 400, driveTree, treeStates...) }

func FuzzTree(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { driveTree(&prog{data: data, t: t, seen: reached{}}) })
}

type treePin struct {
	pin   Pin
	model *naiveNode
	path  []int32
}

// driveTree does the same to a PrefixTree and to the naive model, and compares all
// that can be observed after every operation.
func driveTree(p *prog) {
	const blocks, blockTokens, seqs = 14, 2, 6
	t := p.t
	pool := must(NewPool(blocks, blockTokens))
	ids := must(NewSeqIDs(seqs))
	var log OpLog
	tree := NewPrefixTree(pool, ids, &log)
	tree.evictions.wanted = true
	model := newNaiveTree(newNaivePool(blocks, blockTokens))
	freeIDs := slices.Clone(ids.free)
	var pins []treePin
	var stale []Pin
	var old []Match

	for !p.done() {
		switch p.pick(8) {
		case 0, 1, 2:
			tokens := p.tokens(1, 10)
			tokens = tokens[:len(tokens)/blockTokens*blockTokens]
			m := tree.Match(tokens)
			if len(tokens) == 0 || m.Tokens == len(tokens) {
				break
			}
			// The new sequence shares what a hit would share, or nothing.
			var prefix []BlockID
			if m.Tokens > 0 && p.pick(2) == 0 {
				pin := must(tree.Pin(m))
				prefix = slices.Clone(tree.source(pin).blocks[:m.Tokens/blockTokens])
				ensure(tree.Unpin(pin))
				model.unpin(model.pin(tokens[:m.Tokens]))
			}
			p.see("two owners hold a prefix apart", m.Tokens > 0 && prefix == nil)
			need := len(tokens)/blockTokens - len(prefix)
			p.see("pool exhausted", need > pool.Free())
			p.see("ids exhausted", ids.Free() == 0)
			if need > pool.Free() || ids.Free() == 0 {
				break
			}
			seq := must(ids.Take())
			freeIDs = freeIDs[:len(freeIDs)-1]
			all := slices.Clone(prefix)
			for range need {
				b := must(pool.Alloc())
				mb, _ := model.pool.alloc()
				require.Equal(t, mb, b)
				all = append(all, b)
			}
			splits := tree.splits
			m, err := tree.Insert(tokens, seq, all)
			require.NoError(t, err)
			require.Equal(t, len(tokens), m.Tokens)
			model.insert(tokens, seq, all)
			p.see("edge split on divergence", tree.splits > splits)
			for _, b := range all[len(prefix):] {
				ensure(pool.Release(b))
				require.True(t, model.pool.release(&model.pool.hard, b))
			}
		case 3:
			tokens := p.tokens(0, 10)
			m := tree.Match(tokens)
			old = append(old, m)
			if m.Tokens == 0 || len(pins) == 4 {
				break
			}
			splits := tree.splits
			pin, err := tree.Pin(m)
			require.NoError(t, err)
			p.see("edge split by a pin", tree.splits > splits)
			pins = append(pins, treePin{pin, model.pin(tokens[:m.Tokens]), tokens[:m.Tokens]})
		case 4:
			if len(pins) == 0 {
				break
			}
			i := p.pick(len(pins))
			require.NoError(t, tree.Unpin(pins[i].pin))
			model.unpin(pins[i].model)
			stale = append(stale, pins[i].pin)
			pins = slices.Delete(pins, i, i+1)
		case 5:
			before := tree.ids.Owned()
			why := EvictReason(len(pins)) // any will do
			did := tree.EvictOne(why)
			require.Equal(t, model.evict(why), did)
			p.see("eviction", did)
			p.see("nothing left to evict", !did)
			p.see("eviction under a pin", did && len(pins) > 0)
			p.see("owner removed", did && tree.ids.Owned() < before)
			p.see("owner trimmed to its parent", did && tree.ids.Owned() == before)
		case 6:
			for _, m := range old {
				if tree.live(m) {
					continue
				}
				_, err := tree.Pin(m)
				require.ErrorIs(t, err, ErrStale)
				require.ErrorIs(t, tree.Touch(m), ErrStale)
				p.see("stale match", true)
			}
			for _, pin := range stale {
				require.ErrorIs(t, tree.Unpin(pin), ErrStale)
				p.see("stale pin", true)
			}
		case 7:
			tokens := p.tokens(0, 10)
			m := tree.Match(tokens)
			require.NoError(t, tree.Touch(m))
			if m.Tokens > 0 {
				for _, n := range model.nodes {
					if m.Tokens > n.start && m.Tokens <= len(n.path) && isPrefix(tokens[:m.Tokens], n.path) {
						model.touch(n)
						break
					}
				}
			}
		}

		probe := p.tokens(0, 10)
		m := tree.Match(probe)
		require.Equal(t, model.match(probe), m.Tokens)
		p.see("match", m.Tokens > 0)
		p.see("match inside an edge", m.Tokens < tree.nodes[m.node].end)
		require.Equal(t, model.ops, log.Drain(nil))
		freeIDs = append(freeIDs, model.freed...)
		require.Equal(t, model.log, tree.evictions.drain(nil))
		model.ops, model.freed, model.log = nil, nil, nil
		require.Equal(t, freeIDs, ids.free)
		require.Equal(t, model.pool.free, pool.free)
		require.Equal(t, model.pool.onlyCached(), pool.Cached())
		require.EqualValues(t, model.evicted, tree.evicted)
		require.Equal(t, len(model.owners), ids.Owned())
		for seq, o := range model.owners {
			require.Equal(t, o.blocks, tree.owners[seq].blocks)
			p.see("owner kept at an inner node", len(model.children(o.node)) > 0)
		}
		for _, held := range pins {
			seq, tokens, err := tree.Source(held.pin)
			require.NoError(t, err)
			require.Equal(t, held.model.keeper, seq)
			require.GreaterOrEqual(t, tokens, len(held.path))
			require.Equal(t, len(held.path), tree.Match(held.path).Tokens)
			p.see("pinned match survived eviction", model.evicted > 0)
		}
		require.NoError(t, tree.Check())
		require.NoError(t, pool.Check())
		require.NoError(t, ids.Check())
	}

	for _, held := range pins {
		require.NoError(t, tree.Unpin(held.pin))
	}
	for tree.EvictOne(OnDemand) {
	}
	require.Equal(t, blocks, pool.Free())
	require.Equal(t, seqs, ids.Free())
}
