package report

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// documented is a metric's unit and documentation: those of its key in summary.json,
// where it has one.
func documented(m analysis.Metric) (unit, doc string) {
	keys := results.SummaryKeys()
	if i := slices.IndexFunc(keys, func(c results.Column) bool { return c.Name == m.Key }); i >= 0 {
		return keys[i].Unit, keys[i].Doc
	}
	if m.Unit == analysis.Seconds {
		return "s", m.Label
	}
	return "", m.Label
}

// rangeFields are a metric over the seeds of each point: its mean and range and, of a
// latency or where some are, whether these are lower bounds.
func rangeFields(points []*analysis.Point, m analysis.Metric) []Field {
	unit, doc := documented(m)
	bounds := m.Unit == analysis.Seconds || slices.ContainsFunc(points, func(p *analysis.Point) bool { return p.Range(m).Bounds > 0 })
	return spanFields(m.Key, unit, doc, "seeds", bounds, points, func(p *analysis.Point) analysis.Range { return p.Range(m) })
}

// spanFields are a range for each item, over seeds or cells.
func spanFields[T any](name, unit, doc, over string, bounds bool, items []T, of func(T) analysis.Range) []Field {
	number := func(pick func(analysis.Range) float64) func(T) any {
		return func(item T) any { r := of(item); return table.NumberIf(pick(r), r.N > 0) }
	}
	truth := func(pick func(analysis.Range) bool) func(T) any {
		return func(item T) any {
			if r := of(item); r.N > 0 {
				return pick(r)
			}
			return nil
		}
	}
	fields := []Field{
		table.NewField(name, unit, "mean over "+over+": "+doc, items, number(func(r analysis.Range) float64 { return r.Mean })),
		table.NewField(name+"_min", unit, "the least of these "+over, items, number(func(r analysis.Range) float64 { return r.Min })),
		table.NewField(name+"_max", unit, "the largest of these "+over, items, number(func(r analysis.Range) float64 { return r.Max })),
	}
	if !bounds {
		return fields
	}
	return append(fields,
		table.NewField(name+"_is_lower_bound", "", "whether the true mean and largest are above those given", items, truth(func(r analysis.Range) bool { return r.Bounds > 0 })),
		table.NewField(name+"_min_is_lower_bound", "", "whether the true least is above the one given too", items, truth(func(r analysis.Range) bool { return r.Bounds == r.N })))
}

func rangesOf(points []*analysis.Point, ms ...analysis.Metric) []Field {
	var fields []Field
	for _, m := range ms {
		fields = append(fields, rangeFields(points, m)...)
	}
	return fields
}

func totalField(points []*analysis.Point, m analysis.Metric) Field {
	unit, doc := documented(m)
	return table.NewField(m.Key, unit, "total over the cells that count: "+doc, points, func(p *analysis.Point) any { return p.Total(m) })
}

// pointFields name a rung at an offered rate, and say what stands behind it.
func pointFields(points []*analysis.Point) []Field {
	return []Field{
		table.NewField("rung", "", "name of the configuration", points, func(p *analysis.Point) any { return p.Rung }),
		table.NewField("offered_rps", "1/s", "rate at which the tape offers requests", points, func(p *analysis.Point) any { return p.OfferedRPS }),
		table.NewField("seeds", "", "seeds that were run", points, func(p *analysis.Point) any { return p.Seeds() }),
		table.NewField("cells", "", "cells that were run: seeds and their replicates", points, func(p *analysis.Point) any { return len(p.Cells) }),
		table.NewField("valid_cells", "", "those that are valid; they count, or all do when there is none", points, func(p *analysis.Point) any { return p.ValidCells() }),
		totalField(points, analysis.Arrivals),
	}
}

// summaryFields are every metric of every point, shown or not.
func summaryFields(points []*analysis.Point) []Field {
	fields := pointFields(points)
	for _, m := range []analysis.Metric{analysis.Completed, analysis.Shed, analysis.Timeouts, analysis.Failures} {
		fields = append(fields, totalField(points, m))
	}
	fields = append(fields, rangesOf(points, analysis.Achieved, analysis.Throughput, analysis.Goodput, analysis.Tokens, analysis.CompletedTokens, analysis.Attainment, analysis.Admitted,
		analysis.HitRate, analysis.TTFTP50, analysis.TTFTP99, analysis.ITLP50, analysis.ITLP99, analysis.TPOTP50, analysis.TPOTP99,
		analysis.E2EP50, analysis.E2EP99, analysis.LagP99)...)
	return append(fields, table.NewField("p99_is_unbounded", "", "a cell has too few requests to bound a p99 from above", points,
		func(p *analysis.Point) any { return p.Range(analysis.E2EP99).Thin }))
}

func headlineFields(hs []analysis.Headline) []Field {
	fields := []Field{table.NewField("rung", "", "name of the configuration", hs, func(h analysis.Headline) any { return h.Rung })}
	fields = append(fields, spanFields("peak_goodput_rps", "1/s", "the highest goodput over the offered rates", "seeds", false, hs, func(h analysis.Headline) analysis.Range { return h.Goodput })...)
	fields = append(fields,
		table.NewField("peak_offered_rps", "1/s", "the offered rate of the peak; null when no cell of the rung is valid", hs, func(h analysis.Headline) any {
			if h.Peak == nil {
				return nil
			}
			return h.Peak.OfferedRPS
		}),
		table.NewField("gain", "", "peak_goodput_rps over that of the rung below; null without one", hs, func(h analysis.Headline) any { return table.NumberIf(h.Gain, h.Gain != 0) }))
	fields = append(fields, spanFields("peak_ttft_p50_s", "s", "median TTFT at the peak", "seeds", true, hs, func(h analysis.Headline) analysis.Range { return h.TTFT })...)
	fields = append(fields, table.NewField("common_offered_rps", "1/s", "the highest rate that every rung was offered", hs, func(h analysis.Headline) any { return table.NumberIf(h.TailRPS, h.Tail.N > 0) }))
	return append(fields, spanFields("common_e2e_p99_s", "s", "p99 E2E at common_offered_rps", "seeds", true, hs, func(h analysis.Headline) analysis.Range { return h.Tail })...)
}

// probeFields has ranges over cells, not seeds: each has a probe of its own.
func probeFields(rows []analysis.ProbeRow) []Field {
	fields := []Field{
		table.NewField("rung", "", "name of the configuration", rows, func(r analysis.ProbeRow) any { return r.Rung }),
		table.NewField("cells", "", "cells of the rung", rows, func(r analysis.ProbeRow) any { return r.Cells }),
		table.NewField("without_probe", "", "those without a probe before them", rows, func(r analysis.ProbeRow) any { return r.Missing }),
	}
	fields = append(fields, spanFields("decode_tokens_per_s", "tokens/s", "decode rate of the idle engine before the cell", "cells", false, rows, func(r analysis.ProbeRow) analysis.Range { return r.Decode })...)
	return append(fields, spanFields("prefill_tokens_per_s", "tokens/s", "prefill rate of the idle engine before the cell", "cells", false, rows, func(r analysis.ProbeRow) analysis.Range { return r.Prefill })...)
}

func tapeFields(tapes []results.Tape) []Field {
	return []Field{
		table.NewField("workload", "", "name of the workload", tapes, func(t results.Tape) any { return t.Workload }),
		table.NewField("offered_rps", "1/s", "rate at which the tape offers requests", tapes, func(t results.Tape) any { return t.OfferedRPS }),
		table.NewField("seed", "", "seed of the tape", tapes, func(t results.Tape) any { return t.Seed }),
		table.NewField("requests", "", "requests of the tape", tapes, func(t results.Tape) any { return t.Requests }),
		table.NewField("sha256", "", "SHA-256 of the tape", tapes, func(t results.Tape) any { return t.SHA256 }),
	}
}
