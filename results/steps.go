package results

import (
	"os"
	"path/filepath"
	"time"
)

// StepRow is one step of the engine. Times are on the cell's clock. Counts of
// requests and of the KV cache are as they were when the step's tokens had been
// given out; a request is named by its index in the tape.
type StepRow struct {
	Step        int64
	Start, End  time.Duration
	Committed   time.Duration // when what came next was decided, at or after End
	Model, Host time.Duration
	Error       Opt[string] // why no row was computed

	Rows, PrefillRows, DecodeRows, OutputRows int32
	Sequences                                 int32
	Copies, Removes                           int32

	Waiting, Held, Running int32

	BlockTokens                                          int32
	FreeBlocks, CachedBlocks, HeldBlocks, PromisedBlocks int32
	EvictedTokens                                        int64
	Cells, TopCell                                       Opt[int32] // cells in use; one more than the highest of them

	Evicted   []StepEviction
	Admitted  []StepAdmission
	Preempted []StepPreemption
	Ended     []StepEnding
}

// StepEviction is a run of cached tokens that was given up.
type StepEviction struct {
	Sequence int32  // the idle sequence of the cache whose run it was
	Tokens   int32  // of the run
	Reason   string // what it made room for
}

// StepAdmission is a request that was admitted to the batch.
type StepAdmission struct {
	Request int32
	Tokens  int32 // of its prompt; after a preemption, with the output so far
	Cached  int32 // those of them that were cached
	Again   bool  // it was preempted before
}

// StepPreemption is a request that had to give up its place in the batch.
type StepPreemption struct {
	Request int32
	Reason  string // what was lacking
	Blocks  int32  // that it made available
	Tokens  int32  // computed ones that nobody else holds
}

// StepEnding is a request that ended. The Reason of one that reached its stop or its
// token limit is string(Completed).
type StepEnding struct {
	Request int32
	Reason  string
}

// widthPad is what the KV width of a step is a multiple of: llama.cpp's get_n_kv, of
// src/llama-kv-cache.cpp, pads it to 256 whatever the backend.
const widthPad = 256

// Width returns the KV cells that attention went over: TopCell, padded. It is null
// when TopCell is, and for a step that computed nothing.
func (s *StepRow) Width() Opt[int32] {
	if !s.TopCell.OK || s.Rows == 0 || s.Error.OK {
		return Opt[int32]{}
	}
	return Some(max(1, (s.TopCell.V+widthPad-1)/widthPad) * widthPad)
}

// WriteSteps writes the step trace of a cell as WriteCell writes its requests. It
// makes the file's folder if need be.
func WriteSteps(path string, cell Cell, steps []StepRow) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return stepTable.write(path, cell, steps)
}

// ReadSteps reads a file of WriteSteps, with ReadCell's tolerance for added columns.
func ReadSteps(path string) (Cell, []StepRow, error) { return stepTable.read(path) }
