package ab

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis/paired"
)

// Schema is the version of the files of this package.
const Schema = 1

// Side is a program that is measured.
type Side struct {
	Asked  string `json:"asked"`            // what the user named
	Commit string `json:"commit,omitempty"` // that it was built from; "" for a given binary
	SHA256 string `json:"sha256"`           // of the binary
}

// Arm is one measurement of every block: a side, possibly slowed on purpose.
type Arm struct {
	Name string `json:"name"`
	Side string `json:"side"` // a key of Experiment.Sides
	// Planted is by which share each engine step is made longer; 0 is an honest arm.
	Planted float64 `json:"planted,omitempty"`
}

// Experiment is everything that decides what is measured. Two with equal fields are the
// same experiment, so one may go on with the other's blocks.
type Experiment struct {
	Sides  map[string]Side `json:"sides"`
	Arms   []Arm           `json:"arms"`   // the first is what the others are compared with
	Blocks int             `json:"blocks"` // of one segment for each arm
	// Gate is how many blocks a gate judges: all of them, or a part in a proof, which is
	// many gates.
	Gate int `json:"gate"`
	// Seed draws the orders.
	Seed uint64 `json:"seed"`
	// Tapes are the seeds of the requests, taken in turn: all arms of a block have one.
	Tapes []uint64    `json:"tapes"`
	Rule  paired.Rule `json:"rule"`
	// Load is the command line of a segment, without what differs from one to the next.
	Load []string `json:"load"`
}

// Check says what is wrong with the experiment, if anything.
func (e *Experiment) Check() error {
	switch {
	case len(e.Arms) < 2:
		return errors.New("an experiment compares two arms or more")
	case len(e.Tapes) == 0:
		return errors.New("an experiment needs a tape")
	case e.Gate < e.Rule.MinPairs():
		return fmt.Errorf("%d pairs are too few: a bound of %g%% takes %d", e.Gate, 100*e.Rule.Confidence, e.Rule.MinPairs())
	case e.Blocks < e.Gate:
		return fmt.Errorf("%d blocks are less than a gate of %d", e.Blocks, e.Gate)
	}
	for _, a := range e.Arms {
		if _, ok := e.Sides[a.Side]; !ok {
			return fmt.Errorf("arm %s is of side %q, which there is not", a.Name, a.Side)
		}
	}
	return e.Rule.Check()
}

// Proof says that the experiment proves the gate: it is of many gates, or has an arm that
// was slowed on purpose.
func (e *Experiment) Proof() bool {
	return e.Blocks > e.Gate || slices.ContainsFunc(e.Arms, func(a Arm) bool { return a.Planted != 0 })
}

// Tape is the seed of a block's requests.
func (e *Experiment) Tape(block int) uint64 { return e.Tapes[block%len(e.Tapes)] }

// Segment is what one arm did in one block.
type Segment struct {
	paired.Segment
	Facts

	// Beside what is judged:
	TTFTP50S float64 `json:"ttft_p50_s"`
	E2EP50S  float64 `json:"e2e_p50_s"`
	CPUS     float64 `json:"cpu_s,omitempty"` // of the process while it served; 0 where the system does not tell
	Rows     int64   `json:"rows"`            // put through the model
	Steps    int64   `json:"steps"`
	// ProbeDecode is the mean of the tokens/s of the two probes around it.
	ProbeDecode float64 `json:"probe_decode_tokens_per_s"`
	ProcessS    float64 `json:"process_s"` // whole life of the segment's process
}

// Facts are what a segment's process said of itself.
type Facts struct {
	Commit       string `json:"commit"` // "-dirty" behind one with uncommitted changes
	EngineSource string `json:"engine_source"`
	Backend      string `json:"backend"`
	Library      string `json:"library"` // hash over its files
	Model        string `json:"model"`   // SHA-256
	Threads      string `json:"threads"`
	Planted      string `json:"planted,omitempty"` // "" unless it was slowed on purpose
}

// same says what two segments of one experiment do not have in common although they
// must: everything but the program and its scheduling.
func (f Facts) same(g Facts) error {
	for _, it := range []struct{ name, a, b string }{
		{"backend", f.Backend, g.Backend}, {"llama.cpp library", f.Library, g.Library}, {"model", f.Model, g.Model}, {"threads", f.Threads, g.Threads},
	} {
		if it.a != it.b {
			return fmt.Errorf("the %s differs: %s and %s", it.name, it.a, it.b)
		}
	}
	return nil
}

// Block is one line of the journal.
type Block struct {
	Block    int                `json:"block"`
	Order    []string           `json:"order"` // of the arms
	At       string             `json:"at"`    // when it was over, RFC 3339
	Segments map[string]Segment `json:"segments"`
}

// Pairs returns an arm of the blocks beside the first arm, in the order of the blocks.
func (e *Experiment) Pairs(blocks []Block, arm string) []paired.Pair {
	pairs := make([]paired.Pair, len(blocks))
	for i, b := range blocks {
		pairs[i] = paired.Pair{A: b.Segments[e.Arms[0].Name].Segment, B: b.Segments[arm].Segment}
	}
	return pairs
}

// Logs returns the logarithm of a figure of an arm over that of the first arm, block by
// block. A figure that was not measured is skipped with its block.
func (e *Experiment) Logs(blocks []Block, arm string, of func(Segment) float64) []float64 {
	var logs []float64
	for _, b := range blocks {
		x, y := of(b.Segments[e.Arms[0].Name]), of(b.Segments[arm])
		if d := math.Log(y / x); x > 0 && y > 0 && !math.IsNaN(d) && !math.IsInf(d, 0) {
			logs = append(logs, d)
		}
	}
	return logs
}
