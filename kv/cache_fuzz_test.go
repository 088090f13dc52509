package kv

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var cacheStates = []string{
	"hit", "hit up to a block boundary", "fully cached prompt", "recompute is no hit", "edge split", "eviction under pressure",
	"pinned match survived eviction", "eviction for an id", "not now: blocks", "not now: ids", "never", "published while running",
	"published twice", "publication of what another published", "kept at release", "publication clipped to what is computed",
	"cancelled in mid-step", "stale lease", "tokens of another sequence", "pending", "hit shortened to fit", "pool full",
	"retained cache bounded", "evicted for blocks", "evicted for sequence", "evicted for bound", "evicted for demand",
}

var unifiedStates = append([]string{"copy on write", "path kept by another owner"}, cacheStates...)

func TestCacheDifferential(t *testing.T) {
	t.Run("unified", func(t *testing.T) {
		differential(t, 2, 500, func(p *prog) { driveCache(p, Unified, 0) }, unifiedStates...)
	})
	t.Run("streams", func(t *testing.T) {
		states := append([]string{"publication skipped", "evicted for copy"}, cacheStates...)
		differential(t, 3, 500, func(p *prog) { driveCache(p, Streams, 0) }, states...)
	})
	t.Run("optimism", func(t *testing.T) {
		differential(t, 4, 500, func(p *prog) { driveCache(p, Unified, 0.5) }, "hit", "preemption")
	})
}

func FuzzCache(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		p := &prog{data: data, t: t, seen: reached{}}
		layout, optimism := Layout(p.pick(2)), float64(p.pick(2))/2
		driveCache(p, layout, optimism)
	})
}

// runningRequest is the driver's own view of a request.
type runningRequest struct {
	lease    Lease
	seq      int32
	prompt   []int32
	all      []int32 // prompt and output; what is to be computed
	computed int
	limit    int
	firm     bool
}

type cacheDriver struct {
	*prog
	cfg     Config
	cache   *Paged
	backend *backend
	running []*runningRequest
	stale   []Lease
	nextID  uint64
}

func driveCache(p *prog, layout Layout, optimism float64) {
	cfg := Config{Blocks: 14, BlockTokens: 2, Seqs: 3 + p.pick(6), Layout: layout, Prefix: true, Optimism: optimism, LogEvictions: true}
	if p.pick(4) == 0 {
		cfg.RetainBlocks = 5
	}
	d := &cacheDriver{prog: p, cfg: cfg, cache: must(NewPaged(cfg)), backend: newBackend(p.t, layout, cfg.Seqs)}
	for !p.done() {
		switch p.pick(9) {
		case 0, 1:
			d.admit()
		case 2, 3, 4:
			d.step(true)
		case 5:
			d.publish()
		case 6, 7:
			d.release()
		case 8:
			d.misuse()
		}
		d.compare()
	}
	d.wind()
}

// cached is the oracle for a lookup: the longest run of whole blocks that an idle
// sequence of the backend shares with the prompt.
func (d *cacheDriver) cached(prompt []int32) int {
	best := 0
	for seq := range d.backend.seqs {
		if !slices.ContainsFunc(d.running, func(r *runningRequest) bool { return r.seq == int32(seq) }) {
			n := commonPrefix(d.backend.tokens(int32(seq)), prompt)
			best = max(best, n/d.cfg.BlockTokens*d.cfg.BlockTokens)
		}
	}
	return best
}

// spare is the oracle for admission: the blocks that no running request holds,
// less what they may still take.
func (d *cacheDriver) spare() int {
	used, promised := map[BlockID]bool{}, 0
	for _, r := range d.running {
		table := &d.cache.slots[r.seq].table
		for _, b := range table.blocks {
			used[b] = true
		}
		promised += d.cache.pool.BlocksFor(r.limit) - len(table.blocks)
	}
	return d.cfg.Blocks - len(used) - promised
}

func (d *cacheDriver) admit() {
	prompt := d.tokens(0, 12)
	if len(d.running) > 0 && d.pick(3) == 0 {
		prompt = slices.Clone(d.running[d.pick(len(d.running))].prompt)
	}
	r := Request{ID: d.nextID, Prompt: prompt, MaxTokens: d.pick(12), Recompute: d.pick(4) == 0}
	r.Firm = r.Recompute
	r.Fresh = int(d.nextID % 4)
	if d.pick(16) == 0 {
		r.MaxTokens = 100
	}
	d.nextID++
	before, cached, spare := d.cache.Stats(), d.cached(prompt), d.spare()
	probe := d.cache.Probe(prompt)
	would := d.cache.Room(r)
	untouched := d.cache.Stats()
	untouched.Splits = before.Splits // a prefix may be cut where a hit would end
	require.Equal(d.t, before, untouched)
	g, v := d.cache.Admit(r)
	require.Equal(d.t, v, would, "Room says what Admit does")
	after := d.cache.Stats()
	total := d.cache.pool.BlocksFor(len(prompt) + r.MaxTokens)
	switch v.Decision {
	case Never:
		d.see("never", true)
		require.True(d.t, len(prompt) == 0 || r.MaxTokens < 1 || total > d.cfg.Blocks, "refused %+v: %v", r, v)
		require.Equal(d.t, before, after)
		return
	case NotNow:
		d.see("not now: blocks", v.Reason == LacksBlocks)
		d.see("not now: ids", v.Reason == LacksSeqs)
		require.NotEmpty(d.t, d.running, "nothing runs, yet %+v has to wait: %v", r, v)
		if v.Reason == LacksBlocks && d.cfg.Optimism == 0 {
			require.Less(d.t, spare, total, "%+v fits without a hit: %v", r, v)
		}
		before.Splits = after.Splits // the pin of the decision may cut an edge
		require.Equal(d.t, before, after)
		return
	}
	require.Equal(d.t, max(0, min(cached, len(prompt)-1)), probe)
	most := max(0, min(cached, len(prompt)-max(1, r.Fresh)))
	require.Equal(d.t, uint64(most-g.Hit), after.Forgone-before.Forgone)
	d.backend.apply(d.cache.Ops(nil))
	require.Equal(d.t, prompt[:g.Hit], append([]int32{}, d.backend.tokens(g.Seq)...))
	counted := after.Hit - before.Hit
	if r.Recompute {
		require.Zero(d.t, after.Lookup-before.Lookup) // vllm#25780
		counted = after.Recovered - before.Recovered
	}
	require.EqualValues(d.t, g.Hit, counted)
	evicted := after.Evicted > before.Evicted
	d.see("eviction for an id", d.evicted(before, ForBlocks, ForSeq)[ForSeq] > 0)
	d.see("hit", g.Hit > 0)
	d.see("hit up to a block boundary", g.Hit > 0 && g.Hit < len(prompt)-1)
	d.see("fully cached prompt", cached == len(prompt) && g.Hit == len(prompt)-1 && g.Hit > 0)
	d.see("recompute is no hit", r.Recompute && g.Hit > 0)
	d.see("copy on write", after.Copied > before.Copied)
	d.see("path kept by another owner", d.cfg.Layout == Unified && g.Hit >= d.cfg.BlockTokens && d.cache.slots[g.Seq].pin == Pin{})
	d.see("edge split", after.Splits > before.Splits)
	d.see("pinned match survived eviction", g.Hit > 0 && evicted)
	d.see("hit shortened to fit", after.Forgone > before.Forgone)
	d.running = append(d.running, &runningRequest{
		lease: g.Lease, seq: g.Seq, prompt: prompt, all: slices.Clone(prompt), computed: g.Hit,
		limit: len(prompt) + r.MaxTokens, firm: r.Firm,
	})
}

func (d *cacheDriver) any() *runningRequest {
	if len(d.running) == 0 {
		return nil
	}
	return d.running[d.pick(len(d.running))]
}

// step computes some of a request's tokens. When it is cut short, the backend has
// computed them and the cache is not told.
func (d *cacheDriver) step(commit bool) *runningRequest {
	r := d.any()
	if r == nil {
		return nil
	}
	for len(r.all) < r.limit && len(r.all) < r.computed+4 {
		r.all = append(r.all, int32(d.pick(2)))
	}
	n := min(1+d.pick(4), len(r.all)-r.computed)
	before := d.cache.Stats()
	if err := d.cache.Reserve(r.lease, r.computed+n); err != nil {
		require.ErrorIs(d.t, err, ErrNoBlocks)
		require.NotZero(d.t, d.cfg.Optimism, "a promise was not kept")
		require.False(d.t, r.firm, "a firm promise was not kept")
		require.Greater(d.t, r.computed+n, len(r.prompt), "no room for the rest of a prompt")
		d.see("preemption", true)
		d.end(r, r.all)
		return nil
	}
	require.NoError(d.t, d.cache.Reserve(r.lease, r.computed+n))
	d.see("eviction under pressure", d.evicted(before, ForBlocks)[ForBlocks] > 0)
	d.backend.apply(d.cache.Ops(nil))
	d.backend.write(r.seq, r.computed, r.all[r.computed:r.computed+n])
	if commit {
		r.computed += n
		require.NoError(d.t, d.cache.Commit(r.lease, r.computed))
	}
	return r
}

func (d *cacheDriver) publish() {
	r := d.any()
	if r == nil {
		return
	}
	whole := r.computed / d.cfg.BlockTokens * d.cfg.BlockTokens
	cached, before := d.cached(r.all[:whole]), d.cache.Stats()
	n, err := d.cache.Publish(r.lease, r.all)
	require.NoError(d.t, err)
	after := d.cache.Stats()
	d.backend.apply(d.cache.Ops(nil))
	d.see("publication skipped", after.Skipped > before.Skipped)
	if after.Skipped == before.Skipped {
		require.Equal(d.t, whole, n)
	}
	d.see("publication clipped to what is computed", r.computed < len(r.all))
	d.see("published while running", after.Published > before.Published)
	d.see("publication of what another published", cached > 0 && cached < whole)
	d.see("published twice", cached == whole && whole > 0)
	d.evicted(before, ForSeq, ForCopy, ForBound)
	d.see("retained cache bounded", d.cfg.RetainBlocks > 0 && after.Evicted > before.Evicted)
}

// release ends a request: finished, cancelled, preempted, or aborted in a step.
func (d *cacheDriver) release() {
	switch d.pick(4) {
	case 0, 1:
		if r := d.any(); r != nil {
			d.end(r, r.all)
		}
	case 2:
		if r := d.any(); r != nil {
			d.end(r, nil)
		}
	case 3:
		if r := d.step(false); r != nil {
			d.see("cancelled in mid-step", true)
			d.end(r, r.all)
		}
	}
}

func (d *cacheDriver) end(r *runningRequest, keep []int32) {
	before := d.cache.Stats()
	require.NoError(d.t, d.cache.Release(r.lease, keep))
	d.see("kept at release", d.cache.Stats().Published > before.Published)
	d.evicted(before, ForBound)
	d.backend.apply(d.cache.Ops(nil))
	d.stale = append(d.stale, r.lease)
	d.running = slices.DeleteFunc(d.running, func(x *runningRequest) bool { return x == r })
}

func (d *cacheDriver) misuse() {
	before := d.cache.Stats()
	for _, lease := range append(d.stale, Lease{}, Lease{seq: -1}, Lease{seq: 99, gen: 1}) {
		require.ErrorIs(d.t, d.cache.Reserve(lease, 1), ErrStale)
		require.ErrorIs(d.t, d.cache.Commit(lease, 1), ErrStale)
		_, err := d.cache.Publish(lease, nil)
		require.ErrorIs(d.t, err, ErrStale)
		_, _, err = d.cache.Cost(lease)
		require.ErrorIs(d.t, err, ErrStale)
		require.NoError(d.t, d.cache.Release(lease, nil))
		d.see("stale lease", lease.gen > 0)
	}
	if r := d.any(); r != nil {
		require.ErrorIs(d.t, d.cache.Reserve(r.lease, r.limit+1), ErrBeyondPromise)
		require.ErrorIs(d.t, d.cache.Commit(r.lease, r.limit+1), ErrBeyondPromise)
		other := slices.Clone(r.all)
		other[d.pick(len(r.prompt))] ^= 1
		_, err := d.cache.Publish(r.lease, other)
		require.ErrorIs(d.t, err, ErrMismatch)
		d.see("tokens of another sequence", true)
	}
	require.Equal(d.t, before, d.cache.Stats())
	require.Empty(d.t, d.cache.Ops(nil))
}

// evicted holds the log since before against the counter, the room that the reasons
// speak of, and those that the operation can have, and returns the tokens by reason.
func (d *cacheDriver) evicted(before Stats, allowed ...EvictReason) (tokens [evictReasons]int) {
	sum := 0
	for _, e := range d.cache.Evictions(nil) {
		require.True(d.t, slices.Contains(allowed, e.Reason), "%v", e)
		require.True(d.t, e.Tokens > 0 && int(e.Tokens)%d.cfg.BlockTokens == 0 && uint(e.Seq) < uint(d.cfg.Seqs), "%v", e)
		d.see("evicted for "+e.Reason.String(), true)
		tokens[e.Reason] += int(e.Tokens)
		sum += int(e.Tokens)
	}
	require.EqualValues(d.t, d.cache.Stats().Evicted-before.Evicted, sum)
	if tokens[ForSeq] > 0 {
		require.Zero(d.t, before.FreeSeqs)
	}
	if tokens[ForCopy] > 0 {
		require.Equal(d.t, Streams, d.cfg.Layout)
	}
	if tokens[ForBound] > 0 {
		require.Positive(d.t, d.cfg.RetainBlocks)
	}
	return tokens
}

// compare holds what the cache says against the backend.
func (d *cacheDriver) compare() {
	require.NoError(d.t, d.cache.Check())
	s := d.cache.Stats()
	require.Equal(d.t, s.Blocks, s.Free+s.Cached+s.Held)
	require.Equal(d.t, d.cfg.Seqs, s.Running+s.Owners+s.FreeSeqs)
	require.Equal(d.t, len(d.running), s.Running)
	require.LessOrEqual(d.t, d.backend.cells(), (s.Blocks-s.Free)*d.cfg.BlockTokens, "more cells than blocks account for")
	if d.cfg.RetainBlocks > 0 && len(d.running) == 0 {
		require.LessOrEqual(d.t, s.Cached, d.cfg.RetainBlocks)
	}
	require.Empty(d.t, d.cache.Evictions(nil), "evictions that no operation explains")
	d.see("pool full", s.Free == 0)
	for _, r := range d.running {
		require.Equal(d.t, r.all[:r.computed], append([]int32{}, d.backend.tokens(r.seq)...))
	}
	probe := d.tokens(1, 12)
	require.Equal(d.t, min(d.cached(probe), len(probe)-1), d.cache.Probe(probe))
	pending, _ := d.cache.Pending(probe)
	d.see("pending", pending > 0)
}

// wind evicts everything under the running requests, which must free every block
// that counts as cached, then ends the requests, after which nothing is held.
func (d *cacheDriver) wind() {
	before := d.cache.Stats()
	d.cache.Evict(d.cfg.Blocks)
	d.evicted(before, OnDemand)
	d.backend.apply(d.cache.Ops(nil))
	require.Zero(d.t, d.cache.Stats().Cached, "cached blocks that eviction can not free")
	d.compare()
	for len(d.running) > 0 {
		d.end(d.running[0], nil)
	}
	for d.cache.tree.EvictOne(OnDemand) {
	}
	d.backend.apply(d.cache.Ops(nil))
	s := d.cache.Stats()
	require.Equal(d.t, []int{d.cfg.Blocks, d.cfg.Seqs, 0, 0}, []int{s.Free, s.FreeSeqs, s.Promised, s.Written})
	require.Zero(d.t, d.backend.cells())
	require.NoError(d.t, d.cache.Check())
}
