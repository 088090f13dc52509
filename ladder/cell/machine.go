package cell

import (
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// Machine is what a cell is measured on: a model on a backend, in the backend's
// kind of time.
type Machine interface {
	Model
	Host
	Facts
}

// Model is what makes tokens of text.
type Model interface {
	// Encode renders one exchange with the model's chat template and tokenises it.
	// history is what was said before: a user's turn, its answer, and so on.
	Encode(system, user string, history ...string) ([]engine.Token, error)
	// MaxContext is the longest sequence that the model was made for, in tokens.
	MaxContext() int
	// EOG says whether tok ends an answer in the model's own judgement.
	EOG(tok engine.Token) bool
}

// Host is where engines run.
type Host interface {
	// NewClock returns a loop at time 0, for one cell.
	NewClock() clock.Clock
	// Unified says that the backends keep one KV cache for all sequences, so that a
	// copy costs no cells, and not a part for each.
	Unified() bool
	// Open makes a fresh backend, so that no cell inherits another's cache.
	Open(Shape) (engine.Backend, error)
}

// Facts are what results say of a machine.
type Facts interface {
	// Backend is "llama.cpp" or "twin"; every result carries it.
	Backend() string
	// Describe returns the facts for the manifest.
	Describe() (results.Library, results.Model)
	// Params are the engine's parameters, by documented name.
	Params() map[string]string
}

// Simulator is a Machine in virtual time. Its cells depend on nothing but their
// parameters: a sweep measures several at once, and dates none.
type Simulator interface {
	Machine
	// OpenSeeded is Open with the seed of what the backend draws at random.
	OpenSeeded(s Shape, seed uint64) (SimulatedBackend, error)
}

// SimulatedBackend is a backend whose steps last what a fitted model says.
type SimulatedBackend interface {
	engine.Backend
	// Extrapolated says how many of the steps so far were well beyond those that the
	// model was fitted on. It must not be called while a step runs.
	Extrapolated() (beyond, steps int64)
}

// Shape is the size that a backend must have. It is the same for every rung of a
// sweep.
type Shape struct {
	Seqs     int // sequences
	SeqCells int // KV cells for each
	Rows     int // rows per step
}

// prefixOwners is how many sequences a rung with a prefix cache has for cached
// prefixes, besides those that run: for each running one the prefix that it
// published, and room for as many that nobody uses at the moment, when 24 run as in the
// default ladder.
const prefixOwners = 2 * 24

// ShapeFor returns the shape in which every rung can serve sequences of up to
// context tokens.
func ShapeFor(rungs []spec.Rung, context int) Shape {
	s := Shape{SeqCells: context}
	for _, r := range rungs {
		seqs := r.Policy.MaxBatch
		if r.Caches() {
			seqs += prefixOwners
		}
		s.Seqs = max(s.Seqs, seqs)
		s.Rows = max(s.Rows, r.Policy.StepTokens)
	}
	return s
}

// Reset empties every sequence of a backend, for the next engine on it.
func Reset(b engine.Backend) error {
	var batch engine.Batch
	for seq := range b.Limits().Seqs {
		batch.Ops = append(batch.Ops, engine.Op{Kind: engine.OpRemove, Seq: engine.SeqID(seq), To: -1})
	}
	return b.Step(&batch, new(engine.StepResult))
}
