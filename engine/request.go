package engine

import (
	"errors"
	"time"
)

// Request is what a client asks of the engine, and all that admission and
// scheduling may know of it.
type Request struct {
	ID        int // unique among live requests
	Class     string
	Late      time.Duration // how long before it is submitted it was due; its latency counts from there
	Deadline  time.Duration // on the engine's clock; 0 means none
	Prompt    []Token       // at least one token; not modified
	MaxTokens int           // at least 1
	Sampling  Sampling
}

// Stop says, after the n-th output token (from 1), whether the answer ends with
// it. A nil Stop ends answers at MaxTokens only. It is never shown to the
// scheduler: how long an answer will be is what a server cannot know.
type Stop func(tok Token, n int) bool

// Observer is told of one request's life. Its methods run on the loop. After
// Ended nothing more is told.
type Observer interface {
	// Started tells, once, when the first step with a token of the request was
	// planned, and how many tokens of its prompt were cached when it joined.
	Started(at time.Duration, cached int)
	// Token gives the next output token and when its step ended.
	Token(tok Token, at time.Duration)
	// Ended tells how the request ended: nil when it reached its stop or its
	// token limit, else ErrCancelled, ErrNeverFits, ErrNoSlot, a *Refusal of the
	// admission policy or the engine's failure.
	Ended(err error, at time.Duration)
}

var (
	// ErrCancelled ends a request that Cancel withdrew.
	ErrCancelled = errors.New("cancelled")
	// ErrNeverFits ends, at once, a request larger than the KV cache could ever
	// hold, which would otherwise block the queue for good (vllm#39734).
	ErrNeverFits = errors.New("request can never fit the KV cache")
)
