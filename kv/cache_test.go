package kv

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConfig(t *testing.T) {
	for _, bad := range []Config{
		{}, {Blocks: -1}, {Blocks: 1, BlockTokens: -1}, {Blocks: 1, Seqs: -1}, {Blocks: 1, SeqTokens: -1},
		{Blocks: 1, RetainBlocks: -1},
	} {
		_, err := NewPaged(bad)
		require.Error(t, err, "%+v", bad)
		_, err = NewContiguous(bad)
		require.Error(t, err, "%+v", bad)
	}
	_, err := NewPaged(Config{Blocks: 1, Optimism: 2})
	require.ErrorContains(t, err, "promise share")
	c := must(NewPaged(Config{Blocks: 3}))
	require.Equal(t, Config{Blocks: 3, BlockTokens: 16, Seqs: 256, SeqTokens: 48}, c.cfg)
	require.Equal(t, "unified streams", Unified.String()+" "+Streams.String())
}

func TestSeqIDs(t *testing.T) {
	_, err := NewSeqIDs(0)
	require.Error(t, err)
	s := must(NewSeqIDs(2))
	a, b := must(s.Take()), must(s.Take())
	require.Equal(t, [2]int32{0, 1}, [2]int32{a, b})
	_, err = s.Take()
	require.ErrorIs(t, err, ErrNoSeqs)
	s.own(a)
	require.ErrorIs(t, s.Give(a), ErrSeq, "an owner's id is the tree's to give")
	require.NoError(t, s.Give(b))
	for _, bad := range []int32{b, -1, 2} {
		require.ErrorIs(t, s.Give(bad), ErrSeq)
	}
	require.Equal(t, [3]int{2, 1, 1}, [3]int{s.Len(), s.Free(), s.Owned()})
	s.disown(a)
	require.NoError(t, s.Check())
	require.Equal(t, 2, s.Free())
}

func TestPoolMisuse(t *testing.T) {
	p := must(NewPool(2, 4))
	b := must(p.Alloc())
	for _, bad := range []BlockID{-1, 1, 2} {
		require.ErrorIs(t, p.Retain(bad), ErrBlock)
		require.ErrorIs(t, p.Release(bad), ErrBlock)
		require.ErrorIs(t, p.retainCached(bad), ErrBlock)
	}
	require.NoError(t, p.Release(b))
	require.ErrorIs(t, p.Release(b), ErrBlock)
	require.NoError(t, p.Check())
	require.Equal(t, 2, p.Free())
}

func TestInsertMisuse(t *testing.T) {
	p, ids := must(NewPool(4, 4)), must(NewSeqIDs(2))
	var log OpLog
	tree := NewPrefixTree(p, ids, &log)
	b, seq := must(p.Alloc()), must(ids.Take())
	for _, tc := range []struct {
		tokens string
		seq    int32
		blocks []BlockID
		want   error
	}{
		{"", seq, nil, ErrBlock},
		{"aaa", seq, []BlockID{b}, ErrBlock},
		{"aaaabbbb", seq, []BlockID{b}, ErrBlock},
		{"aaaabbbb", seq, []BlockID{b, 3}, ErrBlock}, // 3 is free
		{"aaaa", 1, []BlockID{b}, ErrSeq},            // 1 is not taken
		{"aaaa", 7, []BlockID{b}, ErrSeq},
	} {
		_, err := tree.Insert(letters(tc.tokens), tc.seq, tc.blocks)
		require.ErrorIs(t, err, tc.want, tc.tokens)
		hard, cached := p.Holds(b)
		require.Equal(t, [2]int{1, 0}, [2]int{hard, cached})
		require.NoError(t, tree.Check())
	}
	_, err := tree.Insert(letters("aaaa"), seq, []BlockID{b})
	require.NoError(t, err)
	_, err = tree.Insert(letters("aaaa"), must(ids.Take()), []BlockID{b})
	require.ErrorIs(t, err, ErrCached)
	_, err = tree.Insert(letters("bbbb"), seq, []BlockID{b})
	require.ErrorIs(t, err, ErrSeq, "an owner already")
}

// An owner that loses its leaf goes back to the node that it keeps, past a deeper
// one that another owner keeps.
func TestOwnerRetreatsToItsOwnNode(t *testing.T) {
	p, ids := must(NewPool(8, 1)), must(NewSeqIDs(2))
	var log OpLog
	tree := NewPrefixTree(p, ids, &log)
	cache := func(tokens string) int32 {
		table, seq := NewTable(p), must(ids.Take())
		ensure(table.Append(len(tokens)))
		must(tree.Insert(letters(tokens), seq, table.blocks))
		ensure(table.Release())
		return seq
	}
	a := cache("xza")
	must(tree.Pin(tree.Match(letters("x"))))
	b := cache("xzb")
	pin := must(tree.Pin(tree.Match(letters("xz"))))
	require.Equal(t, b, tree.source(pin).seq)
	require.True(t, tree.EvictOne(OnDemand))
	require.Equal(t, []Op{{Kind: Trim, Seq: a, From: 1}}, log.Drain(nil))
	require.True(t, tree.EvictOne(OnDemand))
	require.Equal(t, []Op{{Kind: Trim, Seq: b, From: 2}}, log.Drain(nil))
	require.False(t, tree.EvictOne(OnDemand))
	require.Equal(t, 8-1-2, p.Free())
	require.NoError(t, tree.Check())
}

// In the Streams layout a publication makes room by evicting what is older, and is
// skipped when running requests hold too much.
func TestPublicationTakesBlocksInStreams(t *testing.T) {
	r := newRig(t, Config{Blocks: 8, Layout: Streams})
	r.serve("aaaabbbbcccc")
	q := r.admit("ddddeeee", 8)
	r.run(q, "xxxx")
	require.Equal(t, 12, r.publish(q))
	require.Zero(t, r.cache.Probe(letters("aaaabbbbccccx")))
	require.Equal(t, 12, r.cache.Probe(letters("ddddeeeexxxxx")))

	r = newRig(t, Config{Blocks: 5, Layout: Streams})
	q = r.admit("ddddeeee", 4)
	r.run(q, "xxxx")
	require.Zero(t, r.publish(q))
	require.EqualValues(t, 1, r.cache.Stats().Skipped)
}

func TestContiguousReservesEverything(t *testing.T) {
	c := must(NewContiguous(Config{Blocks: 6, BlockTokens: 4, Seqs: 2}))
	a, v := c.Admit(Request{Prompt: letters("aaaa"), MaxTokens: 9})
	require.Equal(t, Fits, v.Decision)
	require.Equal(t, 2, c.Stats().Free)
	_, v = c.Admit(Request{Prompt: letters("bbbb"), MaxTokens: 5})
	require.Equal(t, Verdict{NotNow, LacksBlocks, 3, 2}, v)
	b, v := c.Admit(Request{Prompt: letters("bb"), MaxTokens: 2})
	require.Equal(t, Fits, v.Decision)
	_, v = c.Admit(Request{Prompt: letters("c"), MaxTokens: 1})
	require.Equal(t, Verdict{NotNow, LacksSeqs, 1, 0}, v)
	require.NoError(t, c.Check())

	require.NoError(t, c.Reserve(a.Lease, 13))
	require.ErrorIs(t, c.Reserve(a.Lease, 14), ErrBeyondPromise)
	require.ErrorIs(t, c.Commit(a.Lease, 17), ErrBeyondPromise)
	require.NoError(t, c.Commit(a.Lease, 10))
	require.NoError(t, c.Commit(a.Lease, 8))
	require.Equal(t, 10, c.Stats().Written)
	require.NoError(t, c.Release(a.Lease, letters("aaaa")))
	require.NoError(t, c.Release(b.Lease, nil))
	require.Equal(t, []Op{{Kind: Remove, Seq: a.Seq}, {Kind: Remove, Seq: b.Seq}}, c.Ops(nil))
	require.NotImplements(t, (*Sharer)(nil), c)
	s := c.Stats()
	require.Equal(t, [4]int{6, 0, 0, 2}, [4]int{s.Free, s.Written, s.Running, s.FreeSeqs})
	require.NoError(t, c.Check())
}

// Paging without prefix reuse is the rung between contiguous and prefix.
func TestPagedWithoutPrefix(t *testing.T) {
	c := must(NewPaged(Config{Blocks: 8, BlockTokens: 4}))
	for range 2 {
		g, v := c.Admit(Request{Prompt: letters("aaaabbbb"), MaxTokens: 4})
		require.Equal(t, Fits, v.Decision)
		require.Zero(t, g.Hit)
		pending, _ := c.Pending(letters("aaaabbbb"))
		require.Zero(t, pending)
		require.NoError(t, c.Reserve(g.Lease, 8))
		require.NoError(t, c.Commit(g.Lease, 8))
		n, err := c.Publish(g.Lease, letters("aaaabbbb"))
		require.NoError(t, err)
		require.Zero(t, n)
		require.Equal(t, 6, c.Stats().Free)
		require.NoError(t, c.Release(g.Lease, letters("aaaabbbb")))
		require.Equal(t, 8, c.Stats().Free)
		require.NoError(t, c.Check())
	}
}

func TestPending(t *testing.T) {
	r := newRig(t, Config{Blocks: 32})
	admit := func(id uint64, prompt string) Grant {
		g, v := r.cache.Admit(Request{ID: id, Prompt: letters(prompt), MaxTokens: 1})
		require.Equal(t, Fits, v.Decision)
		return g
	}
	want := func(prompt string, tokens int, by uint64) {
		t.Helper()
		n, id := r.cache.Pending(letters(prompt))
		require.Equal(t, tokens, n)
		require.Equal(t, by, id)
	}
	a := admit(7, "aaaabbbbcc")
	admit(8, "aaaabbbbdddd")
	want("aaaabbbbxxxx", 8, 7) // the first admitted among equals
	want("aaaabbbbdddd", 12, 8)
	want("aaaabbbbcc", 8, 7) // whole blocks
	want("xxxx", 0, 0)
	require.NoError(t, r.cache.Release(a.Lease, nil))
	want("aaaabbbbxxxx", 8, 8)

	// Publishing part of a prompt leaves the rest pending.
	c := admit(9, "eeeeffff")
	require.NoError(t, r.cache.Reserve(c.Lease, 8))
	require.NoError(t, r.cache.Commit(c.Lease, 4))
	require.Equal(t, 4, must(r.cache.Publish(c.Lease, letters("eeeeffff"))))
	want("eeeeffff", 8, 9)
	require.NoError(t, r.cache.Commit(c.Lease, 8))
	require.Equal(t, 8, must(r.cache.Publish(c.Lease, letters("eeeeffff"))))
	want("eeeeffff", 0, 0)
	r.cache.Ops(nil)
}

func TestRetainBlocksBoundsTheIdleCache(t *testing.T) {
	r := newRig(t, Config{Blocks: 32, RetainBlocks: 3})
	r.serve("aaaabbbb")
	r.serve("ccccdddd")
	require.Equal(t, 2, r.cache.Stats().Cached)
	require.Equal(t, 8, r.cache.Probe(letters("ccccddddx")))
	require.Zero(t, r.cache.Probe(letters("aaaabbbbx")))
}

// Evict frees the blocks asked for, or as many as only owners hold, and never one
// that a running request holds.
func TestEvictFreesWhatIsCached(t *testing.T) {
	r := newRig(t, Config{Blocks: 8})
	r.serve("aaaabbbb")
	r.serve("ccccdddd")
	q := r.admit("aaaabbbbe", 1)
	require.Equal(t, 2, r.cache.Evict(1)) // the leaf of two blocks goes as a whole
	r.settle()
	require.Zero(t, r.cache.Evict(5))
	r.settle()
	r.run(q, "")
	r.finish(q)
	require.Equal(t, 2, r.cache.Evict(5))
	require.Equal(t, 8, r.cache.Stats().Free)
}
