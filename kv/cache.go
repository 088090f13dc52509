package kv

import (
	"errors"
	"fmt"
)

// ErrMismatch means that the tokens given for a sequence do not begin with its
// prompt.
var ErrMismatch = errors.New("kv: tokens do not belong to this sequence")

// Cache is a policy for the KV cache, as a scheduler uses it. Positions are counted
// in tokens from the start of a sequence. A lease that was released is stale:
// every method but Release then returns ErrStale. One whose requests may share what they
// have in common is a Sharer besides.
type Cache interface {
	// CanEver returns Never, with the reason, for a request that the cache could not
	// serve even when it is empty, and Fits otherwise.
	CanEver(Request) Verdict
	// Room is what Admit would decide now. It admits nobody, evicts nothing and counts
	// nothing.
	Room(Request) Verdict
	// Admit decides about a request as a whole: the length of the hit does not
	// change after it. On Fits the request is running and must be released in the
	// end; otherwise nothing is held for it.
	Admit(Request) (Grant, Verdict)
	// Reserve makes room for the positions below tokens. Doing it again is free.
	// It returns ErrNoBlocks when blocks are lacking (only with Config.Optimism, for
	// output, and never for a Firm request)
	// and ErrBeyondPromise beyond prompt and output together.
	Reserve(l Lease, tokens int) error
	// Commit records that the backend has computed the positions below tokens, at
	// most those reserved (else ErrBeyondPromise). It never goes back.
	Commit(l Lease, tokens int) error
	// Release ends a request in any state. When keep is given (as in Publish),
	// what is computed of it becomes cached. Releasing a stale lease does nothing.
	// ErrMismatch means that it was released but not kept.
	Release(l Lease, keep []int32) error
	// Cost is what releasing the request would make available, in blocks, and how
	// many computed tokens no other running request holds, which may have to be
	// computed again.
	Cost(l Lease) (blocks, tokens int, err error)
	// Ops appends the backend edits since the last call to dst. They must be
	// applied in order before the next step's rows.
	Ops(dst []Op) []Op
	// Stats is the state and the counters now.
	Stats() Stats
}

// Sharer is a Cache that keeps what it has computed for requests that begin alike.
type Sharer interface {
	// Probe is the number of prompt tokens that a hit would save now. It changes
	// nothing.
	Probe(prompt []int32) int
	// Pending is the number of leading prompt tokens, in whole blocks, that a
	// running request (by its Request.ID) is still computing and will publish, the
	// most among all; 0 when there is none. A scheduler may hold a request back
	// while this is above Probe.
	Pending(prompt []int32) (tokens int, by uint64)
	// Publish makes what is computed of the sequence, in whole blocks, available
	// to others while it runs on, and returns how many of its tokens are cached
	// then. Tokens that are not committed are left out. It is best effort: with no
	// id or block to spare it does nothing and counts as skipped. tokens must
	// begin with the prompt (else ErrMismatch).
	Publish(l Lease, tokens []int32) (int, error)
	// Evict drops what is cached, least recently used first, until at least the given
	// number of blocks is free that was not, or nothing is left to drop. It returns
	// how many it freed.
	Evict(blocks int) int
	// Evictions appends what was evicted since the last call to dst, in order: its
	// tokens add up to what Stats.Evicted grew by. There is nothing without
	// Config.LogEvictions.
	Evictions(dst []Eviction) []Eviction
}

// Request asks for admission.
type Request struct {
	ID uint64 // the caller's name for it; only Pending reports it
	// Prompt is what must be in the cache before the first new token: after a
	// preemption, the original prompt and the output so far. It must not change
	// until the release.
	Prompt []int32
	// MaxTokens is the most tokens of output, at least 1.
	MaxTokens int
	// Fresh is how many tokens at the end of Prompt must be computed even if they
	// are cached; 0 means 1.
	Fresh int
	// Recompute marks a request that was admitted before. Its lookup is not
	// counted again, and what it finds is not counted as a hit.
	Recompute bool
	// Firm asks that the whole output be promised, whatever Config.Optimism says,
	// so that Reserve never fails for it.
	Firm bool
}

// Lease names a running request until it is released.
type Lease struct {
	seq int32
	gen uint32
}

// Grant is what an admitted request got.
type Grant struct {
	Lease Lease
	Seq   int32 // its sequence id
	// Hit is the number of leading prompt tokens that are in the sequence already,
	// at most len(Prompt)-1: the last token must be computed to have logits. It is
	// a whole number of blocks, or len(Prompt) less Request.Fresh.
	Hit int
}

// Decision is the outcome of Admit.
type Decision uint8

const (
	// Fits means that the request is admitted.
	Fits Decision = iota
	// NotNow means that it will fit when others have finished.
	NotNow
	// Never means that it can not fit into this cache, or is malformed.
	Never
)

// Reason says what decided against a request.
type Reason uint8

const (
	// NoReason goes with Fits.
	NoReason Reason = iota
	// EmptyPrompt means that there is no token to compute.
	EmptyPrompt
	// NoOutput means that MaxTokens is below 1.
	NoOutput
	// PoolTokens means more tokens than the whole pool has; Need and Have are in
	// tokens.
	PoolTokens
	// SeqTokens means more positions than one sequence may have; Need and Have are
	// in tokens.
	SeqTokens
	// LacksBlocks means too few blocks that are neither in use nor promised; Need
	// and Have are in blocks.
	LacksBlocks
	// LacksSeqs means no sequence id that is free or can be freed.
	LacksSeqs
)

// Verdict is Admit's decision with its reason.
type Verdict struct {
	Decision   Decision
	Reason     Reason
	Need, Have int
}

// String is a sentence fragment for an error or a log.
func (v Verdict) String() string {
	switch v.Reason {
	case NoReason:
		return "fits"
	case EmptyPrompt:
		return "the prompt is empty"
	case NoOutput:
		return "the output limit is below 1 token"
	case PoolTokens:
		return fmt.Sprintf("prompt and output need %d tokens of KV cache, the pool has %d in all", v.Need, v.Have)
	case SeqTokens:
		return fmt.Sprintf("prompt and output need %d positions, a sequence has at most %d", v.Need, v.Have)
	case LacksBlocks:
		return fmt.Sprintf("needs %d KV blocks, %d are available", v.Need, v.Have)
	default:
		return "no sequence id is available"
	}
}

// Stats is the state of a cache, and counters that only grow.
type Stats struct {
	Blocks   int // in all: Free + Cached + Held
	Free     int
	Cached   int // held by owners only; eviction can free them
	Held     int // held by running requests
	Promised int // available blocks that are spoken for

	Running  int // requests, each with a sequence id
	Owners   int // sequence ids of owners
	FreeSeqs int
	Written  int // tokens that running requests have committed

	Lookup     uint64 // prompt tokens of admitted requests, each request once
	Hit        uint64 // those of them that were cached
	Recomputed uint64 // tokens looked up by requests that were admitted before
	Recovered  uint64 // those of them that were cached
	Published  uint64 // tokens that became cached
	Skipped    uint64 // publications for which there was no id or block
	Forgone    uint64 // hit tokens given up because hit and copy did not fit side by side
	Evicted    uint64 // tokens evicted from the tree
	Copied     uint64 // blocks copied on write
	Splits     uint64 // edges split
}
