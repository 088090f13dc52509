package twin

import (
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/streams"
)

const (
	// ubatchRows is n_ubatch, the most rows of a pass, as engine/llamacpp sets it when
	// a step may have more.
	ubatchRows = 512
	// widthStep is what llama.cpp rounds the KV width of a pass up to.
	widthStep = 256
)

// Meter follows a KV cache as llama.cpp v0.5.0 keeps it under engine/llamacpp, and
// says how much work each step is. It needs neither model nor library. A step of 24
// rows takes it less than a microsecond and allocates nothing.
type Meter struct {
	seqCells int32
	ubatch   int32
	scan     float64 // cells that an edit looks through
	held     []int32 // cells, per stream; per sequence when unified
	sum      int     // of held
	top      int32   // see engine.CellUse; of the last step
	moving   float64 // cells to be copied before the next rows: a copy is made late

	places *streams.Map // nil when unified
	todo   []int32      // rows left of the step, per stream

	pool  *pool     // nil in streams
	cells [][]int32 // of each sequence, by position
	pass  uint64    // number of the pass at hand
	last  []uint64  // per sequence, its last pass
}

// NewMeter returns a meter of an empty cache.
func NewMeter(l engine.Limits, unified bool) *Meter {
	m := &Meter{
		seqCells: int32(l.SeqCells), ubatch: int32(min(l.Rows, ubatchRows)),
	}
	if unified {
		m.held = make([]int32, l.Seqs)
		m.scan = float64(l.Cells)
		m.pool = newPool(l.Cells)
		m.cells, m.last = make([][]int32, l.Seqs), make([]uint64, l.Seqs)
	} else {
		m.scan = float64(l.SeqCells)
		m.places = streams.New(l.Seqs)
		m.held = make([]int32, l.Seqs+streams.Spare)
		m.todo = make([]int32, l.Seqs+streams.Spare)
	}
	return m
}

// Step makes a batch's edits, adds its rows, and says how much work that is. The
// batch must be one that a backend of these limits accepts. If there is no cell for
// some row none is added, and the work is that of the edits and the host's.
func (m *Meter) Step(b *engine.Batch) Work {
	var w Work
	m.add(m.edit(b, &w), &w)
	return w
}

// edit makes the edits of a batch and returns its rows as add takes them.
func (m *Meter) edit(b *engine.Batch, w *Work) []engine.Row {
	m.top = 0
	if m.places != nil {
		b = m.places.Translate(b, true)
	}
	for i := range b.Ops {
		op := &b.Ops[i]
		if op.Kind == engine.OpCopy {
			m.copySeq(op.Src, op.Seq, w)
		} else {
			m.remove(op.Seq, max(op.From, 0), op.To, w)
		}
	}
	return b.Rows
}

func (m *Meter) copySeq(src, dst int32, w *Work) {
	m.remove(dst, 0, -1, w)
	n := m.held[src]
	if n == 0 {
		return
	}
	w[Copy]++
	w[ScanCell] += m.scan
	m.held[dst] = n
	m.sum += int(n)
	if m.pool == nil {
		m.moving += float64(m.seqCells)
		return
	}
	m.cells[dst] = append(m.cells[dst], m.cells[src]...)
	for _, cell := range m.cells[src] {
		m.pool.share(cell)
	}
}

// remove drops the cells of a sequence from a position to its end. A removal that
// ends before looks through the cells and leaves them.
func (m *Meter) remove(seq, from, to int32, w *Work) {
	n := m.held[seq]
	if from >= n || to == 0 {
		return
	}
	w[Remove]++
	w[ScanCell] += m.scan
	if to >= 0 && to < n {
		return
	}
	m.held[seq] = from
	m.sum -= int(n - from)
	if m.pool != nil {
		for _, cell := range m.cells[seq][from:] {
			m.pool.drop(cell)
		}
		m.cells[seq] = m.cells[seq][:from]
	}
}

// add adds rows, pass by pass. It reports whether there were cells for all.
func (m *Meter) add(rows []engine.Row, w *Work) bool {
	if len(rows) == 0 {
		return true
	}
	w[Step] = 1
	w[CopyCell], m.moving = m.moving, 0
	if m.pool != nil {
		return m.addUnified(rows, w)
	}
	return m.addStreams(rows, w)
}

// addStreams adds rows to the streams of their sequences. A pass takes equally many
// rows from each of a run of adjacent streams, starting at the lowest with rows left
// (llama.cpp: split_equal).
func (m *Meter) addStreams(rows []engine.Row, w *Work) bool {
	first, end := int32(len(m.todo)), int32(0)
	fit, outputs := true, 0
	for i := range rows {
		s := rows[i].Seq
		m.todo[s]++
		fit = fit && m.held[s]+m.todo[s] <= m.seqCells
		first, end = min(first, s), max(end, s+1)
		if rows[i].Output {
			outputs++
		}
	}
	if !fit {
		clear(m.todo[first:end])
		return false
	}
	w[Output] += float64(outputs)
	m.sum += len(rows)
	for ; first < end; first++ {
		for m.todo[first] > 0 {
			m.passFrom(first, end, w)
		}
	}
	return true
}

func (m *Meter) passFrom(first, end int32, w *Work) {
	each, to := m.ubatch, first
	for ; to < end && m.todo[to] > 0; to++ {
		each = min(each, m.todo[to])
	}
	seqs, high := to-first, int32(0)
	each = max(1, min(each, m.ubatch/seqs))
	for s := first; s < to; s++ {
		m.todo[s] -= each
		m.held[s] += each
		high = max(high, m.held[s])
	}
	m.top = max(m.top, high)
	w.addPass(seqs*each, seqs, each, min(padded(high), m.seqCells))
}

// addUnified adds rows to the lowest free cells of the one cache, in passes of the
// rows as they come (llama.cpp: split_simple).
func (m *Meter) addUnified(rows []engine.Row, w *Work) bool {
	if len(rows) > m.pool.left {
		return false
	}
	for len(rows) > 0 {
		n := min(len(rows), int(m.ubatch))
		m.pass++
		seqs, outputs := int32(0), 0
		for i := range rows[:n] {
			r := &rows[i]
			if m.last[r.Seq] != m.pass {
				m.last[r.Seq] = m.pass
				seqs++
			}
			if r.Output {
				outputs++
			}
			m.cells[r.Seq] = append(m.cells[r.Seq], m.pool.take())
			m.held[r.Seq]++
		}
		w[Output] += float64(outputs)
		w.addPass(int32(n), seqs, int32(n), min(padded(m.pool.high()), m.pool.size))
		rows = rows[n:]
	}
	return true
}

// use is what the cache holds after the last step.
func (m *Meter) use() engine.CellUse {
	if m.pool != nil {
		return engine.CellUse{Known: true, Cells: int(m.pool.size) - m.pool.left, Top: int(m.pool.high())}
	}
	return engine.CellUse{Known: true, Cells: m.sum, Top: int(m.top)}
}

func padded(width int32) int32 { return (width + widthStep - 1) / widthStep * widthStep }

// AttendTile is from how many rows a stream on attention goes by tiles.
const AttendTile = 64

// addPass counts one pass of rows that belong to seqs sequences, so many a stream, and
// attend over width cells.
func (w *Work) addPass(rows, seqs, each, width int32) {
	n := float64(rows)
	switch {
	case rows == 1:
		w[Pass1]++
	case rows < 4:
		w[Pass2]++
		w[Row2] += n
	case rows < 32:
		w[Pass4]++
		w[Row4] += n
	default:
		w[Pass32]++
		w[Row32] += n
	}
	w[Stream] += float64(seqs)
	if each < AttendTile {
		w[AttendDecode] += n * float64(width)
	} else {
		w[AttendPrefill] += n * float64(width)
	}
}
