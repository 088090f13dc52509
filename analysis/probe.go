package analysis

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// ProbeRow is the machine's speed before the cells of one rung, by the decode
// rate of the probe in tokens per second.
type ProbeRow struct {
	Rung    string
	Cells   int
	Missing int // cells without a probe before them
	Decode  Range
	Prefill Range
}

// ProbeReport says whether the machine changed speed during the sweep, and
// whether that fell unevenly on the rungs.
type ProbeReport struct {
	Rungs []ProbeRow
	// Spread is (max − min)/mean of the decode rate over all cells, and Between
	// the same over the rungs' means; null with fewer than two.
	Spread, Between results.Opt[float64]
	// Drift is the decode rate's course over the sweep, as a share of its mean per hour
	// or, when PerCell, per cell: a simulation takes no time. ok is false with too few
	// probes.
	Drift   stats.Trend
	DriftOK bool
	PerCell bool
}

var (
	probeDecode  = probeMetric(func(p results.Probe) float64 { return p.DecodeTokensPerS })
	probePrefill = probeMetric(func(p results.Probe) float64 { return p.PrefillTokensPerS })
)

func probeMetric(of func(results.Probe) float64) Metric {
	return Metric{Unit: TokensPerS, Better: Higher, Of: func(m *CellMetrics) Value {
		p := m.Cell.ProbeBefore
		return Value{V: of(p.V), OK: p.OK}
	}}
}

// Probes reports the probes taken before each cell, invalid cells included.
func (s *Sweep) Probes() ProbeReport {
	var rep ProbeReport
	var means Range
	for _, rung := range s.Rungs {
		var cells []*CellMetrics
		for _, p := range s.Of(rung) {
			cells = append(cells, p.Cells...)
		}
		row := ProbeRow{Rung: rung, Cells: len(cells), Decode: rangeOf(cells, probeDecode), Prefill: rangeOf(cells, probePrefill)}
		row.Missing = row.Cells - row.Decode.N
		rep.Rungs = append(rep.Rungs, row)
		if row.Decode.N > 0 {
			means.add(Value{V: row.Decode.Mean, OK: true})
		}
	}
	var all Range
	for _, c := range s.All() {
		all.add(probeDecode.Of(&c))
	}
	rep.Spread, rep.Between = all.relative(), means.relative()
	rep.drift(s.All(), all.Mean)
	return rep
}

// drift fits the probes of all cells, in the order in which they were taken.
func (rep *ProbeReport) drift(cells []CellMetrics, mean float64) {
	var at, hours, values []float64
	for _, c := range cells {
		p := c.Cell.ProbeBefore
		if !p.OK || !(mean > 0) {
			continue
		}
		at, values = append(at, float64(c.Cell.Order)), append(values, p.V.DecodeTokensPerS/mean)
		hours = append(hours, c.Cell.StartedAt.Sub(cells[0].Cell.StartedAt).Hours())
		rep.PerCell = rep.PerCell || c.Cell.StartedAt.IsZero()
	}
	if !rep.PerCell && slices.IsSorted(hours) {
		at = hours
	} else {
		rep.PerCell = true
	}
	rep.Drift, rep.DriftOK = stats.TrendOf(at, values)
}

// relative returns (max − min)/mean, null with fewer than two values.
func (r Range) relative() results.Opt[float64] {
	if r.N < 2 || r.Mean <= 0 {
		return results.Opt[float64]{}
	}
	return results.Some((r.Max - r.Min) / r.Mean)
}
