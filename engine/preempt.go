package engine

// Reason says why a request was preempted.
type Reason uint8

const (
	// LacksBlocks means that a decoding sequence found no free block, because
	// the cache was optimistic about output.
	LacksBlocks Reason = iota
	// LacksSlot means that the backend returned ErrNoSlot.
	LacksSlot
)

// String is "blocks" or "slot".
func (r Reason) String() string {
	if r == LacksSlot {
		return "slot"
	}
	return "blocks"
}

// Preemption is a request that had to give up its place in the batch. It waits at
// its old place in the queue and goes on from the token where it was.
type Preemption struct {
	ID     int
	Reason Reason
	Blocks int // that it made available
	Tokens int // computed ones that nobody else holds
}

// Who may be a victim. The quantum sees to it that whoever joins also gets
// something done; who was preempted once has firm promises and is no victim of a
// lack of blocks again.
var (
	optimistAfterQuantum = func(q *sequence, quantum int) bool { return !q.firm && q.got >= quantum }
	anyOptimist          = func(q *sequence, _ int) bool { return !q.firm }
	anyone               = func(*sequence, int) bool { return true }
)

// victim picks, among those who may be preempted, the one with the least to compute
// again per block that it makes available; among equals the last to join. It is
// nil when nobody may be preempted. Nobody has rows in the batch yet.
func (s *Scheduler) victim(may func(q *sequence, quantum int) bool) *sequence {
	var best *sequence
	bestBlocks, bestTokens := 0, 0
	for i := len(s.running) - 1; i >= 0; i-- {
		q := s.running[i]
		if !q.running || !may(q, s.policy.Quantum) {
			continue
		}
		blocks, tokens, err := s.cache.Cost(q.lease)
		ensure(err)
		if best == nil || tokens*bestBlocks < bestTokens*blocks || bestBlocks == 0 && blocks > 0 {
			best, bestBlocks, bestTokens = q, blocks, tokens
		}
	}
	return best
}

// preempt takes q out of the batch, to be recomputed. The caller sweeps. What is
// computed of it stays cached, if the cache keeps prefixes, until its cells are
// needed.
func (s *Scheduler) preempt(q *sequence, why Reason) {
	blocks, tokens, err := s.cache.Cost(q.lease)
	ensure(err)
	s.preempted = append(s.preempted, Preemption{q.ID, why, blocks, tokens})
	q.running = false
	s.release(q)
	s.waiting.push(q)
	s.guard.waits(q)
}

// Abandon takes back the batch in flight: the backend has applied its ops and had
// no slot for its rows. So that the next batch is more modest, it gives something
// up: first cached prefixes, then a running request, which is preempted, and nobody
// joins until one has ended. When only one request runs and nothing is
// cached, stuck is true, and the caller must end that request.
func (s *Scheduler) Abandon() (id int, stuck bool) {
	if !s.inFlight {
		panic("engine: Abandon without a step in flight")
	}
	s.inFlight = false
	running := len(s.running)
	rows := len(s.batch.Rows)
	gone := false
	for _, q := range s.members {
		q.planned = 0
		if !q.running {
			gone = true
			s.release(q)
		}
	}
	switch {
	case gone || s.share != nil && s.share.Evict(rows) > 0 || running == 0:
		return 0, false
	case running == 1:
		return s.running[0].ID, true
	}
	s.jammed = true
	for _, may := range []func(*sequence, int) bool{optimistAfterQuantum, anyOptimist, anyone} {
		if v := s.victim(may); v != nil {
			s.preempt(v, LacksSlot)
			s.sweep()
			break
		}
	}
	return 0, false
}
