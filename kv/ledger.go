package kv

import (
	"errors"
	"fmt"
	"math"
)

// ErrBeyondPromise means that a request asks for more than it was promised.
var ErrBeyondPromise = errors.New("kv: beyond what the request was promised")

// Promise is what one running request may still take from the pool, in blocks.
type Promise struct {
	Firm   int // for the rest of its prompt; always counted in full
	Growth int // for its output; counted by the ledger's share
}

// Blocks is the sum of both parts.
func (p Promise) Blocks() int { return p.Firm + p.Growth }

// Ledger adds up the promises to running requests, so that admission can tell the
// blocks that are available from those that are spoken for. With a share of 1 the
// sum is never above the available blocks (free plus evictable), so a running
// request always gets the blocks that it was promised. With a smaller share more
// requests are admitted, and one may find no block and have to be preempted.
type Ledger struct {
	share float64
	total Promise
}

// NewLedger returns a ledger that counts the given share of promised growth,
// 0 … 1.
func NewLedger(share float64) (Ledger, error) {
	if !(share >= 0 && share <= 1) {
		return Ledger{}, fmt.Errorf("kv: promise share %v: must be within 0 … 1", share)
	}
	return Ledger{share: share}, nil
}

// Promised is the number of blocks that are spoken for: firm promises, and the
// share of growth, rounded up.
func (l *Ledger) Promised() int { return l.weigh(l.total) }

// Spare is how many of the available blocks another request could be promised.
// It is negative only when a share below 1 has over-committed the pool.
func (l *Ledger) Spare(available int) int { return available - l.Promised() }

// Fits reports whether p can be promised besides what is promised already, with
// the given number of blocks available (free or evictable).
func (l *Ledger) Fits(p Promise, available int) bool {
	return l.weigh(Promise{l.total.Firm + p.Firm, l.total.Growth + p.Growth}) <= available
}

// Add records a promise.
func (l *Ledger) Add(p Promise) {
	l.total.Firm += p.Firm
	l.total.Growth += p.Growth
}

// Draw records that a request took n of the blocks that p promises it, firm ones
// first. It returns ErrBeyondPromise, and changes nothing, when p has fewer.
func (l *Ledger) Draw(p *Promise, n int) error {
	if n < 0 || n > p.Blocks() {
		return ErrBeyondPromise
	}
	firm := min(n, p.Firm)
	p.Firm -= firm
	p.Growth -= n - firm
	l.total.Firm -= firm
	l.total.Growth -= n - firm
	return nil
}

// Cancel withdraws what is left of a promise.
func (l *Ledger) Cancel(p *Promise) {
	l.total.Firm -= p.Firm
	l.total.Growth -= p.Growth
	*p = Promise{}
}

func (l *Ledger) weigh(p Promise) int {
	if l.share == 1 {
		return p.Blocks()
	}
	return p.Firm + int(math.Ceil(l.share*float64(p.Growth)))
}
