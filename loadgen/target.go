package loadgen

import (
	"time"

	"github.com/cadence-bench/cadence-bench/results"
)

// Target is what a Driver offers a tape to: the embedded engine, or a server
// reached over the network. It must take every request at once, for the driver
// never waits, and report on each through its Sink.
type Target interface {
	// Send hands over a request at its time and returns how to withdraw it. The
	// driver calls cancel at most once, when the client's patience ends, and
	// never from within a call to the request's Sink; it may be nil if the
	// request cannot be withdrawn. A target that decides at once (a refusal, for
	// instance) may call the Sink before Send returns.
	//
	// r must not be changed. Its StopTokens is for whoever scripts answers and
	// must not reach anything that admits or schedules.
	Send(r *Request, to Sink) (cancel func())
}

// Sink takes the observations of one request. All calls are made on the clock's
// loop (a target with goroutines of its own enters through clock.Post), and all
// times are the clock's, taken where the thing happened rather than where it is
// told. After Done, or after cancel, a target makes no further call, except one
// Done in acknowledgement of a cancel.
type Sink interface {
	// Due is when the request was due: its intended arrival, on the clock.
	Due() time.Duration
	// Admission tells what an admission policy decided about the request. A target
	// without one does not call it.
	Admission(results.Admission)
	// Prompt tells the number of prompt tokens, as soon as it is known.
	Prompt(tokens int)
	// Cached tells how many of them came from a prefix cache. A target without
	// one does not call it; when a request starts anew, the last call counts.
	Cached(tokens int)
	// Started tells when the first step with a token of the request was planned.
	Started(at time.Duration)
	// Sent tells when the request really left, where that is later than the call of
	// Send: a target with goroutines of its own calls it. Otherwise Send's time counts.
	Sent(at time.Duration)
	// Token tells when an output token was ready, once for each token, in order;
	// tokens that came together have the same time.
	Token(at time.Duration)
	// Tokens replaces all that Token has told, where a target learns only from the
	// end of an answer how many tokens came with what it had read. The driver keeps
	// at.
	Tokens(at []time.Duration)
	// Done tells how the request ended and why; reason is empty when there is
	// nothing to add.
	Done(outcome results.Outcome, reason string, at time.Duration)
}
