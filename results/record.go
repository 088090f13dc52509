// Package results holds the vocabulary of measurement: the row of one request,
// the description of one cell, the manifest of one run, and their encodings on
// disk. What was not measured is null, never zero.
package results

import "time"

// SchemaVersion is written into every file. It changes when a column or a key
// changes its meaning or disappears; adding one does not change it.
const SchemaVersion = 1

// Opt is a value that may not have been measured. The zero Opt is null.
type Opt[T any] struct {
	V  T
	OK bool
}

// Some returns a measured value.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, OK: true} }

// Outcome is how a request ended. Every arrival ends in exactly one.
type Outcome string

const (
	Completed Outcome = "completed" // reached its stop or its token limit
	Shed      Outcome = "shed"      // refused at admission, or dropped before its start
	TimedOut  Outcome = "timeout"   // the client gave up: its latency is a lower bound
	Cancelled Outcome = "cancelled" // the client went away
	Failed    Outcome = "failed"    // the engine or the transport failed; Reason says how
)

// Record is one request of one cell. Times are nanoseconds since the start of
// the cell, on the cell's clock. Latencies are not stored: they are differences
// from Intended, taken in analysis.
type Record struct {
	Request int32      // index in the tape
	Class   string     // workload class, such as "shared" or "unique"
	Group   Opt[int32] // which shared prompt; null when the prompt is its own
	Session Opt[int32] // the conversation that it is a turn of; null when it is none
	Turn    Opt[int32] // within the session, from 0
	// Think is how long after the end of the turn before it was due; null for what
	// came by itself.
	Think    Opt[time.Duration]
	Warmup   bool // arrived before the steady window; flagged, never dropped
	Outcome  Outcome
	Reason   Opt[string]
	Intended time.Duration      // when the tape says that it arrives
	Sent     Opt[time.Duration] // when the driver really handed it over
	Started  Opt[time.Duration] // when the first step with a token of it was planned
	Ended    Opt[time.Duration] // when its outcome was decided
	// Tokens is when each output token was ready, in order. The first is TTFT's
	// end, the last E2E's. Empty when none came.
	Tokens []time.Duration

	PromptTokens int32
	CachedTokens Opt[int32] // prompt tokens served from a prefix cache; null without one
	// SharedTokens is how many tokens at the prompt's beginning belong to its group's
	// shared prompt, the chat template's around it included: those that do not
	// depend on what is the request's own.
	SharedTokens Opt[int32]
	MaxTokens    int32      // what the client asked for at most
	StopTokens   Opt[int32] // scripted natural length, hidden from the engine's decisions

	Admission Opt[Admission] // null where there is no admission policy
}

// FirstToken returns when the first output token was ready.
func (r *Record) FirstToken() Opt[time.Duration] {
	if len(r.Tokens) == 0 {
		return Opt[time.Duration]{}
	}
	return Some(r.Tokens[0])
}

// Lateness returns how long after its intended arrival the request was handed over.
func (r *Record) Lateness() Opt[time.Duration] {
	if !r.Sent.OK {
		return Opt[time.Duration]{}
	}
	return Some(r.Sent.V - r.Intended)
}

// LastToken returns when the last output token was ready. It is E2E's end only
// if the request completed.
func (r *Record) LastToken() Opt[time.Duration] {
	if len(r.Tokens) == 0 {
		return Opt[time.Duration]{}
	}
	return Some(r.Tokens[len(r.Tokens)-1])
}
