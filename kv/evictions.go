package kv

import "fmt"

// EvictReason says what an eviction made room for.
type EvictReason uint8

const (
	// ForBlocks means blocks that a request needed: for its hit, when it was
	// admitted, or for the tokens that it went on to compute.
	ForBlocks EvictReason = iota
	// ForSeq means a sequence id, for a request or for a copy that is published.
	ForSeq
	// ForCopy means blocks for a copy that is published, in the Streams layout.
	ForCopy
	// ForBound means Config.RetainBlocks.
	ForBound
	// OnDemand means a call of Evict.
	OnDemand
	evictReasons // how many there are
)

// String is one word: "blocks", "sequence", "copy", "bound" or "demand".
func (r EvictReason) String() string {
	if r >= evictReasons {
		return fmt.Sprintf("reason %d", uint8(r))
	}
	return [evictReasons]string{"blocks", "sequence", "copy", "bound", "demand"}[r]
}

// Eviction is a run of cached tokens that was given up: one edge of the tree, from
// the end of an owner.
type Eviction struct {
	Seq    int32 // the owner whose run it was
	Tokens int32 // of the run; what the owner shares with others stays
	Reason EvictReason
}

// String gives the eviction in the form of the scripted tests.
func (e Eviction) String() string {
	return fmt.Sprintf("%d tokens of %d for %v", e.Tokens, e.Seq, e.Reason)
}

// evictionLog collects evictions until they are asked for, if anybody wants them:
// nobody would empty it otherwise.
type evictionLog struct {
	wanted bool
	list   []Eviction
}

func (l *evictionLog) add(seq int32, tokens int, why EvictReason) {
	if l.wanted {
		l.list = append(l.list, Eviction{seq, int32(tokens), why})
	}
}

func (l *evictionLog) drain(dst []Eviction) []Eviction {
	dst = append(dst, l.list...)
	l.list = l.list[:0]
	return dst
}
