package engine

import (
	"fmt"
	"slices"
)

// agree recounts from scratch whether the scheduler's state is sound and the cache
// agrees with it. It holds between any two calls.
func (s *Scheduler) agree() error {
	if err := s.cache.(interface{ Check() error }).Check(); err != nil {
		return err
	}
	holders := slices.Clone(s.running)
	for _, q := range s.members {
		if !q.running && q.planned > 0 {
			holders = append(holders, q) // removed while its rows are in flight
		}
	}
	written, seqs := 0, map[SeqID]bool{}
	for _, q := range holders {
		written += q.computed
		if seqs[q.seq] {
			return fmt.Errorf("sequence %d is used twice", q.seq)
		}
		seqs[q.seq] = true
		if _, _, err := s.cache.Cost(q.lease); err != nil {
			return fmt.Errorf("request %d: %w", q.ID, err)
		}
		known := len(q.Prompt) + q.output
		switch {
		case len(q.tokens) != known || q.computed >= known:
			return fmt.Errorf("request %d: %d tokens of %d, %d computed", q.ID, len(q.tokens), known, q.computed)
		case !q.prefilling() && q.computed != known-1:
			return fmt.Errorf("request %d decodes with %d of %d tokens computed", q.ID, q.computed, known)
		case q.planned > 0 && !s.inFlight:
			return fmt.Errorf("request %d has rows in no batch", q.ID)
		}
	}
	st := s.cache.Stats()
	if st.Running != len(holders) || st.Written != written || st.Running+st.Owners+st.FreeSeqs != s.limits.Seqs {
		return fmt.Errorf("%d sequences hold %d tokens, the cache says %+v", len(holders), written, st)
	}
	if len(s.running) > s.policy.MaxBatch || len(s.running)+s.Waiting() != len(s.live) {
		return fmt.Errorf("%d run, %d wait, %d live", len(s.running), s.Waiting(), len(s.live))
	}
	for _, q := range s.running {
		if s.live[q.ID] != q || !q.running || q.in != nil {
			return fmt.Errorf("request %d is in the batch and does not run", q.ID)
		}
	}
	return s.agreeQueue()
}

func (s *Scheduler) agreeQueue() error {
	lanes := []*lane{&s.held, &s.waiting.rest}
	for i := range s.waiting.floors {
		f := &s.waiting.floors[i]
		lanes = append(lanes, &f.lane)
		if f.credit < -f.longest || f.served != 0 {
			return fmt.Errorf("floor %q: credit %v, served %d", f.Class, f.credit, f.served)
		}
	}
	for _, l := range lanes {
		for i, e := range l.entries {
			if e.q.in != l || e.q.at != i || e.q.running || s.live[e.q.ID] != e.q {
				return fmt.Errorf("request %d is misplaced in the queue", e.q.ID)
			}
			if i > 0 && e.before(l.entries[(i-1)/2]) {
				return fmt.Errorf("request %d is before its parent in the heap", e.q.ID)
			}
			if l != &s.held && (e.key != e.q.key || l != s.waiting.lane(e.q)) {
				return fmt.Errorf("request %d is in the wrong lane or place", e.q.ID)
			}
		}
	}
	return nil
}
