package engine

import (
	"time"

	"github.com/cadence-bench/cadence-bench/kv"
)

// Join is a request that joined the batch.
type Join struct {
	ID      int
	Tokens  int  // of its prompt; after a preemption, with the output so far
	Hit     int  // those of them that were cached
	Resumed bool // it was preempted before
}

// joinWaiting moves waiting requests into the batch, in the order of the queue. A request
// that does not fit holds those behind it, or large ones would starve; that is not
// for ever, since what runs ends, and into the empty cache it fits (vllm#53130).
func (s *Scheduler) joinWaiting(now time.Duration) (wake time.Duration) {
	p := &s.policy
	for q := s.held.head(); q != nil && q.holdUntil <= now; q = s.held.head() {
		q.leave()
		s.waiting.push(q)
	}
	if !p.Refill {
		if len(s.running) > 0 {
			return 0
		}
		if head := s.waiting.next(); head != nil && s.waiting.len() < p.MaxBatch && now < head.added+p.FillWait {
			return head.added + p.FillWait
		}
	}
	for len(s.running) < p.MaxBatch && !(s.jammed && len(s.running) > 0) {
		q := s.waiting.next()
		if q == nil {
			break
		}
		if s.hold(q, now) {
			continue
		}
		if s.guard.mustClear(q, now) {
			if s.cache.Room(s.asks(q)).Decision != kv.Fits {
				break
			}
			if !s.guard.clears(q, now) {
				s.Remove(q.ID)
				continue
			}
		}
		if !s.join(q) {
			break
		}
	}
	if q := s.held.head(); q != nil {
		wake = q.holdUntil
	}
	return wake
}

// join moves q into the batch if it fits. A request that was preempted is promised
// room for all of its output, so that it cannot be preempted for lack of blocks
// again and no two requests can take turns at preempting each other.
func (s *Scheduler) join(q *sequence) bool {
	grant, v := s.cache.Admit(s.asks(q))
	if v.Decision != kv.Fits {
		return false
	}
	s.waiting.take(q)
	s.guard.waitsNoMore(q)
	s.joins = append(s.joins, Join{ID: q.ID, Tokens: len(q.tokens), Hit: grant.Hit, Resumed: q.joined})
	if !q.joined {
		q.cached = grant.Hit
	}
	q.running, q.firm, q.joined = true, q.joined, true
	q.lease, q.seq = grant.Lease, grant.Seq
	q.computed, q.target, q.got = grant.Hit, len(q.tokens), 0
	s.running = append(s.running, q)
	return true
}

// asks is what a waiting request asks of the cache.
func (s *Scheduler) asks(q *sequence) kv.Request {
	if q.tokens == nil {
		q.tokens = append(make([]Token, 0, len(q.Prompt)+q.MaxTokens), q.Prompt...)
	}
	return kv.Request{
		ID: q.order, Prompt: q.tokens, MaxTokens: q.MaxTokens - q.output, Fresh: s.fresh(q.tokens, len(q.Prompt)),
		Recompute: q.joined, Firm: q.joined,
	}
}

// fresh is how many of a request's tokens, of which the first ones are its prompt, are
// computed at least, cached or not.
func (s *Scheduler) fresh(tokens []Token, prompt int) int {
	switch {
	case s.share == nil:
	case s.policy.ChunkAlign > 0:
		return len(tokens) - s.policy.wholeChunks(prompt-1)
	case s.tile > 0:
		return s.tiledRest(len(tokens), s.share.Probe(tokens))
	}
	return 1
}

// wouldHit is how many of a request's tokens, of which the first ones are its prompt,
// would be found in the cache now.
func (s *Scheduler) wouldHit(tokens []Token, prompt int) int {
	if s.share == nil {
		return 0
	}
	return min(s.share.Probe(tokens), len(tokens)-s.fresh(tokens, prompt))
}

// hold keeps q back when a running request is computing more of its prompt than is
// cached now, and q has not been held for ShareWait already.
func (s *Scheduler) hold(q *sequence, now time.Duration) bool {
	wait := s.policy.ShareWait
	if wait == 0 || s.share == nil || q.holdUntil > 0 && q.holdUntil <= now {
		return false
	}
	prompt := q.tokens
	if prompt == nil {
		prompt = q.Prompt
	}
	pending, by := s.share.Pending(prompt)
	if pending == 0 || pending <= s.share.Probe(prompt) {
		return false
	}
	if q.holdUntil == 0 {
		q.holdUntil = now + wait
	}
	q.leave()
	q.waitsFor = by
	s.held.push(q, q.holdUntil)
	return true
}

// unhold puts back, at their place in the queue, the requests that are held back
// for the prefix of one that has published it or never will.
func (s *Scheduler) unhold(by *sequence) {
	s.released = s.released[:0]
	for _, e := range s.held.entries {
		if e.q.waitsFor == by.order {
			s.released = append(s.released, e.q)
		}
	}
	for _, q := range s.released {
		q.leave()
		s.waiting.push(q)
	}
	clear(s.released)
}
