package live

import (
	"fmt"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// rung is one rung so far.
type rung struct {
	name          string
	planned, done int
	peak          analysis.Range // highest mean goodput among the rates so far
	peakRPS       float64
	tail          analysis.Range // p99 E2E at the highest rate so far
	tailRPS       float64
}

// rungsOf summarises the cells so far, in the order of the plan. Invalid cells and
// anchors count as done and in no figure.
func rungsOf(s *analysis.Sweep, plan []results.Key) []rung {
	var rungs []rung
	place := map[string]int{}
	for _, k := range plan {
		i, ok := place[k.Rung]
		if !ok {
			i = len(rungs)
			place[k.Rung] = i
			rungs = append(rungs, rung{name: k.Rung})
		}
		rungs[i].planned++
	}
	for _, c := range s.All() {
		if i, ok := place[c.Cell.Rung]; ok {
			rungs[i].done++
		}
	}
	for i := range rungs {
		for _, p := range s.Of(rungs[i].name) {
			if p.Valid() {
				rungs[i].add(p)
			}
		}
	}
	return rungs
}

func (r *rung) add(p *analysis.Point) {
	if g := p.Range(analysis.Goodput); g.N > 0 && (r.peak.N == 0 || g.Mean > r.peak.Mean) {
		r.peak, r.peakRPS = g, p.OfferedRPS
	}
	if t := p.Range(analysis.E2EP99); t.N > 0 {
		r.tail, r.tailRPS = t, p.OfferedRPS
	}
}

// row is the rung's line of the table.
func (r *rung) row() []string {
	at := func(of analysis.Range, rps float64) string {
		if of.N == 0 {
			return none
		}
		return strconv.FormatFloat(rps, 'g', 4, 64)
	}
	return []string{
		r.name, fmt.Sprintf("%d/%d", r.done, r.planned),
		number(r.peak), at(r.peak, r.peakRPS), number(r.tail), at(r.tail, r.tailRPS),
	}
}

// none stands for what is not known yet.
const none = "–"

// number shows a mean, with > before one that is a lower bound.
func number(r analysis.Range) string {
	if r.N == 0 {
		return none
	}
	text := fmt.Sprintf("%.2f", r.Mean)
	if r.Bounds > 0 {
		return ">" + text
	}
	return text
}

// probe is the machine's decode speed over the cells so far, in tokens per second.
type probe struct {
	first, last, low, high float64
	n                      int
}

// probeOf takes cells in the order of the sweep.
func probeOf(cells []analysis.CellMetrics) probe {
	var p probe
	for i := range cells {
		for _, at := range []results.Opt[results.Probe]{cells[i].Cell.ProbeBefore, cells[i].Cell.ProbeAfter} {
			if at.OK {
				p.add(at.V.DecodeTokensPerS)
			}
		}
	}
	return p
}

func (p *probe) add(v float64) {
	if p.n == 0 {
		p.first, p.low, p.high = v, v, v
	}
	p.n++
	p.last, p.low, p.high = v, min(p.low, v), max(p.high, v)
}

// text says how the machine's speed has moved.
func (p *probe) text() string {
	if p.n == 0 || p.first <= 0 {
		return ""
	}
	return fmt.Sprintf("probe decodes %.0f tok/s, %+.0f%% since the first of %d; %.0f to %.0f so far",
		p.last, 100*(p.last/p.first-1), p.n, p.low, p.high)
}
