package cautions

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// ProbeRow is the machine's speed before the cells of one rung, by the decode
// rate of the probe in tokens per second.
type ProbeRow struct {
	Rung    string
	Cells   int
	Missing int // cells without a probe before them
	Decode  analysis.Range
	Prefill analysis.Range
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

// Probes reports the probes taken before each cell, invalid cells included.
func Probes(s *analysis.Sweep) ProbeReport {
	var rep ProbeReport
	var means analysis.Range
	for _, rung := range s.Rungs {
		var cells []*analysis.CellMetrics
		for _, p := range s.Of(rung) {
			cells = append(cells, p.Cells...)
		}
		row := ProbeRow{Rung: rung, Cells: len(cells), Decode: analysis.RangeOf(cells, analysis.ProbeDecode), Prefill: analysis.RangeOf(cells, analysis.ProbePrefill)}
		row.Missing = row.Cells - row.Decode.N
		rep.Rungs = append(rep.Rungs, row)
		if row.Decode.N > 0 {
			means.Add(analysis.Value{V: row.Decode.Mean, OK: true})
		}
	}
	var all analysis.Range
	for _, c := range s.All() {
		all.Add(analysis.ProbeDecode.Of(&c))
	}
	rep.Spread, rep.Between = all.Relative(), means.Relative()
	rep.drift(s.All(), all.Mean)
	return rep
}

// drift fits the probes of all cells, in the order in which they were taken.
func (rep *ProbeReport) drift(cells []analysis.CellMetrics, mean float64) {
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
