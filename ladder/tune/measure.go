package tune

import (
	"context"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// Bench measures rungs on a simulated machine.
type Bench struct {
	Machine cell.Simulator
	Workers int
	// Config is the load: workload, duration, warm-up, timeout and SLO. What it says of
	// ladders, rates and seeds is not used.
	Config ladder.Config
	Now    func() time.Time // the calendar, for the cells
	Note   func(string)     // is told what happens; nil is not
}

// Cell is what one cell says of its rung: of the arrivals in the steady window, how
// many there were, how many the policy took, and how many of those ended in time.
type Cell struct {
	Arrivals, Admitted, Good int
	Seconds                  float64 // of the window
}

// Goodput is the rate of arrivals that ended in time, per second.
func (c Cell) Goodput() float64 { return float64(c.Good) / c.Seconds }

// Sum is a cell of all of these.
func Sum(cells []Cell) (all Cell) {
	for _, c := range cells {
		all.Arrivals += c.Arrivals
		all.Admitted += c.Admitted
		all.Good += c.Good
		all.Seconds += c.Seconds
	}
	return all
}

// Table has the cells by rung and rate, in the order of the seeds.
type Table map[string]map[float64][]Cell

// Measure runs every rung at every rate and seed. Rates that are nil are chosen, as many
// as the configuration asks for, and so is an SLO of 0: the configuration that was
// measured is returned too.
func (b *Bench) Measure(ctx context.Context, rungs []spec.Rung, rates []float64, seeds []uint64) (Table, ladder.Config, error) {
	cfg := b.Config
	cfg.Rates, cfg.Seeds, cfg.Rungs = rates, seeds, nil
	var err error
	if cfg.Ladder, err = spec.Of("tries", "what is tried", rungs); err != nil {
		return nil, cfg, err
	}
	c := &collector{table: Table{}, note: b.Note}
	s := ladder.Sweep{Machine: b.Machine, Workers: b.Workers, Progress: c, Now: b.Now}
	err = s.Start(ctx, cfg)
	if c.failed != nil {
		err = c.failed
	}
	return c.table, c.cfg, err
}

// collector keeps of a sweep what a search needs.
type collector struct {
	ladder.Unseen
	table  Table
	cfg    ladder.Config
	failed error
	note   func(string)
}

// Note implements ladder.Progress.
func (c *collector) Note(text string) {
	if c.note != nil {
		c.note(text)
	}
}

// Plan implements ladder.Progress.
func (c *collector) Plan(_ *results.Manifest, _ int, cfg ladder.Config) { c.cfg = cfg }

// Failed implements ladder.Progress.
func (c *collector) Failed(_ int, err error) { c.failed = err }

// End implements ladder.Progress.
func (c *collector) End(_ int, cell results.Cell, records []results.Record) {
	at := c.table[cell.Rung]
	if at == nil {
		at = map[float64][]Cell{}
		c.table[cell.Rung] = at
	}
	at[cell.OfferedRPS] = append(at[cell.OfferedRPS], count(cell, records))
}

// count counts a cell. A request that was dropped before its start was admitted.
func count(cell results.Cell, records []results.Record) Cell {
	w := analysis.WindowOf(cell, analysis.Options{})
	c := Cell{Seconds: w.Length()}
	for i := range records {
		r := &records[i]
		if !w.Holds(r.Intended) {
			continue
		}
		c.Arrivals++
		if r.Refused() {
			continue
		}
		c.Admitted++
		if e2e := latency.E2EOf(r, cell.TimeoutS); !e2e.Censored && e2e.Value <= cell.SLOS {
			c.Good++
		}
	}
	return c
}
