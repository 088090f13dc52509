package engine

import (
	"fmt"
	"time"
)

// Policy is what distinguishes one scheduler of the ladder from another. One
// state machine serves them all, so that two rungs differ in a value and not in
// a code base.
type Policy struct {
	// MaxBatch is how many sequences may run at once, at least 1.
	MaxBatch int
	// Refill admits waiting requests whenever there is room, at every step
	// (iteration-level scheduling). Without it a batch drains wholly before the
	// next one is formed.
	Refill bool
	// FillWait is how long the oldest waiting request waits for others to fill
	// the batch. 0 does not wait. Without effect when Refill is set.
	FillWait time.Duration
	// StepTokens caps the rows of one step; a longer prompt is prefilled in
	// chunks. At least MaxBatch; capped by the backend's Limits.Rows.
	StepTokens int
	// DecodeFirst gives every decoding sequence its row before prompts share what
	// is left of the step. Without it prompts go first, alone.
	DecodeFirst bool
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
	}
	return nil
}
