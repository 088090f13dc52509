package results

import (
	"os"
	"path/filepath"
	"time"
)

// DecisionRow is one decision of an admission policy: all that it was told since the
// one before, and what became of the request. The rows of a cell, in order, are all that
// a policy ever learns of the engine. Times are on the engine's clock, which starts a
// moment before the load.
type DecisionRow struct {
	Request  int32 // index in the tape
	Class    string
	Arrived  time.Duration // its intended arrival
	Deadline time.Duration
	Prompt   int32 // tokens
	Cached   int32 // of them in the prefix cache
	Max      int32 // longest answer

	At        time.Duration // of the decision
	FreeKV    float64
	MaxBatch  int32
	StepLimit int32 // rows of one step
	StepTime  time.Duration
	TokenRate float64
	StepAge   time.Duration
	Queue     []DecisionWork // in the order in which they will start
	Batch     []DecisionWork // in the order in which they started
	Steps     []DecisionStep // that ended since the decision before

	Admitted  bool
	Reason    string
	Regime    string
	Threshold Opt[AdmissionThreshold]

	// Ended is null for a request that was refused, or that never ended.
	Ended    Opt[time.Duration]
	Finished Opt[bool]          // it reached its natural end
	Output   Opt[int32]         // tokens that it was given
	Waited   Opt[time.Duration] // from its arrival to its start or, if it never started, its end
	Violated Opt[bool]          // it did not end within its SLO
	Dropped  Opt[bool]          // before its start
	Aborted  Opt[bool]          // while it ran
}

// DecisionWork is a request that was taken before.
type DecisionWork struct {
	Prefill int32 // prompt tokens still to be computed
	Context int32 // tokens that its cells hold
	Output  int32 // tokens that it was given so far
	Max     int32 // longest answer
	Arrived time.Duration
}

// DecisionStep is a step of the engine as a policy is told of it.
type DecisionStep struct {
	At       time.Duration // its end
	Duration time.Duration
	Prefill  int32 // prompt rows
	Decode   int32 // rows of output
	Seqs     int32 // sequences with rows
	Context  int32 // tokens that their cells hold
	Copies   int32 // of sequences
}

// WriteDecisions writes the decisions of a cell as WriteCell writes its requests. It
// makes the file's folder if need be.
func WriteDecisions(path string, cell Cell, rows []DecisionRow) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return decisionTable.write(path, cell, rows)
}

// ReadDecisions reads a file of WriteDecisions, with ReadCell's tolerance for added
// columns.
func ReadDecisions(path string) (Cell, []DecisionRow, error) { return decisionTable.read(path) }
