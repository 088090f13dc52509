package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/admission"
)

// ErrShed is what every Refusal wraps.
var ErrShed = errors.New("shed")

// Stage is when an admission policy decided against a request.
type Stage uint8

const (
	// OnArrival: it was never taken.
	OnArrival Stage = iota
	// BeforeStart: it was taken, waited, and is not started any more.
	BeforeStart
	// WhileRunning: it ran, and cannot end in time any more.
	WhileRunning
)

var stages = [...]string{"on arrival", "before its start", "while it ran"}

// Refusal ends a request that the admission policy decided against.
type Refusal struct {
	Stage      Stage
	Reason     admission.Reason
	RetryAfter time.Duration // when the client may try again; 0 says nothing
}

// Error implements error.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%v %s: %v", ErrShed, stages[r.Stage], r.Reason)
}

// Unwrap returns ErrShed.
func (r *Refusal) Unwrap() error { return ErrShed }
