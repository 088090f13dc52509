package kv

import "slices"

// requests is what every policy has: the pool, the ids, and the running requests,
// by sequence id.
type requests struct {
	cfg  Config
	pool *Pool
	ids  *SeqIDs
	log  OpLog

	slots   []slot
	running int
	written int // by running requests, in tokens
	stats   Stats
}

// slot is one running request.
type slot struct {
	gen     uint32 // 0 is never a live generation
	live    bool
	table   Table
	written int // tokens that are committed
	limit   int // tokens of prompt and output
	prompt  []int32
	promise Promise // what it may still take
	pin     Pin     // its path in the tree
}

func newRequests(cfg Config) (requests, error) {
	if err := cfg.check(); err != nil {
		return requests{}, err
	}
	cfg = cfg.filled()
	pool, err := NewPool(cfg.Blocks, cfg.BlockTokens)
	if err != nil {
		return requests{}, err
	}
	ids, err := NewSeqIDs(cfg.Seqs)
	if err != nil {
		return requests{}, err
	}
	r := requests{cfg: cfg, pool: pool, ids: ids, slots: make([]slot, cfg.Seqs)}
	for i := range r.slots {
		r.slots[i] = slot{gen: 1, table: NewTable(pool)}
	}
	return r, nil
}

// CanEver implements [Cache].
func (c *requests) CanEver(r Request) Verdict {
	total, pool := len(r.Prompt)+r.MaxTokens, c.cfg.Blocks*c.cfg.BlockTokens
	switch {
	case len(r.Prompt) == 0:
		return Verdict{Decision: Never, Reason: EmptyPrompt}
	case r.MaxTokens < 1:
		return Verdict{Decision: Never, Reason: NoOutput}
	case total > pool || total < 0:
		return Verdict{Never, PoolTokens, total, pool}
	case total > c.cfg.SeqTokens:
		return Verdict{Never, SeqTokens, total, c.cfg.SeqTokens}
	}
	return Verdict{}
}

// open makes a request running on a sequence id that was taken for it.
func (c *requests) open(seq int32, r Request, hit int) Grant {
	s := &c.slots[seq]
	s.live, s.written, s.prompt = true, hit, r.Prompt
	s.limit = len(r.Prompt) + r.MaxTokens
	c.running++
	c.written += hit
	lookup, found := &c.stats.Lookup, &c.stats.Hit
	if r.Recompute {
		lookup, found = &c.stats.Recomputed, &c.stats.Recovered
	}
	*lookup += uint64(len(r.Prompt))
	*found += uint64(hit)
	return Grant{Lease: Lease{seq, s.gen}, Seq: seq, Hit: hit}
}

// Pool is the pool that the cache takes its blocks from.
func (c *requests) Pool() *Pool { return c.pool }

// Blocks are a running request's blocks in order, and nil for a stale lease. The caller
// must not change or keep them.
func (c *requests) Blocks(l Lease) []BlockID {
	s, err := c.get(l)
	if err != nil {
		return nil
	}
	return s.table.Blocks()
}

func (c *requests) get(l Lease) (*slot, error) {
	if uint(l.seq) >= uint(len(c.slots)) {
		return nil, ErrStale
	}
	s := &c.slots[l.seq]
	if !s.live || s.gen != l.gen {
		return nil, ErrStale
	}
	return s, nil
}

// close makes a request's lease stale and gives its blocks back. The sequence id
// stays taken.
func (c *requests) close(s *slot) error {
	c.running--
	c.written -= s.written
	s.live, s.prompt = false, nil
	s.gen++
	if s.gen == 0 {
		s.gen = 1
	}
	return s.table.Release()
}

// vacate drops a closed request's cells and gives its sequence id back.
func (c *requests) vacate(seq int32) error {
	c.log.remove(seq)
	return c.ids.Give(seq)
}

// Commit implements [Cache].
func (c *requests) Commit(l Lease, tokens int) error {
	s, err := c.get(l)
	if err != nil {
		return err
	}
	if tokens > s.table.Tokens() {
		return ErrBeyondPromise
	}
	if tokens > s.written {
		c.written += tokens - s.written
		s.written = tokens
	}
	return nil
}

// Cost implements [Cache].
func (c *requests) Cost(l Lease) (blocks, tokens int, err error) {
	s, err := c.get(l)
	if err != nil {
		return 0, 0, err
	}
	shared := 0
	for _, b := range s.table.blocks {
		if c.pool.holds[b].hard > 1 {
			shared++
		}
	}
	return len(s.table.blocks) - shared, max(0, s.written-shared*c.cfg.BlockTokens), nil
}

// Ops implements [Cache].
func (c *requests) Ops(dst []Op) []Op {
	return c.log.Drain(dst)
}

// Stats implements [Cache].
func (c *requests) Stats() Stats {
	s := c.stats
	s.Blocks, s.Free, s.Cached = c.pool.Len(), c.pool.Free(), c.pool.Cached()
	s.Held = s.Blocks - s.Free - s.Cached
	s.Running, s.Owners, s.FreeSeqs = c.running, c.ids.Owned(), c.ids.Free()
	s.Written = c.written
	return s
}

// owns reports whether tokens begin with the request's prompt, as far as they go.
func (s *slot) owns(tokens []int32) bool {
	n := min(len(tokens), len(s.prompt))
	return slices.Equal(tokens[:n], s.prompt[:n])
}
