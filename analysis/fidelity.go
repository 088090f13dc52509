package analysis

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// StepTime is the mean duration of an engine step, its share of the loop included.
var StepTime = Metric{"step_s", "step", Seconds, Lower, func(m *CellMetrics) Value {
	s := m.Cell.Steps
	if s.Count == 0 {
		return Value{}
	}
	return Value{V: (s.ModelS + s.HostS + s.ScheduleS) / float64(s.Count), OK: true}
}}

// Aim is a metric that a simulation is judged by, and the relative error that is
// aimed at.
type Aim struct {
	Metric
	Within float64
}

// Aims returns what a simulation is judged by.
func Aims() []Aim {
	return []Aim{
		{StepTime, 0.10}, {TTFTP50, 0.10}, {TTFTP99, 0.15}, {E2EP50, 0.10}, {E2EP99, 0.15}, {Goodput, 0.10}, {HitRate, 0.10},
	}
}

// Prediction is a metric of a cell, measured and predicted.
type Prediction struct {
	Measured, Predicted Value
	// Error is predicted over measured, less one. It is null when one of them was not
	// measured or is only a bound, and when the measured one is 0 and the other is not.
	Error results.Opt[float64]
}

// CellFidelity is one cell beside its simulation. Predictions are in the order of Aims.
type CellFidelity struct {
	results.Key
	Predictions []Prediction
}

// AimReport is how well one metric was predicted over all cells.
type AimReport struct {
	Aim
	N                  int     // cells that could be compared; 0 leaves the rest without meaning
	Within             int     // of them, those within the aim
	Median, P90, Worst float64 // of the absolute error
	Bias               float64 // mean error: above 0 the simulation gives too much
}

// Order is a pair of rungs that a measured metric separates: the 95% intervals of the
// two do not touch.
type Order struct {
	OfferedRPS    float64
	Seed          uint64
	Metric        Metric
	Lower, Higher string // by the measured value
	Kept          bool   // the simulation has them in the same order
}

// Fidelity is a measured run beside its simulation.
type Fidelity struct {
	Cells   []CellFidelity
	Aims    []AimReport
	Orders  []Order
	Skipped int // cells that are invalid, or that one of the runs lacks
}

// Kept is how many of the separated pairs kept their order.
func (f *Fidelity) Kept() (n int) {
	for _, o := range f.Orders {
		if o.Kept {
			n++
		}
	}
	return n
}

// FidelityOf compares the cells that both runs have, and that are valid in both.
func FidelityOf(measured, predicted *Sweep) Fidelity {
	var f Fidelity
	aims := Aims()
	pairs := pairCells(measured, predicted)
	f.Skipped = len(measured.Cells) - len(pairs)
	for _, p := range pairs {
		c := CellFidelity{Key: p.measured.Cell.Key}
		for _, a := range aims {
			c.Predictions = append(c.Predictions, predict(a.Of(p.measured), a.Of(p.predicted)))
		}
		f.Cells = append(f.Cells, c)
	}
	for i, a := range aims {
		f.Aims = append(f.Aims, judge(a, f.Cells, i))
	}
	for _, m := range []Metric{Goodput, TTFTP50, E2EP50, E2EP99} {
		f.Orders = append(f.Orders, ordersOf(m, pairs)...)
	}
	return f
}

type cellPair struct{ measured, predicted *CellMetrics }

func pairCells(a, b *Sweep) []cellPair {
	at := map[results.Key]*CellMetrics{}
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

func predict(measured, predicted Value) Prediction {
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

func judge(a Aim, cells []CellFidelity, i int) AimReport {
	r := AimReport{Aim: a}
	var errs []float64
	for _, c := range cells {
		e := c.Predictions[i].Error
		if !e.OK {
			continue
		}
		errs = append(errs, math.Abs(e.V))
		r.Bias += e.V
		if math.Abs(e.V) <= a.Within {
			r.Within++
		}
	}
	if r.N = len(errs); r.N == 0 {
		return r
	}
	slices.Sort(errs)
	r.Bias /= float64(r.N)
	r.Median, r.P90, r.Worst = errs[stats.Rank(0.5, r.N)-1], errs[stats.Rank(0.9, r.N)-1], errs[r.N-1]
	return r
}

// ordersOf finds, for every tape, the pairs of rungs that the measured metric tells
// apart, and whether the prediction orders them alike.
func ordersOf(m Metric, pairs []cellPair) []Order {
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
			orders = append(orders, Order{
				OfferedRPS: ka.OfferedRPS, Seed: ka.Seed, Metric: m,
				Lower: lower.measured.Cell.Rung, Higher: higher.measured.Cell.Rung,
				Kept: x.OK && y.OK && x.V < y.V && !x.Bound,
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
func intervalOf(m Metric, c *CellMetrics) (lo, hi float64, ok bool) {
	var q stats.Quantile
	switch m.Key {
	case TTFTP50.Key:
		q = c.TTFT.P50
	case E2EP50.Key:
		q = c.E2E.P50
	case E2EP99.Key:
		q = c.E2E.P99
	case Goodput.Key:
		if !c.GoodputRPS.OK || c.Arrivals == 0 {
			return 0, 0, false
		}
		good := c.GoodputRPS.V * c.Window.Length()
		lo, hi = wilson(good, float64(c.Arrivals))
		perShare := float64(c.Arrivals) / c.Window.Length()
		return lo * perShare, hi * perShare, true
	default:
		return 0, 0, false
	}
	return q.Lo, q.Hi, q.N > 0
}

// wilson is the 95% score interval of a share of k in n (Wilson, 1927).
func wilson(k, n float64) (lo, hi float64) {
	z := distuv.UnitNormal.Quantile(0.975)
	p, zz := k/n, z*z/n
	mid := (p + zz/2) / (1 + zz)
	half := z / (1 + zz) * math.Sqrt(p*(1-p)/n+zz/(4*n))
	return max(0, mid-half), min(1, mid+half)
}
