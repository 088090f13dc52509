// Package loadgen makes load: workloads and arrival processes that are pure
// functions of a seed, the frozen tape of requests that every rung replays, and
// the driver that offers a tape on a clock without ever waiting for an answer.
package loadgen

import "time"

// Request is one arrival of a tape. Text is model-independent; whoever drives an
// engine tokenises it.
type Request struct {
	Index  int
	At     time.Duration // intended arrival since the start of the cell
	Class  string        // "shared", "unique" or "uniform"
	Group  int           // which shared system prompt; -1 when it is the request's own
	System string
	User   string
	// MaxTokens is what the client asks for: the output length that admission
	// and scheduling may see.
	MaxTokens int
	// StopTokens is where the answer naturally ends, at most MaxTokens. It is
	// drawn with the tape and hidden from admission and scheduling.
	StopTokens int
	Seed       uint64 // for temperature sampling
}

// Tape is a frozen list of requests, in order of arrival.
type Tape struct {
	Workload string
	RPS      float64
	Seed     uint64
	Duration time.Duration // arrivals lie in [0, Duration)
	Requests []Request
}
