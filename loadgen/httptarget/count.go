package httptarget

import (
	"cmp"
	"slices"
	"time"
)

// Counting says how the tokens of a stream were counted.
type Counting string

const (
	// ByIDs: every chunk listed its tokens.
	ByIDs Counting = "ids"
	// ByUsage: the server's completion_tokens at the end, spread over the chunks.
	ByUsage Counting = "usage"
	// ByChunk: nothing but the chunks; each counts as one token.
	ByChunk Counting = "chunks"
)

// arrived is a chunk with output.
type arrived struct {
	at     time.Duration
	tokens int // as told, or 1
	text   int // bytes
}

// tally follows the output of one stream.
type tally struct {
	chunks []arrived
	tokens int  // in chunks
	guess  bool // some chunk did not say how many tokens it held
}

// add takes in a chunk with output and returns how many tokens it counts for.
func (t *tally) add(at time.Duration, c chunk) int {
	n := c.tokens
	if n == 0 {
		n, t.guess = 1, true
	}
	t.chunks = append(t.chunks, arrived{at, n, c.text})
	t.tokens += n
	return n
}

// settle returns when each token came, once the server has said how many there
// were, and how they were counted. times is nil when what add returned stands. No
// answer has more than limit tokens: where more were counted without the server's
// word, a token took several chunks.
func (t *tally) settle(u usage, limit int) (times []time.Duration, how Counting) {
	n, how := t.tokens, ByIDs
	if t.guess {
		how = ByChunk
		if told := u.completion.V; told > 0 && told <= limit {
			n, how = told, ByUsage
		}
	}
	if n = min(n, limit); n == t.tokens || len(t.chunks) == 0 {
		return nil, how
	}
	return spread(t.chunks, n), how
}

// spread places n tokens on the chunks that brought them: the tokens of one chunk
// have its time. Every chunk has one, and the rest are shared out by the bytes of
// text (largest remainders, the earlier chunk first). With fewer tokens than
// chunks, a token took several: they are placed evenly, the first on the first
// chunk and the last on the last.
func spread(chunks []arrived, n int) []time.Duration {
	times := make([]time.Duration, 0, n)
	if n < len(chunks) {
		for k := range n {
			times = append(times, chunks[k*(len(chunks)-1)/max(n-1, 1)].at)
		}
		return times
	}
	for i, share := range apportion(chunks, n-len(chunks)) {
		for range 1 + share {
			times = append(times, chunks[i].at)
		}
	}
	return times
}

// apportion shares n out by the bytes of text.
func apportion(chunks []arrived, n int) []int {
	total := 0
	for _, c := range chunks {
		total += c.text
	}
	total = max(total, 1)
	shares, order := make([]int, len(chunks)), make([]int, len(chunks))
	left := n
	for i, c := range chunks {
		shares[i], order[i] = n*c.text/total, i
		left -= shares[i]
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(n*chunks[j].text%total, n*chunks[i].text%total)
	})
	for k := range left {
		shares[order[k%len(order)]]++
	}
	return shares
}
