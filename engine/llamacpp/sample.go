package llamacpp

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/cadence-bench/cadence-bench/engine"
)

// sample draws a token for each row that asked for one, in row order.
func (c *Context) sample(rows []engine.Row, outputs int, res *engine.StepResult) error {
	if outputs == 0 {
		return nil
	}
	vocab := c.limits.Vocab
	logits := c.call.logits(c.native, outputs, vocab)
	if logits == nil {
		c.lost = fmt.Errorf("step: llama.cpp gave no logits for %d rows; the context is lost, make a new one", outputs)
		return c.lost
	}
	best := c.draw.best(logits, vocab)
	for i := range rows {
		r := &rows[i]
		if !r.Output {
			continue
		}
		rank := int(c.rows.rank[i])
		t, ok := c.draw.token(logits[rank*vocab:(rank+1)*vocab], best[rank], r.Sampling, r.Pos)
		if !ok {
			return fmt.Errorf("step: row %d (sequence %d, position %d) has only NaN logits: the model or its computation is broken", i, r.Seq, r.Pos)
		}
		res.Tokens = append(res.Tokens, t)
	}
	return nil
}

// sampler draws tokens from rows of logits. weights is scratch, as wide as the
// vocabulary.
type sampler struct {
	weights []float64
	largest []int // per row of logits
	other   sync.WaitGroup
}

// searchTogether is how many logits are worth a second goroutine: at 0.4 to 0.7 ns
// each, about a hundred times what starting one costs. llama.cpp's threads are idle
// meanwhile.
const searchTogether = 1 << 18

// best gives the index of the largest logit of each row, or -1 for one of NaNs.
func (s *sampler) best(logits []float32, vocab int) []int {
	n := len(logits) / vocab
	s.largest = slices.Grow(s.largest[:0], n)[:n]
	half := n
	if len(logits) >= searchTogether {
		half = (n + 1) / 2
		s.other.Go(func() { s.search(logits, vocab, half, n) })
	}
	s.search(logits, vocab, 0, half)
	s.other.Wait()
	return s.largest
}

func (s *sampler) search(logits []float32, vocab, from, to int) {
	for k := from; k < to; k++ {
		s.largest[k] = argmax(logits[k*vocab : (k+1)*vocab])
	}
}

// token draws from one row whose largest logit is at best. ok is false when every
// logit is NaN.
func (s *sampler) token(logits []float32, best int, how engine.Sampling, pos int32) (t engine.Token, ok bool) {
	if best < 0 {
		return 0, false
	}
	top := float64(logits[best])
	if how.Temperature == 0 || math.IsInf(top, 0) {
		return engine.Token(best), true
	}
	// The largest weight is exp(0), so the sum is at least 1 and finite.
	scale := 1 / float64(how.Temperature)
	sum := 0.0
	for i, l := range logits {
		w := math.Exp((float64(l) - top) * scale)
		if w != w {
			w = 0
		}
		sum += w
		s.weights[i] = sum
	}
	target := uniform(how.Seed, pos) * sum
	// The first index whose running sum passes the target, or the last one.
	return engine.Token(sort.Search(len(logits)-1, func(i int) bool { return s.weights[i] > target })), true
}

// uniform gives the number in [0, 1) that decides the draw at a position. It is
// a function of seed and position alone: the output of SplitMix64 (Steele, Lea,
// Flood 2014) for the stream that starts at seed, at index pos+1. Its top 53
// bits are the mantissa.
func uniform(seed uint64, pos int32) float64 {
	z := seed + (uint64(uint32(pos))+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return float64(z>>11) / (1 << 53)
}
