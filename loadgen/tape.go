// Package loadgen makes load: workloads and arrival processes that are pure
// functions of a seed, the frozen tape of requests that every rung replays, and
// the driver that offers a tape on a clock without ever waiting for an answer.
package loadgen

import (
	"fmt"
	"time"
)

// Request is one arrival of a tape. Text is model-independent; whoever drives an
// engine tokenises it.
type Request struct {
	Index int
	// At is the intended arrival since the start of the cell. For a later turn of a
	// conversation it is when it would come if answers took no time: its real due
	// time depends on the turn before.
	At     time.Duration
	Class  string // what the workload calls requests of this kind, such as "shared"
	Group  int    // which shared prefix; -1 when the prompt is the request's own
	System string
	// History is the conversation before this turn: a user's turn, its answer, the
	// next user's turn, and so on. Answers are scripted, since a tape is frozen
	// before anybody answers.
	History []string
	User    string
	// MaxTokens is what the client asks for: the output length that admission
	// and scheduling may see.
	MaxTokens int
	// StopTokens is where the answer naturally ends, at most MaxTokens. It is
	// drawn with the tape and hidden from admission and scheduling.
	StopTokens int
	Seed       uint64 // for temperature sampling
	// Session numbers the conversation that the request is a turn of, from 1; 0 is
	// none. The turns of one follow each other in the tape.
	Session int
	Turn    int           // within the session, from 0
	Think   time.Duration // how long after the previous turn's end a later turn is due
}

// Tape is a frozen list of requests: those that come by themselves in order of
// arrival, and each conversation's later turns behind its first.
type Tape struct {
	Workload string
	Arrivals string // the arrival process, "poisson" for instance
	RPS      float64
	Seed     uint64
	Duration time.Duration // arrivals lie in [0, Duration)
	Requests []Request
}

// ArrivalTimes returns when those requests come that come by themselves: all but the
// later turns of conversations.
func (t *Tape) ArrivalTimes() []time.Duration {
	var at []time.Duration
	for i := range t.Requests {
		if t.Requests[i].Turn == 0 {
			at = append(at, t.Requests[i].At)
		}
	}
	return at
}

// nextTurns returns for each request the one that is due after it, or -1; nil for
// a tape without conversations.
func (t *Tape) nextTurns() ([]int, error) {
	var next []int
	for i := range t.Requests {
		r := &t.Requests[i]
		if r.Turn == 0 {
			continue
		}
		if i == 0 || r.Turn < 0 || r.Session <= 0 || t.Requests[i-1].Session != r.Session || t.Requests[i-1].Turn != r.Turn-1 {
			return nil, fmt.Errorf("tape: request %d is turn %d of session %d, but does not follow the turn before", i, r.Turn, r.Session)
		}
		if r.Think < 0 {
			return nil, fmt.Errorf("tape: request %d: think time %v: must not be negative", i, r.Think)
		}
		if next == nil {
			next = make([]int, len(t.Requests))
			for k := range next {
				next[k] = -1
			}
		}
		next[i-1] = i
	}
	return next, nil
}
