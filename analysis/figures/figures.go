// Package figures reads from a run folder what the gate compares.
package figures

import (
	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/decided"
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Read is what a run folder says.
type Read struct {
	// Figures are those of every rung at every rate.
	Figures []gate.Figure
	// Void are the cells that are invalid and those that could not be measured.
	Void []gate.Void
	// Decisions are those of every cell that was measured, by rung, rate and seed.
	Decisions []decided.Cell
}

// Of reads a run whose steps were traced.
func Of(run *analysis.Run) (Read, error) {
	var r Read
	for i := range run.Points {
		p := &run.Points[i]
		var w work
		for _, c := range p.Cells {
			steps, err := run.Steps(c.Cell.Key)
			if err != nil {
				return r, err
			}
			records, err := run.Records(c.Cell.Key)
			if err != nil {
				return r, err
			}
			cell, err := decided.Of(c.Cell, records, steps)
			if err != nil {
				return r, err
			}
			r.Decisions = append(r.Decisions, cell)
			for i := range steps {
				w.add(&steps[i])
			}
			if !c.Valid() {
				r.Void = append(r.Void, gate.Void{Cell: c.Cell.Name(), Why: c.Invalid[0].Text})
			}
		}
		for _, f := range append(latencies(p), w.figures()...) {
			f.Rung, f.RateRPS = p.Rung, p.OfferedRPS
			r.Figures = append(r.Figures, f)
		}
	}
	for _, e := range run.Failed {
		r.Void = append(r.Void, gate.Void{Cell: e.Name(), Why: e.Reason})
	}
	return r, nil
}

// latencies are what the requests of a point say. What was not measured is left out.
func latencies(p *analysis.Point) []gate.Figure {
	tail := p.Tail()
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
