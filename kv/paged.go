package kv

// Paged gives a request blocks as its tokens are computed and promises it the
// rest. With Config.Prefix it reuses cached prefixes, and evicts them when it
// needs their blocks or ids.
type Paged struct {
	requests
	tree     *PrefixTree
	ledger   Ledger
	inflight inflight
	held     Table // the matched blocks during Admit; empty otherwise
}

var (
	_ Cache  = (*Paged)(nil)
	_ Sharer = (*Paged)(nil)
)

// NewPaged returns an empty cache.
func NewPaged(cfg Config) (*Paged, error) {
	r, err := newRequests(cfg)
	if err != nil {
		return nil, err
	}
	ledger, err := NewLedger(1 - cfg.Optimism)
	if err != nil {
		return nil, err
	}
	p := &Paged{requests: r, ledger: ledger, held: NewTable(r.pool)}
	p.inflight.blockTokens = p.cfg.BlockTokens
	p.tree = NewPrefixTree(p.pool, p.ids, &p.log)
	p.tree.evictions.wanted = cfg.LogEvictions
	return p, nil
}

// Probe implements [Sharer].
func (p *Paged) Probe(prompt []int32) int {
	return max(0, min(p.tree.Match(prompt).Tokens, len(prompt)-1))
}

// Pending implements [Sharer].
func (p *Paged) Pending(prompt []int32) (tokens int, by uint64) { return p.inflight.longest(prompt) }

// Admit implements [Cache].
//
// A prompt that is cached to its last token has a hit that ends inside a block.
// That block is copied on write at once, which takes one block more than a hit up
// to the block before. When this, or in the Streams layout owner and copy side by
// side, is what does not fit, the hit is shortened rather than the request kept
// waiting for room that would never come.
func (p *Paged) Admit(r Request) (Grant, Verdict) {
	if v := p.CanEver(r); v.Decision != Fits {
		return Grant{}, v
	}
	m, most := p.longest(r)
	for hit, more := most, true; ; {
		g, v := p.admit(r, m, hit)
		if v.Decision == Fits {
			p.stats.Forgone += uint64(most - hit)
			if p.cfg.Prefix && m.Tokens < p.whole(len(r.Prompt)) {
				p.inflight.add(g.Seq, r.ID, r.Prompt)
			}
			return g, v
		}
		if hit, more = p.shorter(hit); !more {
			return g, v
		}
	}
}

// Room implements [Cache]. It takes the same hits into account as Admit.
func (p *Paged) Room(r Request) Verdict {
	if v := p.CanEver(r); v.Decision != Fits {
		return v
	}
	m, hit := p.longest(r)
	for more := true; ; {
		pin := p.grip(m, hit)
		v := p.room(p.promiseTo(r, hit))
		p.letGo(pin)
		if v.Decision == Fits {
			return v
		}
		if hit, more = p.shorter(hit); !more {
			return v
		}
	}
}

// longest is the match of a request's prompt and the longest hit that it allows.
func (p *Paged) longest(r Request) (Match, int) {
	m := p.tree.Match(r.Prompt)
	return m, max(0, min(m.Tokens, len(r.Prompt)-max(r.Fresh, 1)))
}

// shorter is the hit to try when one does not fit, if there is any.
func (p *Paged) shorter(hit int) (int, bool) {
	if whole := p.whole(hit); whole < hit && p.cfg.Layout == Unified {
		return whole, true
	}
	return 0, hit > 0
}

// grip pins the path of a hit and holds its blocks, until letGo.
func (p *Paged) grip(m Match, hit int) Pin {
	pin := must(p.tree.Pin(m.To(p.whole(hit + p.cfg.BlockTokens - 1))))
	if hit > 0 {
		ensure(p.held.Share(p.tree.source(pin).blocks[:p.pool.BlocksFor(hit)], hit))
	}
	return pin
}

func (p *Paged) letGo(pin Pin) {
	ensure(p.held.Release())
	ensure(p.tree.Unpin(pin))
}

// admit decides about a request with a hit of exactly the given length. From
// before the decision until the copy is ordered, the matched path is pinned and
// its blocks are held.
func (p *Paged) admit(r Request, m Match, hit int) (Grant, Verdict) {
	pin := p.grip(m, hit)
	promise := p.promiseTo(r, hit)
	if v := p.room(promise); v.Decision != Fits {
		p.letGo(pin)
		return Grant{}, v
	}
	seq := must(p.takeSeq())
	s := &p.slots[seq]
	s.promise = promise
	p.ledger.Add(promise)
	ensure(p.ledger.Draw(&s.promise, p.place(s, hit)))
	if hit > 0 {
		src := p.tree.source(pin) // evictions since may have trimmed it
		p.log.copy(src.seq, seq)
		if src.tokens > hit {
			p.log.trim(seq, hit)
		}
	}
	// The blocks that the request shares from here on are worth nothing to evict, so
	// it goes on pinning their path: what it copied on write is not among them.
	if p.cfg.Layout == Unified && hit > 0 {
		s.pin = p.tree.repin(pin, p.whole(hit))
	} else {
		ensure(p.tree.Unpin(pin))
	}
	return p.open(seq, r, hit), Verdict{}
}

// promiseTo is what a request takes from the pool in all, given its hit: what it
// shares to the end is not among it, a block that it copies on write is.
func (p *Paged) promiseTo(r Request, hit int) Promise {
	shared := 0
	if p.cfg.Layout == Unified {
		shared = hit / p.cfg.BlockTokens
	}
	prompt, total := p.pool.BlocksFor(len(r.Prompt)), p.pool.BlocksFor(len(r.Prompt)+r.MaxTokens)
	if r.Firm {
		return Promise{Firm: total - shared}
	}
	return Promise{Firm: prompt - shared, Growth: total - prompt}
}

// room decides whether a promise can be given, evicting nothing.
func (p *Paged) room(promise Promise) Verdict {
	available := p.pool.Free() + p.pool.Cached()
	if !p.ledger.Fits(promise, available) {
		return Verdict{NotNow, LacksBlocks, promise.Blocks(), p.ledger.Spare(available)}
	}
	if !p.hasSeq() {
		return Verdict{NotNow, LacksSeqs, 1, 0}
	}
	return Verdict{}
}

// place gives a new request the table of its hit and returns how many blocks that
// took: the table is shared in the Unified layout, with the last block its own when
// the hit ends inside it, and all its own in the Streams layout.
func (p *Paged) place(s *slot, hit int) (took int) {
	first := hit
	if p.cfg.Layout == Unified {
		s.table, p.held = p.held, s.table
		first = 0
		if hit > p.whole(hit) {
			first = 1
			p.stats.Copied++
		}
	}
	took = s.table.Need(first)
	ensure(p.freeBlocks(took, ForBlocks))
	ensure(s.table.Append(first))
	ensure(p.held.Release())
	return took
}

// Reserve implements [Cache].
func (p *Paged) Reserve(l Lease, tokens int) error {
	s, err := p.get(l)
	if err != nil {
		return err
	}
	if tokens > s.limit {
		return ErrBeyondPromise
	}
	n := tokens - s.table.Tokens()
	if n <= 0 {
		return nil
	}
	need := s.table.Need(n)
	if p.breaksFirm(s.promise, need) {
		return ErrNoBlocks
	}
	if err := p.freeBlocks(need, ForBlocks); err != nil {
		return err
	}
	ensure(s.table.Append(n))
	ensure(p.ledger.Draw(&s.promise, need))
	return nil
}

// breaksFirm reports whether taking n blocks of a promise, beyond its firm ones,
// would leave too few for the firm promises to all: optimism is about output, and
// only those who were promised output on it may find that there is none.
func (p *Paged) breaksFirm(promise Promise, n int) bool {
	firm := min(n, promise.Firm)
	return n > firm && p.pool.Free()+p.pool.Cached()-n < p.ledger.total.Firm-firm
}

// EvictNewestFirst turns the order of eviction round: the leaf that was used last goes
// first. It is a mistake, for package faulty to make.
func (p *Paged) EvictNewestFirst() { p.tree.newestFirst = true }

// Evict implements [Sharer].
func (p *Paged) Evict(blocks int) int {
	before := p.pool.Free()
	for p.pool.Free() < before+blocks && p.tree.EvictOne(OnDemand) {
	}
	return p.pool.Free() - before
}

// Evictions implements [Sharer].
func (p *Paged) Evictions(dst []Eviction) []Eviction { return p.tree.evictions.drain(dst) }

// Stats implements [Cache].
func (p *Paged) Stats() Stats {
	s := p.requests.Stats()
	s.Promised = p.ledger.Promised()
	s.Evicted, s.Splits = p.tree.evicted, p.tree.splits
	return s
}

// freeBlocks evicts until n blocks are free. It returns ErrNoBlocks, and evicts
// nothing, when they can not be.
func (p *Paged) freeBlocks(n int, why EvictReason) error {
	if n > p.pool.Free()+p.pool.Cached() {
		return ErrNoBlocks
	}
	for p.pool.Free() < n {
		if !p.tree.EvictOne(why) {
			return ErrNoBlocks
		}
	}
	return nil
}

// takeSeq takes a sequence id, evicting until one is free. It returns ErrNoSeqs
// when none can be; hasSeq tells before anything is evicted.
func (p *Paged) takeSeq() (int32, error) {
	for p.ids.Free() == 0 && p.tree.EvictOne(ForSeq) {
	}
	return p.ids.Take()
}

func (p *Paged) hasSeq() bool { return p.ids.Free()+p.tree.removable() > 0 }

// whole rounds a number of tokens down to blocks.
func (p *Paged) whole(tokens int) int { return tokens / p.cfg.BlockTokens * p.cfg.BlockTokens }
