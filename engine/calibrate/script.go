package calibrate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cadence-bench/cadence-bench/engine"
)

// Step is one step of a script.
type Step struct {
	Label
	Batch engine.Batch
}

// Plan says how much of the design a script has.
type Plan struct {
	Unified bool
	Context int // cells that a sequence may hold; 0 is what the limits say
	Rounds  int
	Levels  int // KV widths
	Seed    uint64
}

// The sizes that a script tries, where the backend has room for them. They stand on
// both sides of the limits at which the kind of a pass changes (2, 4 and 32 rows),
// and reach the batch of 24 and the 512 rows of a step that the ladder has.
var (
	decodeBatches = []int{1, 2, 3, 4, 6, 8, 12, 16, 20, 24}
	chunkSizes    = []int{4, 16, 32, 64, 128, 256, 512}
	hitTails      = []int{1, 16, 50}
	hitCopies     = []int{1, 1, 2, 3, 4, 8}
)

// repeats is how many decode steps of a size follow one another: llama.cpp builds its
// graph again when the size changes, which decoding requests rarely make it do.
const repeats = 4

// Script returns the design: every kind of step, in rounds that each have all of it
// in an order of their own, so that a machine that warms up or is disturbed slows all
// points alike. It follows the limits' sizes and can be run on an empty backend.
//
// In streams a level is the depth to which sequences are filled, and attention's
// width with it. In a unified cache the width is that of all sequences together, and
// a level is how many cells others hold.
func Script(lim engine.Limits, p Plan) ([]Step, error) {
	if p.Context > 0 {
		lim.SeqCells = min(lim.SeqCells, p.Context) // a unified cache's limit is all of it
	}
	if lim.Seqs < 4 || lim.Rows < 32 || lim.SeqCells < 256 || p.Rounds < 1 || p.Levels < 1 {
		return nil, fmt.Errorf("calibrate: %d rounds over %d levels on %d sequences of %d cells and %d rows a step: want at least 1, 1, 4, 256 and 32",
			p.Rounds, p.Levels, lim.Seqs, lim.SeqCells, lim.Rows)
	}
	if lim.Cells < lim.Seqs*lim.SeqCells {
		return nil, fmt.Errorf("calibrate: %d KV cells are too few for %d sequences of %d", lim.Cells, lim.Seqs, lim.SeqCells)
	}
	s := &script{lim: lim, plan: p, rng: rand.New(rand.NewPCG(p.Seed, 0xCA11)), held: make([]int, lim.Seqs)}
	s.workers = min(lim.Seqs/2, decodeBatches[len(decodeBatches)-1])
	for s.round = range p.Rounds {
		s.oneRound()
	}
	return s.steps, nil
}

// script is a script that is being written. Sequence 0 is the base from which others
// are copied, 1 to workers decode, workers+1 takes prompts, and what is left is
// ballast in a unified cache.
type script struct {
	lim     engine.Limits
	plan    Plan
	rng     *rand.Rand
	workers int

	held  []int // cells of each sequence
	round int
	level int
	steps []Step

	ops  []engine.Op // of the step being written
	rows []engine.Row
}

func (s *script) oneRound() {
	s.fillBase()
	for _, s.level = range s.levels() {
		s.fillBallast()
		s.oneLevel(s.depth())
	}
	for seq := range s.workers + 2 {
		s.cut(seq, 0)
	}
}

// levels is the order of a round's levels: any, but in a unified cache, where a level
// takes thousands of rows to fill, up in one round and down in the next.
func (s *script) levels() []int {
	order := s.rng.Perm(s.plan.Levels)
	if s.plan.Unified {
		slices.Sort(order)
		if s.round%2 == 1 {
			slices.Reverse(order)
		}
	}
	return order
}

// reserve is what a sequence has room for beyond its level's depth: the rows that the
// level's steps add.
const reserve = 128

// depth is how deep the level's sequences are.
func (s *script) depth() int {
	if s.plan.Unified {
		return max(1, s.held[0]/2)
	}
	return max(1, s.held[0]*(s.level+1)/s.plan.Levels)
}

// fillBase fills the base in chunks of all sizes: prefill at every depth.
func (s *script) fillBase() {
	limit := s.lim.SeqCells - min(reserve, s.lim.SeqCells/2)
	for s.held[0] < limit {
		for _, k := range s.rng.Perm(len(chunkSizes)) {
			n := min(chunkSizes[k], s.lim.Rows, limit-s.held[0])
			if n > 0 {
				depth := s.held[0] / 256
				s.extend(0, n)
				s.emit(Prefill, "base %d at %d", chunkSizes[k], depth)
			}
		}
	}
}

// ballastShare is how many of a unified cache's cells are filled at the highest level.
// The real cache may fill up, but attention over a quarter of it is slow enough to see.
const ballastShare = 0.1

// fillBallast brings the cells that the ballast holds to the level.
func (s *script) fillBallast() {
	if !s.plan.Unified {
		return
	}
	want := int(ballastShare*float64(s.lim.Cells)) * s.level / max(1, s.plan.Levels-1)
	for seq := s.workers + 2; seq < s.lim.Seqs; seq++ {
		n := min(want, s.lim.SeqCells)
		want -= n
		s.cut(seq, n)
		for s.held[seq] < n {
			s.extend(seq, min(s.lim.Rows, n-s.held[seq]))
			s.emit(Prefill, "ballast of level %d", s.level)
		}
	}
}

// oneLevel makes the level's steps. First hits bring in the workers one by one; then
// decoding, prompts and both together, shuffled.
func (s *script) oneLevel(depth int) {
	for w := 1; w <= s.workers; {
		w += s.hit(w, depth)
	}
	var todo []func()
	for _, n := range decodeBatches {
		todo = append(todo, func() {
			for range repeats {
				s.decode(n)
			}
		})
	}
	for _, n := range chunkSizes {
		todo = append(todo, func() { s.prompt(0, n, depth) }, func() { s.prompt(1+s.rng.IntN(s.workers), n, depth) })
	}
	s.rng.Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
	for _, do := range todo {
		do()
	}
	for seq := 1; seq <= s.workers+1; seq++ {
		s.cut(seq, 0)
	}
}

// hit copies the base to some workers, from w on, trims each to the depth and goes on
// with a tail, while those before them decode. It returns to how many.
func (s *script) hit(w, depth int) int {
	copies := min(hitCopies[s.rng.IntN(len(hitCopies))], s.workers+1-w)
	decoding := s.rng.IntN(w)
	tail := min(hitTails[s.rng.IntN(len(hitTails))], s.lim.SeqCells-depth, (s.lim.Rows-decoding)/copies)
	s.decodeRows(decoding)
	for seq := w; seq < w+copies; seq++ {
		s.copyBase(seq, depth)
		s.extend(seq, tail)
	}
	s.emit(Hit, "%d copies tail %d beside %d at level %d", copies, tail, decoding, s.level)
	return copies
}

// decode gives a row to each of n workers.
func (s *script) decode(n int) {
	if n > s.workers {
		return
	}
	s.decodeRows(n)
	s.emit(Decode, "%d at level %d", n, s.level)
}

// prompt gives a chunk of n rows to a prompt, beside some decoding rows. The prompt is
// new, or goes on at the depth.
func (s *script) prompt(decoding, n, depth int) {
	kind := Mixed
	if decoding == 0 {
		kind = Prefill
	}
	s.decodeRows(decoding)
	n = min(n, s.lim.Rows-len(s.rows))
	seq, deep := s.workers+1, s.rng.IntN(2) == 0
	if deep && depth+n <= s.lim.SeqCells {
		s.copyBase(seq, depth)
	} else {
		deep = false
		s.cut(seq, 0)
	}
	s.extend(seq, min(n, s.lim.SeqCells-s.held[seq]))
	s.emit(kind, "%d beside %d at level %d, deep %t", n, decoding, s.level, deep)
}

// decodeRows adds a row for each of the first n workers that has room for it.
func (s *script) decodeRows(n int) {
	for seq := 1; seq <= n; seq++ {
		if s.held[seq] > 0 && s.held[seq] < s.lim.SeqCells {
			s.extend(seq, 1)
		}
	}
}
