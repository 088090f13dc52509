package admission

import "time"

// Request is what a server knows of a request when it arrives. How long its answer
// will be is not among it: the type has no room for it, so no decision can use it.
type Request struct {
	ID        int
	Class     string
	Arrived   time.Duration // on the engine's clock
	Deadline  time.Duration // on the engine's clock: the end of its SLO
	Prompt    int           // prompt tokens
	Cached    int           // those of them that the prefix cache holds now
	MaxTokens int           // the longest answer that the client takes
}

// Fresh is how many prompt tokens must be computed.
func (r *Request) Fresh() int { return r.Prompt - r.Cached }

// Work is what is known of a request that was taken before.
type Work struct {
	ID        int
	Prefill   int           // prompt tokens still to be computed; of one that waits: as it arrived
	Context   int           // tokens that its cells hold
	Output    int           // tokens that it was given so far
	MaxTokens int           // its limit
	Arrived   time.Duration // on the engine's clock
	Deadline  time.Duration // on the engine's clock
}

// Left is how many tokens of output it may still be given.
func (w *Work) Left() int { return w.MaxTokens - w.Output }

// Snapshot is the state of the engine at one moment. It is the engine's to reuse:
// a policy keeps nothing of it. There is no arrival rate in it: a rate predicts
// latency well and controls it badly, since refusing does not change it.
type Snapshot struct {
	Now time.Duration
	// Queue has the requests that wait, in the order in which they will start, and
	// Batch those that run, in the order in which they started.
	Queue, Batch []Work
	// FreeKV is the share of the KV cache's cells that a new request could have,
	// 0 … 1; what is cached and idle counts as free.
	FreeKV float64
	// MaxBatch and StepTokens are the scheduler's limits: requests that run at once,
	// and rows of one step.
	MaxBatch, StepTokens int
	// StepTime is the moving average of a step's duration and TokenRate that of
	// output tokens per second while the engine is busy. 0 before the first step.
	StepTime  time.Duration
	TokenRate float64
	// StepAge is how long the step in flight has been running; 0 when none is.
	StepAge time.Duration
}

// Idle says that nothing waits and nothing runs.
func (s *Snapshot) Idle() bool { return len(s.Queue) == 0 && len(s.Batch) == 0 }

// Regime is how loaded the engine is when a request arrives.
type Regime uint8

const (
	// Empty: nothing waits or runs.
	Empty Regime = iota
	// Partial: some run, and there is room in the batch.
	Partial
	// Queued: the batch is full or others wait.
	Queued
)

// Regimes is how many there are.
const Regimes = 3

// String is "idle", "partial" or "queued".
func (r Regime) String() string { return [...]string{"idle", "partial", "queued"}[r] }

// Regime says how loaded the engine is.
func (s *Snapshot) Regime() Regime {
	switch {
	case s.Idle():
		return Empty
	case len(s.Queue) == 0 && len(s.Batch) < s.MaxBatch:
		return Partial
	default:
		return Queued
	}
}

// Step is one step of the engine, for a policy that learns what steps cost.
type Step struct {
	Duration time.Duration
	Prefill  int // prompt rows
	Decode   int // rows of output
	Seqs     int // sequences with rows
	Context  int // sum over those sequences of the tokens that their cells hold
	Copies   int // of sequences, before the rows
	At       time.Duration
}
