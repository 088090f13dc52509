package llamacpp

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// tooDear is how many times dearer than the best so far a layout must look to be
// given up.
const tooDear = 1.5

// MeasureLayouts times what a request costs in each layout, with the threads of p, on
// a context of its own: the prefill of one more unique prompt beside 23 others, and
// decode steps of all 24. Prompts have 512 tokens, or fewer where the model takes over
// 0.6 s for as many; all layouts get the same. Each is timed up to three times and its
// best counts. One that is clearly dearer than the best so far, or that fails (for want
// of memory, say), is given up and says so. It is an error when all fail. With p.Seqs
// below 24 the batch is smaller.
//
// With the 27M model on two cores the four took 7.3 s; nothing else should run.
func MeasureLayouts(m *Model, p Params, layouts []Layout) ([]LayoutRow, error) {
	var rows []LayoutRow
	prompt, best := 0, math.Inf(1)
	var failed []error
	for _, l := range layouts {
		row, err := measureLayout(m, p, l, prompt, best)
		if err != nil {
			failed = append(failed, fmt.Errorf("%v: %w", l, err))
			row = LayoutRow{Layout: l, GivenUp: err.Error()} // half a measurement is none
		} else if prompt == 0 {
			prompt = row.Prompt
		}
		best = min(best, row.Seconds())
		rows = append(rows, row)
	}
	if len(failed) > 0 && len(failed) == len(layouts) {
		return rows, errors.Join(failed...)
	}
	return rows, nil
}

// measureLayout measures one layout; prompt 0 chooses the length by the model's speed.
func measureLayout(m *Model, p Params, l Layout, prompt int, best float64) (LayoutRow, error) {
	row := LayoutRow{Layout: l}
	first := prompt == 0
	if first {
		prompt = longestTrial
	}
	f, err := newFullBatch(m, p, l, 0, prompt)
	if err != nil {
		return row, err
	}
	defer f.c.Close()
	if err := f.warmUp(); err != nil {
		return row, err
	}
	if first {
		f.shorten()
	}
	row.Prompt = f.prompt
	return row, f.time(&row, best)
}

// time fills the batch, and then the row.
func (f *fullBatch) time(row *LayoutRow, best float64) error {
	if err := f.fill(); err != nil {
		return err
	}
	if _, err := f.decode(1); err != nil { // makes the copies, and the graph
		return err
	}
	// A glimpse first: where attention spans every cell a whole prompt can take
	// seconds.
	last := int32(f.seqs - 1)
	glimpse, err := f.prefill(last, shortestTrial)
	if err != nil {
		return err
	}
	row.PrefillTPS = shortestTrial / glimpse.Seconds()
	if requestSeconds(row.PrefillTPS, math.Inf(1)) > tooDear*best {
		row.GivenUp = fmt.Sprintf("given up after %d tokens of a prompt", shortestTrial)
		return nil
	}
	row.PrefillTPS = 0
	var spent time.Duration
	for round := 0; round < trialRounds && (round == 0 || spent < trialLimit); round++ {
		took, err := f.round(row)
		if err != nil {
			return err
		}
		spent += took
		if round == 0 && row.Seconds() > tooDear*best {
			row.GivenUp = "given up after one round"
			return nil
		}
	}
	return nil
}

// round prefills one prompt beside the others, decodes with all, and raises the row's
// rates to what it saw.
func (f *fullBatch) round(row *LayoutRow) (time.Duration, error) {
	f.rewind()
	if _, err := f.run(); err != nil {
		return 0, err
	}
	spent, err := f.prefill(int32(f.seqs-1), f.prompt)
	if err != nil {
		return 0, err
	}
	row.PrefillTPS = max(row.PrefillTPS, float64(f.prompt)/spent.Seconds())
	steps, err := f.decode(trialSteps)
	if err != nil {
		return 0, err
	}
	for _, d := range steps {
		spent += d
	}
	slices.Sort(steps) // the median step counts: one stall says nothing of a layout
	row.DecodeTPS = max(row.DecodeTPS, float64(f.seqs)/quantile(steps, 50).Seconds())
	return spent, nil
}
