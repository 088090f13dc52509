package kv

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// audited is a Cache that recounts itself from scratch, as both do.
type audited interface {
	Cache
	Check() error
}

// rig is a cache on a modelled backend, checked after every call.
type rig struct {
	t     *testing.T
	cache *Paged
	back  *backend
}

type rigged struct {
	Grant
	tokens []int32
}

func newRig(t *testing.T, cfg Config) *rig {
	cfg.BlockTokens, cfg.Prefix = 4, true
	c, err := NewPaged(cfg)
	require.NoError(t, err)
	return &rig{t, c, newBackend(t, cfg.Layout, c.cfg.Seqs)}
}

func (r *rig) settle() {
	r.back.apply(r.cache.Ops(nil))
	require.NoError(r.t, r.cache.Check())
	s := r.cache.Stats()
	require.LessOrEqual(r.t, r.back.cells(), (s.Blocks-s.Free)*4)
}

func (r *rig) try(prompt string, maxTokens int) (*rigged, Verdict) {
	g, v := r.cache.Admit(Request{Prompt: letters(prompt), MaxTokens: maxTokens})
	r.settle()
	return &rigged{g, letters(prompt)}, v
}

func (r *rig) admit(prompt string, maxTokens int) *rigged {
	q, v := r.try(prompt, maxTokens)
	require.Equal(r.t, Fits, v.Decision, "%s: %v", prompt, v)
	return q
}

// run computes the rest of the prompt, and output.
func (r *rig) run(q *rigged, output string) {
	q.tokens = append(q.tokens, letters(output)...)
	r.runTo(q, len(q.tokens))
}

func (r *rig) runTo(q *rigged, n int) {
	require.NoError(r.t, r.cache.Reserve(q.Lease, n))
	r.settle()
	at := len(r.back.seqs[q.Seq])
	r.back.write(q.Seq, at, q.tokens[at:n])
	require.NoError(r.t, r.cache.Commit(q.Lease, n))
}

func (r *rig) publish(q *rigged) int {
	n, err := r.cache.Publish(q.Lease, q.tokens)
	require.NoError(r.t, err)
	r.settle()
	return n
}

func (r *rig) finish(q *rigged) {
	require.NoError(r.t, r.cache.Release(q.Lease, q.tokens))
	r.settle()
}

// serve runs a request from beginning to end, so that it is cached.
func (r *rig) serve(prompt string) {
	q := r.admit(prompt, 1)
	r.run(q, "")
	r.finish(q)
}

func (r *rig) evictAll() {
	for r.cache.tree.EvictOne(OnDemand) {
	}
	r.settle()
}

// The whole prompt counts at admission, not its first chunk, and whatever the
// optimism about output. vllm#37307, vllm#21809
func TestAdmissionCountsTheWholePrompt(t *testing.T) {
	r := newRig(t, Config{Blocks: 8, Optimism: 1})
	a := r.admit("aaaabbbbccccddddeeee", 4)
	_, v := r.try("ffffgggghhhhiiii", 4)
	require.Equal(t, Verdict{NotNow, LacksBlocks, 5, 3}, v)
	for n := 1; n <= 20; n++ {
		r.runTo(a, n)
	}
}

// A request that the empty cache could not hold is refused at once, with the
// reason. vllm#39734, vllm#35541
func TestRefusesWhatCanNeverFit(t *testing.T) {
	cfg := Config{Blocks: 4, BlockTokens: 4, SeqTokens: 12}
	paged, contiguous := must(NewPaged(cfg)), must(NewContiguous(cfg))
	for _, tc := range []struct {
		prompt string
		max    int
		want   Verdict
		text   string
	}{
		{"aaaabbbbccccdddd", 1, Verdict{Never, PoolTokens, 17, 16}, "prompt and output need 17 tokens of KV cache, the pool has 16 in all"},
		{"aaaabbbb", 5, Verdict{Never, SeqTokens, 13, 12}, "prompt and output need 13 positions, a sequence has at most 12"},
		{"", 5, Verdict{Never, EmptyPrompt, 0, 0}, "the prompt is empty"},
		{"a", 0, Verdict{Never, NoOutput, 0, 0}, "the output limit is below 1 token"},
		{"a", int(^uint(0) >> 1), Verdict{Never, PoolTokens, -1 << 63, 16}, ""},
		{"aaaabbbb", 4, Verdict{}, "fits"},
	} {
		for _, c := range []audited{paged, contiguous} {
			g, v := c.Admit(Request{Prompt: letters(tc.prompt), MaxTokens: tc.max})
			require.Equal(t, tc.want, v)
			if tc.text != "" {
				require.Equal(t, tc.text, v.String())
			}
			require.NoError(t, c.Release(g.Lease, nil))
			require.NoError(t, c.Check())
		}
	}
}

// What was promised to running requests is not given to another: the gate of the
// eviction-sweep study of 64 personas × 8 turns ignored it.
func TestPromisesAreKept(t *testing.T) {
	r := newRig(t, Config{Blocks: 8})
	a := r.admit("aaaa", 12)
	b := r.admit("bbbb", 8)
	_, v := r.try("cccc", 4)
	require.Equal(t, Verdict{NotNow, LacksBlocks, 2, 1}, v)
	r.run(a, "aaaaaaaaaaaa")
	r.run(b, "bbbbbbbb")
	require.Equal(t, 1, r.cache.Stats().Free)
}

// A preempted request that comes back to its own cached prefix is charged for what
// it shares once. sglang#32379
func TestResumeIsChargedOnce(t *testing.T) {
	r := newRig(t, Config{Blocks: 4})
	a := r.admit("aaaabbbb", 8)
	r.run(a, "cccc")
	r.finish(a)
	b, v := r.cache.Admit(Request{Prompt: letters("aaaabbbbcccc"), MaxTokens: 4, Recompute: true})
	require.Equal(t, Fits, v.Decision, v)
	require.Equal(t, 8, b.Hit, "one block short of the fully cached prompt, for which a fifth block would be needed")
	require.EqualValues(t, 3, r.cache.Stats().Forgone)
}

// Releasing makes as many blocks available as Cost says, whatever the block size.
// sglang#9989, sglang#4977
func TestReleaseFreesWhatItCosts(t *testing.T) {
	r := newRig(t, Config{Blocks: 16})
	r.serve("aaaabbbb")
	a, b := r.admit("aaaabbbbcccc", 9), r.admit("aaaabbbbdddd", 9)
	r.run(a, "xxxxx")
	blocks, tokens, err := r.cache.Cost(a.Lease)
	require.NoError(t, err)
	require.Equal(t, [2]int{3, 9}, [2]int{blocks, tokens})
	before := r.cache.Stats()
	require.NoError(t, r.cache.Release(a.Lease, nil))
	r.settle()
	after := r.cache.Stats()
	require.Equal(t, before.Free+before.Cached+blocks, after.Free+after.Cached)
	blocks, tokens, err = r.cache.Cost(b.Lease)
	require.NoError(t, err)
	require.Equal(t, [2]int{2, 8}, [2]int{blocks, tokens}, "what b shares with the cache alone becomes evictable")
}

// A prompt that is cached to the last token still leaves one to compute, and is
// admitted even into a pool that has no block for a copy on write: two public
// reports, and a deadlock of the eviction-sweep study. nano-vllm#144, nano-vllm#117
func TestFullyCachedPrompt(t *testing.T) {
	for _, tc := range []struct {
		name   string
		cfg    Config
		prompt string
		hit    int
	}{
		{"room for the copy", Config{Blocks: 8}, "aaaabbbb", 7},
		{"no room for the copy", Config{Blocks: 3}, "aaaabbbb", 4},
		{"one block", Config{Blocks: 3}, "aaaa", 3},
		{"one block, no room for the copy", Config{Blocks: 2}, "aaaa", 0},
		{"one token more", Config{Blocks: 8}, "aaaabbbbc", 8},
		{"streams", Config{Blocks: 8, Layout: Streams}, "aaaabbbb", 7},
		{"streams, not side by side", Config{Blocks: 4, Layout: Streams}, "aaaabbbb", 0},
		{"one id", Config{Blocks: 8, Seqs: 1}, "aaaabbbb", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, tc.cfg)
			r.serve(tc.prompt)
			q := r.admit(tc.prompt, 4)
			require.Equal(t, tc.hit, q.Hit)
			require.Less(t, q.Hit, len(tc.prompt))
			r.run(q, "xxxx")
			r.finish(q)
			r.evictAll()
			require.Equal(t, r.cache.cfg.Blocks, r.cache.Stats().Free)
		})
	}
}

// Room for one more token in a shared last block is a free block for the copy on
// write, and it is promised at admission. The predecessor's can_append forgot it.
func TestCanAppendCountsTheCopy(t *testing.T) {
	pool := must(NewPool(2, 4))
	a, b := NewTable(pool), NewTable(pool)
	require.NoError(t, a.Append(6))
	require.NoError(t, b.Share(a.blocks, 6))
	require.False(t, b.CanAppend(1), "there is room in the block, which is another's too, and none for a copy")
	require.ErrorIs(t, b.Append(1), ErrNoBlocks)
	require.NoError(t, a.Release())
	require.True(t, b.CanAppend(1), "its own now")

	r := newRig(t, Config{Blocks: 4})
	r.serve("aaaabbbb")
	q := r.admit("aaaabbbb", 4) // shares one block, copies one, takes one
	require.Equal(t, 7, q.Hit)
	_, v := r.try("cccccccc", 1)
	require.Equal(t, Verdict{NotNow, LacksBlocks, 3, 1}, v)
	r.run(q, "xxxx")
	r.finish(q)
}

// The prefix that was just matched is not what eviction takes to make room, nor
// the matched node itself. The predecessor's "cannot share free block"; mini-sglang#52
func TestMatchIsPinned(t *testing.T) {
	r := newRig(t, Config{Blocks: 4})
	r.serve("aaaabbbb")
	r.serve("cccc")
	q := r.admit("aaaabbbbdddd", 4) // the older of the two
	require.Equal(t, 8, q.Hit)
	r.run(q, "")
	r.run(q, "eeee")
	require.Equal(t, 0, r.cache.Probe(letters("ccccx")), "the other one had to go")
	r.evictAll()
	require.Equal(t, 8, r.cache.Probe(letters("aaaabbbbx")))
}

// Two requests that compute the same prompt at once have blocks of their own; what
// one gives back is not freed under the other. mini-sglang#142
func TestDuplicateBlocks(t *testing.T) {
	r := newRig(t, Config{Blocks: 16})
	a, b := r.admit("aaaabbbbcccc", 4), r.admit("aaaabbbbdddd", 4)
	r.run(a, "")
	r.run(b, "")
	require.Equal(t, 12, r.publish(a))
	require.Equal(t, 12, r.publish(b))
	r.finish(a)
	r.evictAll()
	require.Equal(t, letters("aaaabbbbdddd"), r.back.tokens(b.Seq))
	require.Equal(t, 12, r.cache.Probe(letters("aaaabbbbddddx")))
	require.Equal(t, 8, r.cache.Probe(letters("aaaabbbbccccx")))
	require.Equal(t, 3, r.cache.Stats().Held)
}

// Only computed tokens become cached: neither those of a step in progress, nor
// those of cancelled work. vllm#41400, vllm#29387
func TestOnlyComputedTokensAreCached(t *testing.T) {
	r := newRig(t, Config{Blocks: 16})
	a := r.admit("aaaabbbbcccc", 4)
	require.NoError(t, r.cache.Reserve(a.Lease, 12))
	require.Equal(t, 0, r.publish(a))
	r.runTo(a, 6)
	require.Equal(t, 4, r.publish(a))
	require.NoError(t, r.cache.Reserve(a.Lease, 12))
	r.settle()
	r.back.write(a.Seq, 6, a.tokens[6:]) // cancelled during the step that computes them
	r.finish(a)
	require.Equal(t, 4, r.cache.Probe(letters("aaaabbbbccccx")))
}

// A handle to an evicted node is refused, also when its slot is in use again.
// nano-vllm#243
func TestStaleHandles(t *testing.T) {
	r := newRig(t, Config{Blocks: 16})
	r.serve("aaaa")
	m := r.cache.tree.Match(letters("aaaa"))
	pin, err := r.cache.tree.Pin(m)
	require.NoError(t, err)
	require.NoError(t, r.cache.tree.Unpin(pin))
	require.ErrorIs(t, r.cache.tree.Unpin(pin), ErrStale)
	_, _, err = r.cache.tree.Source(pin)
	require.ErrorIs(t, err, ErrStale)
	_, _, err = r.cache.tree.Source(Pin{})
	require.ErrorIs(t, err, ErrStale)
	r.evictAll()
	r.serve("bbbb")
	require.Equal(t, m.node, r.cache.tree.Match(letters("bbbb")).node)
	_, err = r.cache.tree.Pin(m)
	require.ErrorIs(t, err, ErrStale)
	require.ErrorIs(t, r.cache.tree.Touch(m), ErrStale)
}

// The hit that a request was admitted with is the one that it has, though the
// prefix was evicted between the probe and the admission, or is after it.
// nano-vllm#211, nano-vllm#233
func TestHitIsDecidedOnce(t *testing.T) {
	for _, layout := range []Layout{Unified, Streams} {
		r := newRig(t, Config{Blocks: 16, Layout: layout})
		r.serve("aaaabbbb")
		require.Equal(t, 8, r.cache.Probe(letters("aaaabbbbc")))
		a := r.admit("aaaabbbbc", 4)
		r.evictAll()
		require.Equal(t, 8, a.Hit)
		require.Equal(t, letters("aaaabbbb"), r.back.tokens(a.Seq))
		r.finish(a)
		r.evictAll()
		require.Zero(t, r.admit("aaaabbbbc", 4).Hit)
	}
}

// A match inside an edge cuts it, so the tail that nobody uses can be evicted, and
// nothing stays pinned. bytedance-iaas/sglang#508
func TestPartialMatchSplits(t *testing.T) {
	r := newRig(t, Config{Blocks: 16})
	r.serve("aaaabbbbccccdddd")
	q := r.admit("aaaabbbbxxxx", 4)
	require.Equal(t, 8, q.Hit)
	r.evictAll()
	require.Equal(t, 8, r.cache.Probe(letters("aaaabbbbccccdddd")))
	require.NoError(t, r.cache.Release(q.Lease, nil))
	r.evictAll()
	require.Equal(t, 16, r.cache.Stats().Free)
}

// rehash files a node under a forged hash.
func rehash(t *PrefixTree, i int32, hash uint64) {
	t.index.remove(t.nodes, i)
	t.nodes[i].hash = hash
	head := &t.index.heads[hash&uint64(len(t.index.heads)-1)]
	t.nodes[i].bucketNext, *head = *head, i
	t.index.count++
}

// Tokens decide, not hashes: a node whose hash is that of another block is not a
// match, and a request can not publish under another's prompt. llama.cpp#27148
func TestNeverAnotherConversation(t *testing.T) {
	r := newRig(t, Config{Blocks: 16})
	r.serve("aaaa")
	tree := r.cache.tree
	i := tree.Match(letters("aaaa")).node
	rehash(tree, i, blockHash(root, letters("bbbb")))
	require.Zero(t, tree.Match(letters("bbbb")).Tokens)

	// Nor is the same block after another beginning.
	rehash(tree, i, blockHash(root, letters("aaaa")))
	r.serve("aaaacccc")
	r.serve("bbbbdddd")
	under := tree.Match(letters("bbbb")).node
	rehash(tree, tree.Match(letters("aaaacccc")).node, blockHash(under, letters("cccc")))
	require.Equal(t, 4, tree.Match(letters("bbbb")).Tokens)
	require.Equal(t, none, tree.index.find(tree.nodes, under, letters("cccc")))

	r = newRig(t, Config{Blocks: 16})
	a := r.admit("aaaa", 4)
	r.run(a, "")
	_, err := r.cache.Publish(a.Lease, letters("aaab"))
	require.ErrorIs(t, err, ErrMismatch)
	require.ErrorIs(t, r.cache.Release(a.Lease, letters("aaab")), ErrMismatch)
	r.settle()
	require.Zero(t, r.cache.Stats().Running)
	require.Zero(t, r.cache.Probe(letters("aaabx")))
}

// A request's lookup and hit are counted once, when it is admitted; coming back
// after a preemption counts apart. LMCache#3269, vllm#25780
func TestHitsAreCountedOnce(t *testing.T) {
	r := newRig(t, Config{Blocks: 6})
	r.serve("aaaa")
	q := r.admit("aaaabbbb", 16)
	for range 3 {
		_, v := r.try("aaaacccc", 8) // waits: no count
		require.Equal(t, NotNow, v.Decision)
	}
	s := r.cache.Stats()
	require.Equal(t, [4]uint64{12, 4, 0, 0}, [4]uint64{s.Lookup, s.Hit, s.Recomputed, s.Recovered})
	r.run(q, "")
	r.finish(q)
	_, v := r.cache.Admit(Request{Prompt: letters("aaaabbbbc"), MaxTokens: 15, Recompute: true})
	require.Equal(t, Fits, v.Decision)
	s = r.cache.Stats()
	require.Equal(t, [4]uint64{12, 4, 9, 8}, [4]uint64{s.Lookup, s.Hit, s.Recomputed, s.Recovered})
}

// A second release, even after the slot went to another request, does nothing.
// sgl-jax#982
func TestReleaseIsIdempotent(t *testing.T) {
	cfg := Config{Blocks: 16, BlockTokens: 4, Prefix: true}
	for _, c := range []audited{must(NewPaged(cfg)), must(NewContiguous(cfg))} {
		a, _ := c.Admit(Request{Prompt: letters("aaaa"), MaxTokens: 4})
		require.NoError(t, c.Release(a.Lease, nil))
		b, _ := c.Admit(Request{Prompt: letters("bbbb"), MaxTokens: 4})
		require.Equal(t, a.Seq, b.Seq)
		before := c.Stats()
		require.NoError(t, c.Release(a.Lease, nil))
		require.Equal(t, before, c.Stats())
		require.NoError(t, c.Reserve(b.Lease, 5))
		require.NoError(t, c.Check())
	}
}

// A request that is cancelled between the chunks of its prompt, or before the
// first, leaves nothing behind. sgl-jax#984
func TestCancelledInMidPrompt(t *testing.T) {
	for _, computed := range []int{0, 3, 4, 9} {
		r := newRig(t, Config{Blocks: 8})
		q := r.admit("aaaabbbbcccc", 4)
		r.runTo(q, computed)
		require.NoError(t, r.cache.Release(q.Lease, nil))
		r.settle()
		s := r.cache.Stats()
		require.Equal(t, [5]int{8, 0, 0, 0, 256}, [5]int{s.Free, s.Promised, s.Running, s.Written, s.FreeSeqs})
		pending, _ := r.cache.Pending(letters("aaaabbbb"))
		require.Zero(t, pending)
	}
}

// A block with several owners counts once among those that eviction can free.
// sglang#35270
func TestEvictableCountsOnce(t *testing.T) {
	r := newRig(t, Config{Blocks: 16})
	r.serve("aaaabbbbcccc")
	r.serve("aaaabbbbdddd")
	r.serve("aaaaeeee")
	require.Equal(t, 5, r.cache.Stats().Cached)
	r.evictAll()
	require.Equal(t, 16, r.cache.Stats().Free)
}

// A full cache is an error to act on. llama.cpp#23652, ollama#7949, ollama#10127
func TestFullCacheIsAnError(t *testing.T) {
	r := newRig(t, Config{Blocks: 4, Optimism: 1})
	a, b := r.admit("aaaa", 8), r.admit("bbbb", 8)
	r.run(a, "aaaa")
	r.run(b, "bbbb")
	before := slices.Clone(r.cache.slots[a.Seq].table.blocks)
	require.ErrorIs(t, r.cache.Reserve(a.Lease, 9), ErrNoBlocks)
	require.Equal(t, before, r.cache.slots[a.Seq].table.blocks)
	r.finish(b)
	require.NoError(t, r.cache.Reserve(a.Lease, 9))
}
