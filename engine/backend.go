package engine

import (
	"errors"
	"time"
)

// Token is a vocabulary index. It is an alias so that kv, which may import only
// the standard library, and engine speak of the same type.
type Token = int32

// SeqID names one sequence of the backend's KV cache. Valid ids are
// 0 … Limits.Seqs-1.
type SeqID = int32

// Sampling says how the next token is drawn from a row of logits.
type Sampling struct {
	// Temperature 0 takes the largest logit (the lowest index among equals);
	// above 0 the token is drawn from softmax(logits/Temperature).
	Temperature float32
	// Seed and the row's position determine the draw, and nothing else does, so
	// a token does not depend on what else was in the batch. Unused at
	// temperature 0.
	Seed uint64
}

// Row is one token of a step.
type Row struct {
	Token Token
	Pos   int32 // position in the sequence; must continue it at its end
	Seq   SeqID
	// Output asks for the next token after this row; StepResult.Tokens holds one
	// token per row with Output set, in row order.
	Output   bool
	Sampling Sampling
}

// OpKind is a kind of KV cache edit.
type OpKind uint8

const (
	// OpRemove drops the cells of Seq at positions [From, To); To < 0 means to
	// the end.
	OpRemove OpKind = iota
	// OpCopy makes the whole of Src readable as Seq. Trim with OpRemove after it.
	OpCopy
)

// Op edits the KV cache. A step's ops are applied in order before its rows.
type Op struct {
	Kind     OpKind
	Seq      SeqID // the sequence that changes
	Src      SeqID // OpCopy only
	From, To int32 // OpRemove only
}

// Batch is one step's work: edits of the KV cache, then one forward pass over
// Rows. A batch with no rows only edits. The scheduler owns and reuses it; a
// backend must not keep it after Step returns.
type Batch struct {
	Ops  []Op
	Rows []Row
}

// StepResult is what a step gave. The caller owns and reuses it.
type StepResult struct {
	// Tokens has one sampled token per row with Output set, in row order.
	Tokens []Token
	Model  time.Duration // inside the forward pass
	Host   time.Duration // the rest of Step's own time: building the batch, sampling
	// Modelled is how long a model-free backend wants the step to last. A real
	// one leaves it 0.
	Modelled time.Duration
	// Use is of after the step, or after its ops alone when it returned ErrNoSlot.
	Use CellUse
}

// CellUse is what a backend knows about its physical KV cells. The zero CellUse is
// that of one that does not know.
type CellUse struct {
	Known bool
	Cells int // in use
	// Top is one more than the highest cell in use; where every sequence has cells
	// of its own, the highest among the sequences with rows, 0 without rows.
	Top int
}

// Limits are the sizes that a batch must respect. Beyond them llama.cpp ends the
// process, so the scheduler never plans beyond them and a backend refuses.
type Limits struct {
	Seqs     int // sequence ids
	SeqCells int // KV cells that one sequence may hold
	Cells    int // KV cells in all
	Rows     int // rows per step (llama.cpp: n_batch)
	Vocab    int
	// Tile is from how many rows of one sequence in a pass attention goes by tiles, where
	// a row costs about half of what it does below; 0 where it makes no difference.
	Tile int
}

var (
	// ErrNoSlot means that the KV cache had no room for the rows. The batch's ops
	// have been applied and its rows have not; the caller may free space and give
	// the rows again. It must not give the ops again: a copy whose source was
	// edited after it would take the wrong cells.
	ErrNoSlot = errors.New("no KV cache slot for this batch")
	// ErrAborted means that Abort ended the step. The sequences in the batch are
	// in an unknown state and must be removed before they are used again.
	ErrAborted = errors.New("step aborted")
)

// Backend runs batches. Step blocks; the engine never calls it twice at once.
// Abort may be called from any goroutine, at any time, and makes the step in
// progress, and every later one, return ErrAborted soon. Close waits for the step
// in progress.
type Backend interface {
	Limits() Limits
	Step(*Batch, *StepResult) error
	Abort()
	Close() error
}
