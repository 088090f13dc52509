// Package fidelity compares a measured run with its simulation: how far each metric is off,
// cell by cell, and whether the simulation orders the rungs as the measurement did.
package fidelity

import (
	"cmp"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/results"
)

// StepTime is the mean duration of an engine step, its share of the loop included.
var StepTime = analysis.Metric{Key: "step_s", Label: "step", Unit: unit.Seconds, Better: analysis.Lower, Of: func(m *analysis.CellMetrics) analysis.Value {
	s := m.Cell.Steps
	if s.Count == 0 {
		return analysis.Value{}
	}
	return analysis.Value{V: (s.ModelS + s.HostS + s.ScheduleS) / float64(s.Count), OK: true}
}}

// Aim is a metric that a simulation is judged by, and the relative error that is
// aimed at.
type Aim struct {
	analysis.Metric
	Within float64
}

// Aims returns what a simulation is judged by.
func Aims() []Aim {
	return []Aim{
		{StepTime, 0.10},
		{analysis.TTFTP50, 0.10}, {analysis.TTFTP90, 0.10}, {analysis.TTFTP99, 0.10},
		{analysis.ITLP50, 0.10}, {analysis.ITLP90, 0.10}, {analysis.ITLP99, 0.10},
		{analysis.E2EP50, 0.05}, {analysis.E2EP90, 0.05}, {analysis.E2EP99, 0.05},
		{analysis.Goodput, 0.10}, {analysis.HitRate, 0.10},
	}
}

// Prediction is a metric of a cell, measured and predicted.
type Prediction struct {
	Measured, Predicted analysis.Value
	// Error is predicted over measured, less one. It is null when one of them was not
	// measured or is only a bound, and when the measured one is 0 and the other is not.
	Error results.Opt[float64]
}

// Cell is one cell beside its simulation. Predictions are in the order of Aims.
type Cell struct {
	results.Key
	Predictions []Prediction
	// Contested says that neither nearly all nor nearly none of the arrivals were answered
	// within the SLO: what the cell does hangs on its queue, and no guess does for it.
	Contested bool
}

// contested is between which attainments a cell is.
const contestedFrom, contestedTo = 0.05, 0.95

// AimReport is how well one metric was predicted over all cells.
type AimReport struct {
	Aim
	N                  int     // cells that could be compared; 0 leaves the rest without meaning
	Within             int     // of them, those within the aim
	Median, P90, Worst float64 // of the absolute error
	Bias               float64 // mean error: above 0 the simulation gives too much
	// ContestedN of the cells are contested, and Contested is the median error of these.
	ContestedN int
	Contested  float64
}

// Order is a pair of rungs that a measured metric separates: the 95% intervals of the
// two do not touch.
type Order struct {
	OfferedRPS    float64
	Seed          uint64
	Metric        analysis.Metric
	Lower, Higher string // by the measured value
	Kept          bool   // the simulation has them in the same order
	// Naive says that they are ordered as the ladder is: a rung is never worse than those
	// below it.
	Naive bool
}

// Report is a measured run beside its simulation.
type Report struct {
	Cells   []Cell
	Aims    []AimReport
	Orders  []Order
	Skipped int // cells that are invalid, or that one of the runs lacks
}

// Kept is how many of the separated pairs kept their order.
func (f *Report) Kept() (n int) {
	for _, o := range f.Orders {
		if o.Kept {
			n++
		}
	}
	return n
}

// Naive is how many of the separated pairs are ordered as the ladder is, which takes no
// simulation to say.
func (f *Report) Naive() (n int) {
	for _, o := range f.Orders {
		if o.Naive {
			n++
		}
	}
	return n
}

// Compare compares the cells that both runs have, and that are valid in both.
func Compare(measured, predicted *analysis.Sweep) Report {
	var f Report
	aims := Aims()
	pairs := pairCells(measured, predicted)
	f.Skipped = len(measured.Cells) - len(pairs)
	for _, p := range pairs {
		c := Cell{Key: p.measured.Cell.Key}
		if a := p.measured.Attainment; a.OK {
			c.Contested = a.V > contestedFrom && a.V < contestedTo
		}
		for _, a := range aims {
			c.Predictions = append(c.Predictions, predict(a.Of(p.measured), a.Of(p.predicted)))
		}
		f.Cells = append(f.Cells, c)
	}
	for i, a := range aims {
		f.Aims = append(f.Aims, judge(a, f.Cells, i))
	}
	for _, m := range []analysis.Metric{analysis.Goodput, analysis.TTFTP50, analysis.E2EP50, analysis.E2EP99} {
		f.Orders = append(f.Orders, ordersOf(m, pairs, measured.Rungs)...)
	}
	return f
}

type cellPair struct{ measured, predicted *analysis.CellMetrics }

func pairCells(a, b *analysis.Sweep) []cellPair {
	at := map[results.Key]*analysis.CellMetrics{}
	for i := range b.Cells {
		if b.Cells[i].Valid() {
			at[b.Cells[i].Cell.Key] = &b.Cells[i]
		}
	}
	var pairs []cellPair
	for i := range a.Cells {
		c := &a.Cells[i]
		if other := at[c.Cell.Key]; other != nil && c.Valid() {
			pairs = append(pairs, cellPair{c, other})
		}
	}
	return pairs
}

func predict(measured, predicted analysis.Value) Prediction {
	p := Prediction{Measured: measured, Predicted: predicted}
	switch {
	case !measured.OK || !predicted.OK || measured.Bound || predicted.Bound:
	case measured.V != 0:
		p.Error = results.Some(predicted.V/measured.V - 1)
	case predicted.V == 0:
		p.Error = results.Some(0.0)
	}
	return p
}

func judge(a Aim, cells []Cell, i int) AimReport {
	r := AimReport{Aim: a}
	var errs, contested []float64
	for _, c := range cells {
		e := c.Predictions[i].Error
		if !e.OK {
			continue
		}
		errs = append(errs, math.Abs(e.V))
		if c.Contested {
			contested = append(contested, math.Abs(e.V))
		}
		r.Bias += e.V
		if math.Abs(e.V) <= a.Within {
			r.Within++
		}
	}
	if r.N = len(errs); r.N == 0 {
		return r
	}
	if r.ContestedN = len(contested); r.ContestedN > 0 {
		slices.Sort(contested)
		r.Contested = contested[stats.Rank(0.5, r.ContestedN)-1]
	}
	slices.Sort(errs)
	r.Bias /= float64(r.N)
	r.Median, r.P90, r.Worst = errs[stats.Rank(0.5, r.N)-1], errs[stats.Rank(0.9, r.N)-1], errs[r.N-1]
	return r
}

// ordersOf finds, for every tape, the pairs of rungs that the measured metric tells
// apart, and whether the prediction orders them alike.
func ordersOf(m analysis.Metric, pairs []cellPair, ladder []string) []Order {
	var orders []Order
	for i, a := range pairs {
		for _, b := range pairs[i+1:] {
			ka, kb := a.measured.Cell.Key, b.measured.Cell.Key
			if ka.OfferedRPS != kb.OfferedRPS || ka.Seed != kb.Seed || ka.Replicate != kb.Replicate {
				continue
			}
			lower, higher := a, b
			if m.Of(a.measured).V > m.Of(b.measured).V {
				lower, higher = b, a
			}
			_, hi, ok := intervalOf(m, lower.measured)
			lo, _, ok2 := intervalOf(m, higher.measured)
			if !ok || !ok2 || hi >= lo {
				continue
			}
			x, y := m.Of(lower.predicted), m.Of(higher.predicted)
			better, worse := higher, lower
			if m.Better == analysis.Lower {
				better, worse = lower, higher
			}
			orders = append(orders, Order{
				OfferedRPS: ka.OfferedRPS, Seed: ka.Seed, Metric: m,
				Lower: lower.measured.Cell.Rung, Higher: higher.measured.Cell.Rung,
				Kept:  x.OK && y.OK && x.V < y.V && !x.Bound,
				Naive: slices.Index(ladder, better.measured.Cell.Rung) > slices.Index(ladder, worse.measured.Cell.Rung),
			})
		}
	}
	slices.SortStableFunc(orders, func(a, b Order) int {
		return cmp.Or(cmp.Compare(a.OfferedRPS, b.OfferedRPS), cmp.Compare(a.Seed, b.Seed))
	})
	return orders
}

// intervalOf is the 95% interval of a metric within a cell: of a quantile by order
// statistics, of goodput by the share of arrivals that were served in time.
func intervalOf(m analysis.Metric, c *analysis.CellMetrics) (lo, hi float64, ok bool) {
	var q stats.Quantile
	switch m.Key {
	case analysis.TTFTP50.Key:
		q = c.TTFT.P50
	case analysis.E2EP50.Key:
		q = c.E2E.P50
	case analysis.E2EP99.Key:
		q = c.E2E.P99
	case analysis.Goodput.Key:
		if !c.GoodputRPS.OK || c.Arrivals == 0 {
			return 0, 0, false
		}
		good := c.GoodputRPS.V * c.Window.Length()
		lo, hi = stats.Wilson(good, float64(c.Arrivals))
		perShare := float64(c.Arrivals) / c.Window.Length()
		return lo * perShare, hi * perShare, true
	default:
		return 0, 0, false
	}
	return q.Lo, q.Hi, q.N > 0
}
