// Package figures makes of measured cells what the gate compares: figures of every rung at
// every rate, void cells, and the decisions of each cell.
package figures

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Cells are those of a run, taken one at a time: what the figures need of a cell is kept,
// its rows are not.
type Cells struct {
	cells   []analysis.CellMetrics
	decided map[results.Key]decided.Cell
	work    map[results.Key]work
}

// Add takes a cell with its rows and the trace of its steps.
func (c *Cells) Add(cell results.Cell, records []results.Record, steps []results.StepRow) error {
	said, err := decided.Of(cell, records, steps)
	if err != nil {
		return err
	}
	if c.work == nil {
		c.decided, c.work = map[results.Key]decided.Cell{}, map[results.Key]work{}
	}
	var w work
	for i := range steps {
		w.add(&steps[i])
	}
	c.decided[cell.Key], c.work[cell.Key] = said, w
	c.cells = append(c.cells, analysis.Measure(cell, records, analysis.Options{}))
	return nil
}

// Measured is what cells say. Its provenance has the rungs that have cells, in the order
// of the plan, and nothing else.
func (c *Cells) Measured(plan []results.Key) (m gate.Measured, decisions []decided.Cell, err error) {
	if len(c.cells) == 0 {
		return m, nil, fmt.Errorf("none of %d cells could be measured", len(plan))
	}
	var rungs []string
	for _, key := range plan {
		rungs = append(rungs, key.Rung)
	}
	sweep := analysis.NewSweep(c.cells, rungs)
	m.Provenance.Rungs = sweep.Rungs
	for i := range sweep.Points {
		p := &sweep.Points[i]
		var w work
		for _, cell := range p.Cells {
			decisions = append(decisions, c.decided[cell.Cell.Key])
			w.sum(c.work[cell.Cell.Key])
			if !cell.Valid() {
				m.Void = append(m.Void, gate.Void{Cell: cell.Cell.Name(), Why: cell.Invalid[0].Text})
			}
		}
		for _, f := range append(latencies(p), w.figures()...) {
			f.Rung, f.RateRPS = p.Rung, p.OfferedRPS
			m.Figures = append(m.Figures, f)
		}
	}
	m.Decisions = gate.DecisionsOf(decisions)
	return m, decisions, nil
}

// latencies are what the requests of a point say. What was not measured is left out.
func latencies(p *analysis.Point) []gate.Figure {
	tail := cautions.TailOf(p)
	figures := []gate.Figure{}
	for _, q := range []struct {
		metric string
		stats.Quantile
	}{{gate.E2EP99, tail.E2E}, {gate.TTFTP99, tail.TTFT}} {
		if q.N > 0 {
			figures = append(figures, gate.Figure{Metric: q.metric, Value: q.Value, N: q.N, Bound: q.Censored})
		}
	}
	if r := p.Range(analysis.ITLP99); r.N > 0 {
		figures = append(figures, gate.Figure{Metric: gate.ITLP99, Value: r.Mean, N: gaps(p), Bound: r.Bounds > 0})
	}
	if r := p.Range(analysis.Goodput); r.N > 0 {
		figures = append(figures, gate.Figure{Metric: gate.Goodput, Value: r.Mean, N: p.Total(analysis.Arrivals), Bound: r.Bounds > 0})
	}
	if r := p.Range(analysis.HitRate); r.N > 0 {
		figures = append(figures, gate.Figure{Metric: gate.HitRate, Value: r.Mean, N: tail.E2E.N})
	}
	if f, ok := violations(p); ok {
		figures = append(figures, f)
	}
	return figures
}

// gaps counts the inter-token latencies of a point.
func gaps(p *analysis.Point) (n int) {
	for _, c := range p.Used() {
		n += c.ITL.P99.N
	}
	return n
}

// violations is the share of those that were taken, and not forced, that were late;
// ok is false where nobody was taken on a promise.
func violations(p *analysis.Point) (f gate.Figure, ok bool) {
	broken := 0
	f.Metric = gate.Violations
	for _, c := range p.Used() {
		f.N += c.Admission.Promised
		broken += c.Admission.Violated
		if alpha := c.Promise.V.Alpha; c.Promise.OK && alpha.OK {
			f.Promise = &alpha.V
		}
	}
	if f.N == 0 {
		return f, false
	}
	f.Value = float64(broken) / float64(f.N)
	return f, true
}

// work counts what the engine did, over all cells of a point.
type work struct{ steps, recomputed, evicted, copies int64 }

func (w *work) add(s *results.StepRow) {
	w.steps++
	w.evicted += s.EvictedTokens
	w.copies += int64(s.Copies)
	for _, a := range s.Admitted {
		if a.Again {
			w.recomputed += int64(a.Tokens - a.Cached)
		}
	}
}

func (w *work) sum(o work) {
	w.steps += o.steps
	w.recomputed += o.recomputed
	w.evicted += o.evicted
	w.copies += o.copies
}

func (w *work) figures() []gate.Figure {
	var figures []gate.Figure
	for _, c := range []struct {
		metric string
		n      int64
	}{{gate.Steps, w.steps}, {gate.Recomputed, w.recomputed}, {gate.Evicted, w.evicted}, {gate.Copies, w.copies}} {
		figures = append(figures, gate.Figure{Metric: c.metric, Value: float64(c.n)})
	}
	return figures
}
