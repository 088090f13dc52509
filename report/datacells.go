package report

import (
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// keyFields name the cell of each item.
func keyFields[T any](items []T, of func(T) *analysis.CellMetrics) []Field {
	return []Field{
		table.NewField("order", "", "place of the cell in the run, from 0", items, func(i T) any { return of(i).Cell.Order }),
		table.NewField("rung", "", "name of the configuration", items, func(i T) any { return of(i).Cell.Rung }),
		table.NewField("offered_rps", "1/s", "rate at which the tape offers requests", items, func(i T) any { return of(i).Cell.OfferedRPS }),
		table.NewField("seed", "", "seed of the tape", items, func(i T) any { return of(i).Cell.Seed }),
		table.NewField("replicate", "", "how many times the same cell was measured before", items, func(i T) any { return of(i).Cell.Replicate }),
		table.NewField("anchor", "", "whether it was measured again after all others: no cell to compare rungs by", items, func(i T) any { return of(i).Cell.Anchor }),
	}
}

// cellFields are every metric of every cell.
func cellFields(s *analysis.Sweep) []Field {
	all := s.All()
	cells := make([]*analysis.CellMetrics, len(all))
	for i := range all {
		cells[i] = &all[i]
	}
	fields := keyFields(cells, func(c *analysis.CellMetrics) *analysis.CellMetrics { return c })
	for _, m := range []analysis.Metric{analysis.Arrivals, analysis.Completed, analysis.Shed, analysis.Timeouts, analysis.Failures} {
		unit, doc := documented(m)
		fields = append(fields, table.NewField(m.Key, unit, doc, cells, func(c *analysis.CellMetrics) any { return int(m.Of(c).V) }))
	}
	for _, m := range []analysis.Metric{analysis.Achieved, analysis.Throughput, analysis.Goodput, analysis.Tokens, analysis.CompletedTokens, analysis.Attainment, analysis.Admitted,
		analysis.HitRate, analysis.HitCeiling, analysis.HitReached} {
		unit, doc := documented(m)
		fields = append(fields, table.NewField(m.Key, unit, doc, cells, func(c *analysis.CellMetrics) any { v := m.Of(c); return table.NumberIf(v.V, v.OK) }))
	}
	for _, q := range []struct {
		m  analysis.Metric
		of func(*analysis.CellMetrics) stats.Quantile
	}{
		{analysis.TTFTP50, func(c *analysis.CellMetrics) stats.Quantile { return c.TTFT.P50 }},
		{analysis.TTFTP99, func(c *analysis.CellMetrics) stats.Quantile { return c.TTFT.P99 }},
		{analysis.ITLP50, func(c *analysis.CellMetrics) stats.Quantile { return c.ITL.P50 }},
		{analysis.ITLP99, func(c *analysis.CellMetrics) stats.Quantile { return c.ITL.P99 }},
		{analysis.TPOTP50, func(c *analysis.CellMetrics) stats.Quantile { return c.TPOT.P50 }},
		{analysis.TPOTP99, func(c *analysis.CellMetrics) stats.Quantile { return c.TPOT.P99 }},
		{analysis.E2EP50, func(c *analysis.CellMetrics) stats.Quantile { return c.E2E.P50 }},
		{analysis.E2EP99, func(c *analysis.CellMetrics) stats.Quantile { return c.E2E.P99 }},
		{analysis.LagP99, func(c *analysis.CellMetrics) stats.Quantile { return c.DispatchLag.P99 }},
	} {
		fields = append(fields, quantileFields(cells, q.m, q.of)...)
	}
	return append(fields,
		table.NewField("valid", "", "whether the cell may be used", cells, func(c *analysis.CellMetrics) any { return c.Valid() }),
		table.NewField("invalid_reasons", "", "the checks that void it", cells, func(c *analysis.CellMetrics) any { return table.TextIf(codes(c.Invalid, " ")) }),
		table.NewField("warnings", "", "what else a reader should know, by name", cells, func(c *analysis.CellMetrics) any { return table.TextIf(codes(c.Warnings, " ")) }))
}

// quantileFields are a quantile with its interval. A side that the sample cannot
// bound is null.
func quantileFields(cells []*analysis.CellMetrics, m analysis.Metric, of func(*analysis.CellMetrics) stats.Quantile) []Field {
	unit, doc := documented(m)
	known := func(pick func(stats.Quantile) any) func(*analysis.CellMetrics) any {
		return func(c *analysis.CellMetrics) any {
			if q := of(c); q.N > 0 {
				return pick(q)
			}
			return nil
		}
	}
	return []Field{
		table.NewField(m.Key, unit, doc, cells, known(func(q stats.Quantile) any { return table.NumberIf(q.Value, true) })),
		table.NewField(m.Key+"_is_lower_bound", "", "whether the true quantile is above the one given", cells, known(func(q stats.Quantile) any { return q.Censored })),
		table.NewField(m.Key+"_is_unbounded", "", "whether there are too few requests to bound it from above", cells, known(func(q stats.Quantile) any { return !q.Supported })),
		table.NewField(m.Key+"_ci95_lo", unit, "95% interval, from order statistics", cells, known(func(q stats.Quantile) any { return table.NumberIf(q.Lo, true) })),
		table.NewField(m.Key+"_ci95_hi", unit, "its upper end; null where nothing bounds it", cells, known(func(q stats.Quantile) any { return table.NumberIf(q.Hi, true) })),
	}
}

func codes(ws []analysis.Warning, between string) string {
	var names []string
	for _, w := range ws {
		names = append(names, w.Code)
	}
	return strings.Join(names, between)
}

// unitsOfChecks are the units in which data give the figures of checks.
var unitsOfChecks = map[analysis.Unit]string{analysis.PerSecond: "1/s", analysis.TokensPerS: "tokens/s", analysis.Seconds: "s"}

// checkFields have a row for every check of every cell.
func checkFields(s *analysis.Sweep) []Field {
	type row struct {
		cell  *analysis.CellMetrics
		check analysis.Check
	}
	var rows []row
	all := s.All()
	for i := range all {
		for _, c := range all[i].Checks {
			rows = append(rows, row{&all[i], c})
		}
	}
	return append(keyFields(rows, func(r row) *analysis.CellMetrics { return r.cell }),
		table.NewField("check", "", "name of the check", rows, func(r row) any { return r.check.Name }),
		table.NewField("figure", "", "what it found, in figure_unit; null where there was nothing to measure", rows, func(r row) any { return table.Optional(r.check.Figure) }),
		table.NewField("figure_unit", "", "null for a count, a share or a plain number", rows, func(r row) any { return table.TextIf(unitsOfChecks[r.check.Unit]) }),
		table.NewField("verdict", "", "passed, noted, voided or unmeasured", rows, func(r row) any { return r.check.Verdict.String() }),
		table.NewField("detail", "", "what there is to add", rows, func(r row) any { return table.TextIf(r.check.Detail) }))
}

// worstCheck is a check over all cells.
type worstCheck struct {
	doc                  analysis.CheckDoc
	cell                 *analysis.CellMetrics // with the worst figure; nil when no cell has one
	worst                analysis.Check
	checked, noted, void int
}

func worstFields(rows []worstCheck) []Field {
	there := func(of func(worstCheck) any) func(worstCheck) any {
		return func(w worstCheck) any {
			if w.cell == nil {
				return nil
			}
			return of(w)
		}
	}
	return []Field{
		table.NewField("check", "", "name of the check", rows, func(w worstCheck) any { return w.doc.Name }),
		table.NewField("worst_figure", "", "the most alarming figure, in figure_unit", rows, there(func(w worstCheck) any { return table.Optional(w.worst.Figure) })),
		table.NewField("figure_unit", "", "null for a count, a share or a plain number", rows, func(w worstCheck) any { return table.TextIf(unitsOfChecks[w.doc.Unit]) }),
		table.NewField("worst_order", "", "place in the run of the first cell with that figure; other cells may have it too", rows, there(func(w worstCheck) any { return w.cell.Cell.Order })),
		table.NewField("worst_rung", "", "its rung", rows, there(func(w worstCheck) any { return w.cell.Cell.Rung })),
		table.NewField("worst_offered_rps", "1/s", "its offered rate", rows, there(func(w worstCheck) any { return w.cell.Cell.OfferedRPS })),
		table.NewField("worst_seed", "", "its seed", rows, there(func(w worstCheck) any { return w.cell.Cell.Seed })),
		table.NewField("worst_replicate", "", "its replicate", rows, there(func(w worstCheck) any { return w.cell.Cell.Replicate })),
		table.NewField("worst_anchor", "", "whether it is an anchor", rows, there(func(w worstCheck) any { return w.cell.Cell.Anchor })),
		table.NewField("noted_from", "", "when a cell carries a note; null never", rows, func(w worstCheck) any { return table.TextIf(w.doc.Note) }),
		table.NewField("void_from", "", "when a cell is invalid; null never", rows, func(w worstCheck) any { return table.TextIf(w.doc.Void) }),
		table.NewField("cells_checked", "", "cells in which there was something to judge", rows, func(w worstCheck) any { return w.checked }),
		table.NewField("cells_noted", "", "of these, noted", rows, func(w worstCheck) any { return w.noted }),
		table.NewField("cells_void", "", "of these, voided", rows, func(w worstCheck) any { return w.void }),
	}
}
