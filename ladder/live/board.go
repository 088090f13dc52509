package live

import (
	"maps"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/results"
)

// board is what is known of a sweep so far. Its methods are called one at a time.
type board struct {
	// Simulated says that time passes in the cells, several of which run at once.
	Simulated bool

	plan     []results.Key
	cfg      ladder.Config
	begun    time.Time // when the plan was given
	lastEnd  time.Time // when a cell was over, or the plan was given
	before   int       // cells measured before
	measured int       // cells measured now
	failed   map[int]bool
	cells    []analysis.CellMetrics
	under    map[int]cell.Status // cells under way

	rungs []rung // of the cells so far
	probe probe
}

// Plan gives every cell, in order, and how many of them are already done.
func (b *board) Plan(now time.Time, cells []results.Key, done int, cfg ladder.Config) {
	b.plan, b.cfg, b.before = cells, cfg, done
	b.begun, b.lastEnd = now, now
	b.failed, b.under = map[int]bool{}, map[int]cell.Status{}
	b.summarise()
}

// Known adds cells that were measured before this sweep was taken up again.
func (b *board) Known(cells []analysis.CellMetrics) {
	b.cells = append(b.cells, cells...)
	b.summarise()
}

// Begin says that the cell at a place in the plan is under way.
func (b *board) Begin(order int) {
	b.under[order] = cell.Status{}
	delete(b.failed, order)
}

// Tick says how far it is.
func (b *board) Tick(order int, s cell.Status) { b.under[order] = s }

// End says that it is measured, and returns how long ago the one before it was over.
func (b *board) End(now time.Time, order int, m analysis.CellMetrics) time.Duration {
	b.cells = append(b.cells, m)
	b.measured++
	b.summarise()
	return b.over(now, order)
}

// Failed says that it could not be measured.
func (b *board) Failed(now time.Time, order int) {
	b.failed[order] = true
	b.over(now, order)
}

func (b *board) over(now time.Time, order int) time.Duration {
	took := now.Sub(b.lastEnd)
	b.lastEnd = now
	delete(b.under, order)
	return took
}

// planned reports whether there is a plan yet.
func (b *board) planned() bool { return b.plan != nil }

// Key returns what the cell at a place in the plan measures.
func (b *board) Key(order int) results.Key { return b.plan[order] }

// left is how many cells are neither measured nor have failed.
func (b *board) left() int { return len(b.plan) - b.before - b.measured - len(b.failed) }

// Remaining estimates what is left from the cells that ended so far or, before the
// first one, from the length of a cell and half of a client's patience to drain.
func (b *board) Remaining(now time.Time) time.Duration {
	per := b.cfg.CellTime()
	if ended := b.measured + len(b.failed); ended > 0 {
		per = b.lastEnd.Sub(b.begun) / time.Duration(ended)
	}
	return max(0, per*time.Duration(b.left())-min(now.Sub(b.lastEnd), per))
}

// summarise brings what is said of the rungs and the probes up to date.
func (b *board) summarise() {
	var order []string
	for _, k := range b.plan {
		order = append(order, k.Rung)
	}
	sweep := analysis.NewSweep(b.cells, order)
	b.rungs, b.probe = rungsOf(sweep, b.plan), probeOf(sweep.All())
}

// underWay are the places of the cells under way, ascending.
func (b *board) underWay() []int { return slices.Sorted(maps.Keys(b.under)) }
