package twin

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/streams"
)

// naive is a KV cache cell by cell, and llama.cpp's way of splitting a step, written
// for plainness: lists are searched and copied, nothing is remembered from one step to
// the next but the cells.
type naive struct {
	lim     engine.Limits
	places  *streams.Map // nil when unified
	caches  [][]*naiveCell
	pending float64
	full    bool // a pass of several sequences of the last step took no more rows
}

// naiveCell is a cell of a cache: its token, and at which position of which sequences
// it is.
type naiveCell struct {
	token engine.Token
	pos   int32
	seqs  []int32
}

func newNaive(lim engine.Limits, unified bool) *naive {
	n := &naive{lim: lim}
	if unified {
		n.caches = [][]*naiveCell{make([]*naiveCell, lim.Cells)}
		return n
	}
	n.places = streams.New(lim.Seqs)
	for range lim.Seqs + streams.Spare {
		n.caches = append(n.caches, make([]*naiveCell, lim.SeqCells))
	}
	return n
}

func (n *naive) cacheOf(seq int32) []*naiveCell {
	if n.places == nil {
		return n.caches[0]
	}
	return n.caches[seq]
}

// tokens are those of a sequence, by position. seq is a stream where there are some.
func (n *naive) tokens(seq int32) []engine.Token {
	var cells []*naiveCell
	for _, c := range n.cacheOf(seq) {
		if c != nil && slices.Contains(c.seqs, seq) {
			cells = append(cells, c)
		}
	}
	slices.SortFunc(cells, func(a, b *naiveCell) int { return int(a.pos - b.pos) })
	out := []engine.Token{}
	for _, c := range cells {
		out = append(out, c.token)
	}
	return out
}

// held are the tokens of a sequence of the engine's.
func (n *naive) held(seq int32) []engine.Token {
	if n.places == nil {
		return n.tokens(seq)
	}
	if stream := n.places.Of(seq); stream != streams.None {
		return n.tokens(stream)
	}
	return []engine.Token{}
}

func (n *naive) used() (cells int) {
	for _, cache := range n.caches {
		for _, c := range cache {
			if c != nil {
				cells++
			}
		}
	}
	return cells
}

// use is what the step over rows left.
func (n *naive) use(rows []engine.Row, fits bool) engine.CellUse {
	u := engine.CellUse{Known: true, Cells: n.used()}
	if n.places == nil {
		for i, c := range n.caches[0] {
			if c != nil {
				u.Top = i + 1
			}
		}
	} else if fits {
		for _, r := range rows {
			u.Top = max(u.Top, len(n.held(r.Seq)))
		}
	}
	return u
}

func (n *naive) remove(seq, from int32, w *Work) {
	if int(from) >= len(n.tokens(seq)) {
		return
	}
	cache := n.cacheOf(seq)
	w[Remove]++
	w[ScanCell] += float64(len(cache))
	for i, c := range cache {
		if c == nil || c.pos < from || !slices.Contains(c.seqs, seq) {
			continue
		}
		c.seqs = slices.DeleteFunc(slices.Clone(c.seqs), func(s int32) bool { return s == seq })
		if len(c.seqs) == 0 {
			cache[i] = nil
		}
	}
}

func (n *naive) copySeq(src, dst int32, w *Work) {
	n.remove(dst, 0, w)
	if len(n.tokens(src)) == 0 {
		return
	}
	w[Copy]++
	w[ScanCell] += float64(len(n.cacheOf(src)))
	if n.places != nil {
		n.pending += float64(n.lim.SeqCells)
	}
	for i, c := range n.cacheOf(src) {
		switch {
		case c == nil || !slices.Contains(c.seqs, src):
		case n.places == nil:
			c.seqs = append(slices.Clone(c.seqs), dst)
		default:
			n.caches[dst][i] = &naiveCell{c.token, c.pos, []int32{dst}}
		}
	}
}

// step makes a step and reports whether the rows fitted.
func (n *naive) step(b *engine.Batch) (w Work, fits bool) {
	if n.places != nil {
		b = n.places.Translate(b, true)
	}
	for _, op := range b.Ops {
		if op.Kind == engine.OpCopy {
			n.copySeq(op.Src, op.Seq, &w)
		} else {
			n.remove(op.Seq, op.From, &w)
		}
	}
	if len(b.Rows) == 0 {
		return w, true
	}
	w[Step] = 1
	w[CopyCell], n.pending = n.pending, 0
	if !n.room(b.Rows) {
		return w, false
	}
	for _, row := range b.Rows {
		if row.Output {
			w[Output]++
		}
	}
	for _, pass := range n.split(b.Rows) {
		n.run(pass, &w)
	}
	return w, true
}

func (n *naive) room(rows []engine.Row) bool {
	if n.places == nil {
		return n.used()+len(rows) <= n.lim.Cells
	}
	for seq := range int32(len(n.caches)) {
		more := 0
		for _, r := range rows {
			if r.Seq == seq {
				more++
			}
		}
		if len(n.tokens(seq))+more > n.lim.SeqCells {
			return false
		}
	}
	return true
}

// split cuts rows into passes as llama_batch_allocr does: split_simple for one cache,
// split_equal of sequential sequences for streams.
func (n *naive) split(rows []engine.Row) (passes [][]engine.Row) {
	most := min(n.lim.Rows, ubatchRows)
	n.full = false
	if n.places == nil {
		return slices.Collect(slices.Chunk(rows, most))
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b engine.Row) int { return int(a.Seq - b.Seq) })
	for len(rows) > 0 {
		var seqs []int32
		for _, r := range rows {
			if len(seqs) == 0 || r.Seq == seqs[len(seqs)-1]+1 {
				seqs = append(seqs, r.Seq)
			}
		}
		var pass []engine.Row
		for {
			rest, next := slices.Clone(rows), []engine.Row(nil)
			for _, seq := range seqs {
				if i := slices.IndexFunc(rest, func(r engine.Row) bool { return r.Seq == seq }); i >= 0 {
					next = append(next, rest[i])
					rest = slices.Delete(rest, i, i+1)
				}
			}
			if len(next) < len(seqs) {
				break
			}
			rows, pass = rest, append(pass, next...)
			if len(pass)+len(seqs) > most {
				n.full = n.full || len(seqs) > 1 && len(rows) > 0
				break
			}
		}
		passes = append(passes, pass)
	}
	return passes
}

func (n *naive) run(rows []engine.Row, w *Work) {
	perSeq, width := map[int32]int{}, 0
	for _, r := range rows {
		cache := n.cacheOf(r.Seq)
		cache[slices.Index(cache, nil)] = &naiveCell{r.Token, r.Pos, []int32{r.Seq}}
		perSeq[r.Seq]++
	}
	each := len(rows) // a stream
	for seq, k := range perSeq {
		if n.places != nil {
			each = k
		}
		cache := n.cacheOf(seq)
		for i, c := range cache {
			if c != nil {
				width = max(width, min(len(cache), (i+256)/256*256))
			}
		}
	}
	k := float64(len(rows))
	switch {
	case k == 1:
		w[Pass1]++
	case k <= 3:
		w[Pass2]++
		w[Row2] += k
	case k <= 31:
		w[Pass4]++
		w[Row4] += k
	default:
		w[Pass32]++
		w[Row32] += k
	}
	w[Stream] += float64(len(perSeq))
	if each < 64 {
		w[AttendDecode] += k * float64(width)
	} else {
		w[AttendPrefill] += k * float64(width)
	}
}
