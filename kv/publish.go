package kv

// Publish implements [Sharer].
func (p *Paged) Publish(l Lease, tokens []int32) (int, error) {
	s, err := p.get(l)
	if err != nil {
		return 0, err
	}
	if !s.owns(tokens) {
		return 0, ErrMismatch
	}
	n := p.publishable(s, tokens)
	if n >= p.whole(len(s.prompt)) {
		p.inflight.remove(l.seq)
	}
	if n == 0 {
		return 0, nil
	}
	m := p.tree.Match(tokens[:n])
	if m.Tokens == n {
		return n, p.tree.Touch(m)
	}
	if !p.publishCopy(s, l.seq, tokens[:n]) {
		p.stats.Skipped++
		return m.Tokens, nil
	}
	p.retain()
	return n, nil
}

// publishCopy caches the first tokens of a running request with a new owner that
// is a copy of its sequence. It reports false when there is no id or block for it.
func (p *Paged) publishCopy(s *slot, seq int32, tokens []int32) bool {
	n := len(tokens) / p.cfg.BlockTokens
	if !p.hasSeq() || p.cfg.Layout == Streams && p.freeBlocks(n, ForCopy) != nil {
		return false
	}
	copySeq := must(p.takeSeq())
	p.log.copy(seq, copySeq)
	if s.table.Tokens() > len(tokens) {
		p.log.trim(copySeq, len(tokens))
	}
	if p.cfg.Layout == Streams {
		ensure(p.held.Append(len(tokens)))
		p.insert(tokens, copySeq, p.held.blocks)
		ensure(p.held.Release())
		return true
	}
	old := s.pin
	s.pin = must(p.tree.Pin(p.insert(tokens, copySeq, s.table.blocks[:n])))
	ensure(p.tree.Unpin(old))
	return true
}

// Release implements [Cache]. Keeping costs no copy: the request's own sequence
// becomes the owner.
func (p *Paged) Release(l Lease, keep []int32) error {
	s, err := p.get(l)
	if err != nil {
		return nil
	}
	n := 0
	if !s.owns(keep) {
		err = ErrMismatch
	} else {
		n = p.publishable(s, keep)
	}
	m := p.tree.Match(keep[:n])
	kept := m.Tokens < n
	if kept {
		if s.table.Tokens() > n {
			p.log.trim(l.seq, n)
		}
		p.insert(keep[:n], l.seq, s.table.blocks[:n/p.cfg.BlockTokens])
	} else {
		ensure(p.tree.Touch(m))
	}
	ensure(p.tree.Unpin(s.pin))
	s.pin = Pin{}
	p.inflight.remove(l.seq)
	p.ledger.Cancel(&s.promise)
	ensure(p.close(s))
	if !kept {
		ensure(p.vacate(l.seq))
	}
	p.retain()
	return err
}

// publishable is how many of a request's tokens may be cached now: whole blocks of
// what has been computed.
func (p *Paged) publishable(s *slot, tokens []int32) int {
	if !p.cfg.Prefix {
		return 0
	}
	return p.whole(min(len(tokens), s.written))
}

func (p *Paged) insert(tokens []int32, seq int32, blocks []BlockID) Match {
	before := p.tree.Match(tokens).Tokens
	m := must(p.tree.Insert(tokens, seq, blocks))
	p.stats.Published += uint64(len(tokens) - before)
	return m
}

// retain evicts down to Config.RetainBlocks.
func (p *Paged) retain() {
	if p.cfg.RetainBlocks > 0 {
		for p.pool.Cached() > p.cfg.RetainBlocks && p.tree.EvictOne(ForBound) {
		}
	}
}
