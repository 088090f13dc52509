package analysis

import "github.com/cadence-bench/cadence-bench/results"

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
	return rep
}

// relative returns (max − min)/mean, null with fewer than two values.
func (r Range) relative() results.Opt[float64] {
	if r.N < 2 || r.Mean <= 0 {
		return results.Opt[float64]{}
	}
	return results.Some((r.Max - r.Min) / r.Mean)
}
