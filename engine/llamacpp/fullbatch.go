package llamacpp

import (
	"fmt"
	"time"

	"github.com/cadence-bench/cadence-bench/engine"
)

// The trial on which layouts are compared.
const (
	trialSeqs     = 24  // the batch of the ladder's upper rungs
	longestTrial  = 512 // prompt tokens: one step's worth, near the workload's 540
	shortestTrial = 64
	trialSteps    = 8
	trialRounds   = 3
	// trialPrefill is how long one prompt may take to prefill; a slower model gets
	// shorter prompts.
	trialPrefill = 600 * time.Millisecond
	// trialLimit is when no further round is begun.
	trialLimit = time.Second
)

// fullBatch is a context of its own in which as many sequences as a ladder runs at
// once hold a prompt each, to be timed.
//
// The prompts are computed once and copied, in a unified cache by saving and
// restoring the state of one, so that each has cells of its own: 24 unique prompts would take most
// of a minute in the slowest layout, and what their cells hold does not change what
// they cost.
type fullBatch struct {
	c      *Context
	layout Layout
	seqs   int           // that decode; there may be idle ones behind
	prompt int           // tokens
	state  []byte        // of a sequence with the prompt; nil in streams
	warm   time.Duration // of a prefill of shortestTrial tokens on an empty cache

	batch engine.Batch
	res   engine.StepResult
}

// newFullBatch opens the context, with room for idle sequences of as many cells beside
// those that decode. They have numbers from f.seqs on.
func newFullBatch(m *Model, p Params, l Layout, idle, prompt int) (*fullBatch, error) {
	if p.Seqs < 1 || p.Seqs > trialSeqs {
		p.Seqs = trialSeqs
	}
	f := &fullBatch{layout: l, seqs: p.Seqs, prompt: prompt}
	cells := prompt + max(trialSteps, idleSteps) + 1
	p.Seqs += idle
	p.KVUnified, p.FlashAttn, p.Canonical = l.Unified, l.Flash, false
	p.Rows, p.UBatch, p.Cells, p.SeqCells = longestTrial, longestTrial, 0, cells
	if l.Unified {
		p.Cells, p.SeqCells = p.Seqs*cells, 0
	}
	var err error
	f.c, err = NewContext(m, p)
	return f, err
}

// run makes the step that the batch describes, and empties the batch.
func (f *fullBatch) run() (time.Duration, error) {
	err := f.c.Step(&f.batch, &f.res)
	f.batch.Ops, f.batch.Rows = f.batch.Ops[:0], f.batch.Rows[:0]
	return f.res.Model + f.res.Host, err
}

// prefill times n tokens of a prompt in an emptied sequence.
func (f *fullBatch) prefill(seq engine.SeqID, n int) (time.Duration, error) {
	f.batch.Ops = append(f.batch.Ops, engine.Op{Kind: engine.OpRemove, Seq: seq, To: -1})
	for i := range n {
		f.batch.Rows = append(f.batch.Rows, engine.Row{Token: token(i+int(seq), f.c.limits.Vocab), Pos: int32(i), Seq: seq, Output: i == n-1})
	}
	return f.run()
}

// decode times steps of all sequences.
func (f *fullBatch) decode(steps int) ([]time.Duration, error) {
	var took []time.Duration
	for i := range steps {
		for s := range int32(f.seqs) {
			f.batch.Rows = append(f.batch.Rows, engine.Row{Token: token(i+int(s), f.c.limits.Vocab), Pos: f.c.Next(s), Seq: s, Output: true})
		}
		d, err := f.run()
		if err != nil {
			return took, err
		}
		took = append(took, d)
	}
	return took, nil
}

// warmUp times a short prefill on the empty cache, the better of two.
func (f *fullBatch) warmUp() error {
	for i := range 2 {
		d, err := f.prefill(0, shortestTrial)
		if err != nil {
			return err
		}
		if i == 0 || d < f.warm {
			f.warm = d
		}
	}
	return nil
}

// shorten gives a slow model prompts that it prefills within trialPrefill, in
// multiples of shortestTrial.
func (f *fullBatch) shorten() {
	n := int(trialPrefill / max(f.warm, 1))
	f.prompt = min(f.prompt, shortestTrial*max(n, 1))
}

// fill gives every sequence that decodes a prompt.
func (f *fullBatch) fill() error {
	if _, err := f.prefill(0, f.prompt); err != nil {
		return err
	}
	if f.layout.Unified {
		if f.state = f.c.save(0); f.state == nil {
			return fmt.Errorf("llama.cpp gave no state of a sequence")
		}
		for s := range int32(f.seqs - 1) {
			if err := f.c.restore(f.state, s+1); err != nil {
				return err
			}
		}
		return nil
	}
	for s := range int32(f.seqs - 1) {
		f.batch.Ops = append(f.batch.Ops, engine.Op{Kind: engine.OpCopy, Src: 0, Seq: s + 1})
	}
	_, err := f.run()
	return err
}

// rewind adds edits to the batch that take back what was decoded.
func (f *fullBatch) rewind() {
	for s := range int32(f.seqs) {
		f.batch.Ops = append(f.batch.Ops, engine.Op{Kind: engine.OpRemove, Seq: s, From: int32(f.prompt), To: -1})
	}
}
