package twin

// Term indexes the terms of the cost model. A step's duration is a sum over terms
// of how much of each the step has, times what one costs.
//
// The terms are llama.cpp's own: a step is split into passes (ubatches), and what a
// pass costs depends on how many rows it has in kinds rather than smoothly: one row
// is a matrix-vector product bound by memory, two or three are that several times
// over, from four on rows share the weights, and from 32 on the tiles are full.
type Term uint8

const (
	// Step is 1 for a step with rows: what the host does whatever the rows.
	Step Term = iota
	// Pass1 to Pass32 count passes by their kind: 1 row, 2–3, 4–31, 32 and more.
	Pass1
	Pass2
	Pass4
	Pass32
	// Row2 to Row32 count rows in passes of the last three kinds.
	Row2
	Row4
	Row32
	// Output counts rows that give a token: the output matrix, and the search of the
	// largest logit.
	Output
	// Stream counts, over passes, the sequences with rows.
	Stream
	// AttendDecode is rows × padded KV width over passes with fewer than 64 rows a
	// stream, as when decoding (a unified cache is one stream): attention then goes row
	// by row. From 64 on it goes by tiles (ggml: GGML_FA_TILE_Q), which took 0.15 µs a
	// cell against 0.7 with the 27M model on two threads.
	AttendDecode
	// AttendPrefill is the same over passes with 64 and more.
	AttendPrefill
	// Copy counts copies of sequences, CopyCell the KV cells that they move (none
	// when the cache is unified).
	Copy
	CopyCell
	// Remove counts removals, ScanCell the KV cells that edits look through.
	Remove
	ScanCell

	NumTerms int = iota
)

// termNames are the names in calibration files, by Term.
var termNames = [NumTerms]string{
	"step", "pass_1", "pass_2", "pass_4", "pass_32", "row_2", "row_4", "row_32", "output", "stream",
	"attend_decode", "attend_prefill", "copy", "copy_cell", "remove", "scan_cell",
}

// String is the term's name in calibration files.
func (t Term) String() string { return termNames[t] }

// Work is how much of each term a step has.
type Work [NumTerms]float64
