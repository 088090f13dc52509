package kv

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var poolStates = []string{
	"alloc", "pool full", "share", "share of a free block", "copy on write", "copy on write needs the last block",
	"copy on write refused", "append refused", "freed by a cached hold", "release of a block that is not held", "cached only",
}

func TestPoolDifferential(t *testing.T) { differential(t, 5, 300, drivePool, poolStates...) }

func FuzzPool(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { drivePool(&prog{data: data, t: t, seen: reached{}}) })
}

// naiveTable grows by one token at a time.
type naiveTable struct {
	pool   *naivePool
	blocks []BlockID
	tokens int
}

func (n *naiveTable) appendOne() bool {
	if n.tokens%n.pool.blockTokens == 0 {
		b, ok := n.pool.alloc()
		if ok {
			n.blocks = append(n.blocks, b)
			n.tokens++
		}
		return ok
	}
	last := n.blocks[len(n.blocks)-1]
	if count(n.pool.hard, last)+count(n.pool.cached, last) > 1 {
		b, ok := n.pool.alloc()
		if !ok {
			return false
		}
		n.pool.release(&n.pool.hard, last)
		n.blocks[len(n.blocks)-1] = b
	}
	n.tokens++
	return true
}

func (n *naiveTable) append(k int) bool {
	pool := naivePool{n.pool.blockTokens, slices.Clone(n.pool.free), slices.Clone(n.pool.hard), slices.Clone(n.pool.cached)}
	blocks, tokens := slices.Clone(n.blocks), n.tokens
	for range k {
		if !n.appendOne() {
			*n.pool, n.blocks, n.tokens = pool, blocks, tokens
			return false
		}
	}
	return true
}

// drivePool does the same to a Pool with Tables and to the naive models.
func drivePool(p *prog) {
	const blocks, blockTokens = 7, 3
	t := p.t
	pool, model := must(NewPool(blocks, blockTokens)), newNaivePool(blocks, blockTokens)
	var tables [3]Table
	var models [3]naiveTable
	for i := range tables {
		tables[i], models[i].pool = NewTable(pool), model
	}
	same := func(ok bool, err error) {
		require.Equal(t, ok, err == nil, "the model says %v, the package %v", ok, err)
	}
	var loose []BlockID // held by the driver
	for !p.done() {
		i, b := p.pick(len(tables)), BlockID(p.pick(blocks))
		switch p.pick(8) {
		case 0:
			want, ok := model.alloc()
			got, err := pool.Alloc()
			same(ok, err)
			require.Equal(t, want, got)
			p.see("alloc", ok)
			p.see("pool full", !ok)
			if ok {
				loose = append(loose, got)
			}
		case 1:
			ok := model.retain(&model.hard, b)
			same(ok, pool.Retain(b))
			if ok {
				loose = append(loose, b)
			}
		case 2:
			if n := len(loose); n > 0 {
				b, loose = loose[n-1], loose[:n-1]
			} else if model.held(b) {
				break
			}
			ok := model.release(&model.hard, b)
			same(ok, pool.Release(b))
			p.see("release of a block that is not held", !ok)
		case 3:
			same(model.retain(&model.cached, b), pool.retainCached(b))
		case 4:
			if count(model.cached, b) > 0 {
				free := len(model.free)
				model.release(&model.cached, b)
				pool.releaseCached(b)
				p.see("freed by a cached hold", len(model.free) > free)
			}
		case 5, 6:
			k := p.pick(8)
			last := len(models[i].blocks) - 1
			cow := k > 0 && models[i].tokens%blockTokens != 0 && count(model.hard, models[i].blocks[last])+count(model.cached, models[i].blocks[last]) > 1
			free := len(model.free)
			can := tables[i].CanAppend(k)
			ok := models[i].append(k)
			require.Equal(t, ok, can, "append %d to %d tokens", k, models[i].tokens)
			same(ok, tables[i].Append(k))
			p.see("copy on write", cow && ok)
			p.see("copy on write refused", cow && !ok)
			p.see("copy on write needs the last block", cow && ok && free == 1)
			p.see("append refused", !ok)
		case 7:
			if len(models[i].blocks) > 0 {
				for k := len(models[i].blocks) - 1; k >= 0; k-- {
					model.release(&model.hard, models[i].blocks[k])
				}
				models[i].blocks, models[i].tokens = nil, 0
				require.NoError(t, tables[i].Release())
				require.NoError(t, tables[i].Release())
				break
			}
			// Share another table's beginning, or blocks of which one may be free.
			from := slices.Clone(models[(i+1)%len(models)].blocks)
			if p.pick(4) == 0 {
				from = append(from, b)
			}
			tokens := max(0, len(from)*blockTokens-p.pick(blockTokens))
			ok := !slices.ContainsFunc(from, func(b BlockID) bool { return !model.held(b) })
			same(ok, tables[i].Share(from, tokens))
			p.see("share", ok && len(from) > 0)
			p.see("share of a free block", !ok)
			if ok {
				model.hard = append(model.hard, from...)
				models[i].blocks, models[i].tokens = from, tokens
			}
		}
		require.Equal(t, model.free, pool.free)
		require.Equal(t, model.onlyCached(), pool.Cached())
		p.see("cached only", pool.Cached() > 0)
		for b := range BlockID(blocks) {
			hard, cached := pool.Holds(b)
			require.Equal(t, [2]int{count(model.hard, b), count(model.cached, b)}, [2]int{hard, cached})
		}
		for i := range tables {
			require.Equal(t, models[i].tokens, tables[i].Tokens())
			require.True(t, slices.Equal(models[i].blocks, tables[i].Blocks()))
		}
		require.NoError(t, pool.Check())
	}
}
