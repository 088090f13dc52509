package gguf

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// qkvBias is the standard deviation of qwen2's Q, K and V biases, beside
// projections of unit RMS.
const qkvBias = 0.1

const (
	// successors is the number of tokens that compete to follow a token. With 2
	// a walk is less varied; with 4 the gaps between them are smaller for the
	// same noise.
	successors = 3
	// bonus is the logit of a successor, before the context has its say.
	bonus = 20
	// anchor is the part of every embedding's RMS that all tokens share. The
	// head rows of tokens that must never win point against it.
	anchor = 0.35
	// sunk is the logit of such a token.
	sunk = -20
)

// gains are the scales of one layer's matrices.
type gains struct {
	score     float64 // standard deviation of an attention score
	attention float64 // RMS of what attention adds to the stream, for unit-RMS values
	ffn       float64 // the same for the feed-forward branch, for unit-RMS activations
}

// gains puts nearly all of the context's weight into the first layer, because
// numerical noise grows with depth: an activation that moves by a rounding error
// across a Q8_0 step moves by the step, so noise n becomes about √(n·step) with
// each matrix. The first layer's keys and values come straight from the
// embeddings and have none. Measured on cadence-30m: raising the other layers'
// gains from 0.1 to 0.6 tripled the noise (99th percentile 0.005 to 0.016) and
// left the gaps as they were.
//
// A score deviation of 3 makes the first layer look at a handful of tokens at a
// time; below about 1.5 its output hardly changes from step to step, and the
// walk falls into cycles. The successors' lead over the rest grows with √Width,
// so in a wider model the context may weigh more, which also works against
// cycles.
func (s Shape) gains(layer int) gains {
	if layer == 0 {
		return gains{score: 3, attention: 2 * math.Sqrt(float64(s.Width)/512), ffn: 0.3}
	}
	share := 1 / math.Sqrt(float64(s.Layers-1))
	return gains{score: 2, attention: 0.15 * share, ffn: 0.15 * share}
}

// weights draws a model's rows. Every row has a random stream of its own, named
// by the seed, the tensor and the row, so rows can be drawn in any order and by
// any number of goroutines.
type weights struct {
	shape  Shape
	seed   uint64
	anchor []float32 // ±1 per column
	// before[v] lists the tokens that v may follow; nil for a token that must
	// never win.
	before [][]int32
}

func newWeights(shape Shape, seed uint64, tok *Tokenizer) *weights {
	w := &weights{shape: shape, seed: seed, anchor: make([]float32, shape.Width)}
	rng := w.stream("anchor", 0)
	for i := range w.anchor {
		w.anchor[i] = float32(int(rng.Uint64()&1)*2 - 1)
	}
	w.before = w.draw(tok)
	return w
}

// draw picks the successors of each token: successors permutations of the
// printable tokens, so that each of those follows equally many. What cannot be
// emitted (bytes, specials) can still end a prompt, so it has successors too.
func (w *weights) draw(tok *Tokenizer) [][]int32 {
	var printable, other []int32
	for id := range int32(tok.Len()) {
		if tok.printable(id) {
			printable = append(printable, id)
		} else {
			other = append(other, id)
		}
	}
	before := make([][]int32, w.shape.Vocab)
	for k := range successors {
		rng := rand.New(w.stream("successors", k))
		order := rng.Perm(len(printable))
		for i, at := range order {
			next := order[(i+1)%len(order)] // one cycle over all, so no token follows itself
			v := printable[next]
			before[v] = append(before[v], printable[at])
		}
		for _, t := range other {
			v := printable[rng.IntN(len(printable))]
			before[v] = append(before[v], t)
		}
	}
	return before
}

// fill draws row r of t into row, which has t.cols elements.
func (w *weights) fill(t tensor, r int, row []float32) {
	switch t.role {
	case roleNorm:
		for i := range row {
			row[i] = 1
		}
	case roleBias:
		w.gauss(t.name, r, row, t.gain)
	case roleMatrix:
		w.gauss(t.name, r, row, t.gain/math.Sqrt(float64(t.cols)))
	case roleEmbedding:
		w.gauss(embeddingStream, r, row, math.Sqrt(1-anchor*anchor))
		for i, a := range w.anchor {
			row[i] += anchor * a
		}
	case roleHead:
		w.head(r, row)
	}
}

const embeddingStream = "embedding"

// head draws the output row of token v: the sum of the embeddings of the tokens
// that it follows, without their anchor.
func (w *weights) head(v int, row []float32) {
	n := float64(w.shape.Width)
	clear(row)
	if w.before[v] == nil {
		scale := float32(sunk / (anchor * n))
		for i, a := range w.anchor {
			row[i] = scale * a
		}
		return
	}
	part := make([]float32, len(row))
	for _, t := range w.before[v] {
		w.gauss(embeddingStream, int(t), part, bonus/n)
		for i, x := range part {
			row[i] += x
		}
	}
}

// gauss fills row with normal values of standard deviation sigma.
func (w *weights) gauss(name string, r int, row []float32, sigma float64) {
	rng, scale := w.stream(name, r), float32(sigma)
	for i := 0; i < len(row); {
		bits := rng.Uint64()
		for range min(64/normalBits, len(row)-i) {
			row[i] = scale * normal[bits&(1<<normalBits-1)]
			bits >>= normalBits
			i++
		}
	}
}

func (w *weights) stream(name string, row int) *rand.PCG {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.NewPCG(scramble(w.seed^h.Sum64()), scramble(uint64(row)))
}

// scramble is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): it keeps the
// streams of neighbouring rows apart.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const normalBits = 12

// normal holds the quantiles of the standard normal distribution at the middles
// of 4096 equal shares: a value is one look-up, and none is beyond 3.67. The
// quantiles are rounded to 1/4096 so that they, and so the file, are the same on
// every processor.
var normal = func() *[1 << normalBits]float32 {
	var t [1 << normalBits]float32
	for i := range t {
		p := (float64(i) + 0.5) / float64(len(t))
		t[i] = float32(math.Round(math.Sqrt2*math.Erfinv(2*p-1)*4096) / 4096)
	}
	return &t
}()
