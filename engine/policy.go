package engine

import (
	"fmt"
	"math"
	"time"
)

// Policy is what distinguishes one scheduler of the ladder from another. One
// state machine serves them all, so that two rungs differ in a value and not in
// a code base.
type Policy struct {
	// MaxBatch is how many sequences may run at once, at least 1.
	MaxBatch int
	// Refill lets waiting requests join whenever there is room, at every step
	// (iteration-level scheduling). Without it a batch drains wholly before the
	// next one is formed.
	Refill bool
	// FillWait is how long the request at the head of the queue waits for others
	// to fill the batch. 0 does not wait. Without effect when Refill is set.
	FillWait time.Duration

	// StepTokens caps the rows of one step; a longer prompt is prefilled in
	// chunks. At least MaxBatch; capped by the backend's Limits.Rows.
	StepTokens int
	// PrefillTokens caps the prompt rows of one step. 0 means StepTokens.
	PrefillTokens int
	// ChunkAlign, above 0, makes what is computed together of a request depend on the
	// request alone: a prompt is prefilled in chunks of this many tokens and a shorter
	// last one, at most one a step; a prefix is taken from the cache, and put there,
	// in whole chunks of prompts only; output that was lost by a preemption is
	// computed again a token a step. A backend that runs each request's rows of a
	// step for themselves, as llamacpp does with Params.Canonical, then gives every
	// request the same tokens whatever the schedule. The cache's blocks must be
	// whole chunks (Config.Check). StepTokens must have room for a chunk beside
	// MaxBatch rows.
	ChunkAlign int
	// DecodeFirst gives every decoding sequence its row before prompts share what
	// is left of the step. Without it prompts go first, alone.
	DecodeFirst bool
	// PrefillStreak is how many steps in a row prompts may take for themselves
	// while others wait to decode, or arrivals with short answers could keep long
	// ones from ever going on. 0 means MaxBatch. Without effect when DecodeFirst is
	// set, and without Refill, where a batch's prompts come to an end.
	PrefillStreak int

	// TilePrompts cuts prompts so that their rows go by the backend's tiles (Limits.Tile): a
	// chunk leaves no rest shorter than a tile behind where it need not, does not begin
	// with less than a tile what another prompt's chunk has left of the step, and a hit is
	// shortened when the rest of the prompt costs less as a whole tile. Without effect
	// where the backend has no tiles, and with ChunkAlign.
	TilePrompts bool

	// Order is the order of the queue.
	Order Order
	// Patience ages the queue in the EDF order: a request counts as due at the
	// latest this long after its arrival. So no request that arrives later than
	// that joins before it. 0 does not age; what has no deadline then yields
	// to everything that has one.
	Patience time.Duration
	// Floors guarantee shares of the processed tokens, whatever the order; see
	// Floor. Their sum is at most 1.
	Floors []Floor
	// ShareWait is how long a request is held back at most because another one is
	// computing a prefix of its prompt and will publish it. Others may pass it
	// meanwhile. 0 does not hold back. It needs Refill.
	ShareWait time.Duration

	// LatePublish makes what is computed of a request available to others only when
	// it ends, which costs no copy, and not already when its prompt is complete.
	LatePublish bool

	// Quantum is how many tokens of output a request must have got since it was
	// (last) joined before it may be preempted, unless nothing could run
	// otherwise. 0 means 1.
	Quantum int
}

// Order is an order of the queue. A preempted request keeps its place in it.
type Order uint8

const (
	// FIFO is the order of arrival.
	FIFO Order = iota
	// EDF is the order of deadlines, earliest first; see Policy.Patience. A deadline
	// that has passed on arrival counts as the time of arrival.
	EDF
)

// String is "fifo" or "edf".
func (o Order) String() string {
	if o == EDF {
		return "edf"
	}
	return "fifo"
}

// Check says what is wrong with p, if anything.
func (p Policy) Check() error {
	switch {
	case p.MaxBatch < 1:
		return fmt.Errorf("policy: max batch is %d, must be at least 1", p.MaxBatch)
	case p.StepTokens < p.MaxBatch:
		return fmt.Errorf("policy: step tokens is %d, must be at least max batch (%d), or decoding sequences would starve",
			p.StepTokens, p.MaxBatch)
	case p.FillWait < 0:
		return fmt.Errorf("policy: fill wait is %v, must not be negative", p.FillWait)
	case p.PrefillTokens < 0 || p.PrefillStreak < 0 || p.Quantum < 0:
		return fmt.Errorf("policy: prefill tokens %d, prefill streak %d and quantum %d must not be negative",
			p.PrefillTokens, p.PrefillStreak, p.Quantum)
	case p.ChunkAlign < 0:
		return fmt.Errorf("policy: chunk align is %d, must not be negative", p.ChunkAlign)
	case p.Order > EDF:
		return fmt.Errorf("policy: order %d is unknown", p.Order)
	case p.Patience < 0 || p.ShareWait < 0:
		return fmt.Errorf("policy: patience %v and share wait %v must not be negative", p.Patience, p.ShareWait)
	case p.ShareWait > 0 && !p.Refill:
		return fmt.Errorf("policy: share wait is %v, but without refill nobody joins the batch in which the prefix is computed", p.ShareWait)
	}
	return checkFloors(p.Floors)
}

// key is a request's place in the queue; ties go by arrival.
func (p *Policy) key(deadline, now time.Duration) time.Duration {
	if p.Order == FIFO {
		return 0
	}
	key := time.Duration(math.MaxInt64)
	if deadline > 0 {
		key = max(deadline, now)
	}
	if p.Patience > 0 {
		key = min(key, now+p.Patience)
	}
	return key
}

// wholeChunks rounds a number of tokens down to chunks.
func (p *Policy) wholeChunks(tokens int) int { return tokens / p.ChunkAlign * p.ChunkAlign }
