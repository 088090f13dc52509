package engine

import (
	"errors"
	"fmt"
	"time"
)

// Request is what a client asks of the engine, and all that admission and
// scheduling may know of it.
type Request struct {
	ID        int // unique among live requests
	Class     string
	Prompt    []Token // at least one token; not modified
	MaxTokens int     // at least 1
	Sampling  Sampling
}

// Stop says, after the n-th output token (from 1), whether the answer ends with
// it. A nil Stop ends answers at MaxTokens only. It is never shown to the
// scheduler: how long an answer will be is what a server cannot know.
type Stop func(tok Token, n int) bool

// Observer is told of one request's life. Its methods run on the loop. After
// Ended nothing more is told.
type Observer interface {
	// Started tells when the first step with a token of the request was planned.
	Started(at time.Duration)
	// Token gives the next output token and when its step ended.
	Token(tok Token, at time.Duration)
	// Ended tells how the request ended: nil when it reached its stop or its
	// token limit, else ErrCancelled, ErrNeverFits or the engine's failure.
	Ended(err error, at time.Duration)
}

var (
	// ErrCancelled ends a request that Cancel withdrew.
	ErrCancelled = errors.New("cancelled")
	// ErrNeverFits ends, at once, a request larger than the KV cache could ever
	// hold, which would otherwise block the queue for good (vllm#39734).
	ErrNeverFits = errors.New("request can never fit the KV cache")
)

// check refuses what no scheduler could serve.
func (r *Request) check(lim Limits) error {
	switch {
	case len(r.Prompt) == 0:
		return fmt.Errorf("request %d: empty prompt", r.ID)
	case r.MaxTokens < 1:
		return fmt.Errorf("request %d: max tokens is %d, must be at least 1", r.ID, r.MaxTokens)
	}
	if need, room := len(r.Prompt)+r.MaxTokens, min(lim.SeqCells, lim.Cells); need > room {
		return fmt.Errorf("request %d: %w: %d prompt + %d output tokens, room for %d",
			r.ID, ErrNeverFits, len(r.Prompt), r.MaxTokens, room)
	}
	return nil
}
