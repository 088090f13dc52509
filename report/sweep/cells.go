package sweep

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Cells is one row per cell, in the order of the sweep, with the outcome of every
// arrival and 95% intervals of the latencies.
func Cells(s *analysis.Sweep, f caption.Facts) table.Table {
	cells := cellsOf(s)
	type cell = *analysis.CellMetrics
	columns := cellColumns(func(c cell) cell { return c })
	for _, m := range []analysis.Metric{analysis.Arrivals, analysis.Completed, analysis.Shed, analysis.Timeouts, analysis.Failures} {
		_, doc := column.Documented(m)
		columns = append(columns, table.Count(m.Label, m.Key, doc, func(c cell) int { return int(m.Of(c).V) }))
	}
	for _, m := range []analysis.Metric{analysis.Achieved, analysis.Throughput, analysis.Goodput, analysis.Tokens, analysis.CompletedTokens, analysis.Attainment, analysis.Admitted,
		analysis.HitRate, analysis.HitCeiling, analysis.HitReached} {
		unit, doc := column.Documented(m)
		sc := format.ScaleOf(m.Unit, largestOf(cells, m))
		columns = append(columns, table.Show(sc.Name(m.Label), func(c cell) string { return sc.Value(m.Of(c)) },
			table.Value(m.Key, unit, doc, func(c cell) any { return m.Of(c).V })).Where(func(c cell) bool { return m.Of(c).OK }))
	}
	columns = append(columns,
		quantile(cells, analysis.TTFTP50, true, func(c cell) stats.Quantile { return c.TTFT.P50 }),
		quantile(cells, analysis.TTFTP99, true, func(c cell) stats.Quantile { return c.TTFT.P99 }),
		quantile(cells, analysis.ITLP50, true, func(c cell) stats.Quantile { return c.ITL.P50 }),
		quantile(cells, analysis.ITLP99, true, func(c cell) stats.Quantile { return c.ITL.P99 }),
		quantile(cells, analysis.TPOTP50, false, func(c cell) stats.Quantile { return c.TPOT.P50 }),
		quantile(cells, analysis.TPOTP99, true, func(c cell) stats.Quantile { return c.TPOT.P99 }),
		quantile(cells, analysis.E2EP50, true, func(c cell) stats.Quantile { return c.E2E.P50 }),
		quantile(cells, analysis.E2EP99, true, func(c cell) stats.Quantile { return c.E2E.P99 }),
		quantile(cells, analysis.LagP99, true, func(c cell) stats.Quantile { return c.DispatchLag.P99 }),
		table.Show("valid", valid,
			table.Value("valid", "", "whether the cell may be used", func(c cell) any { return c.Valid() }),
			table.Value("invalid_reasons", "", "the checks that void it", func(c cell) any { return codes(c.Invalid, " ") }),
			table.Value("warnings", "", "what else a reader should know, by name", func(c cell) any { return codes(c.Warnings, " ") })))
	t := table.New(f.Title("Every cell, in the order of the sweep"), f.Caption(), cells, columns...).Shown("order", "rung", "offered_rps", "seed",
		"arrivals", "completed", "shed", "timeouts", "failed", "goodput_rps", "throughput_tokens_per_s", "tpot_p50_s", "ttft_p50_s", "e2e_p50_s", "e2e_p99_s", "valid")
	t.Notes = []string{
		"[lo, hi] is the 95% interval of the quantile from order statistics; “∞” where the cell has too few answered requests to bound it. " +
			"It takes requests as independent, which those of one queue are not, so it is too narrow under load.",
		"Output tokens are those ready during the steady window, whoever's they are.",
	}
	return t
}

// cellsOf are all cells, anchors included.
func cellsOf(s *analysis.Sweep) []*analysis.CellMetrics {
	all := s.All()
	cells := make([]*analysis.CellMetrics, len(all))
	for i := range all {
		cells[i] = &all[i]
	}
	return cells
}

// cellColumns name the cell of each record.
func cellColumns[T any](of func(T) *analysis.CellMetrics) []table.Col[T] {
	return []table.Col[T]{
		table.Count("#", "order", "place of the cell in the run, from 0", func(r T) int { return of(r).Cell.Order }),
		table.Show("rung", func(r T) string { return caption.CellRung(of(r).Cell.Key) },
			table.Value("rung", "", "name of the configuration", func(r T) any { return of(r).Cell.Rung })).Left(),
		column.Offered(func(r T) float64 { return of(r).Cell.OfferedRPS }),
		table.Show("seed", func(r T) string { return strconv.FormatUint(of(r).Cell.Seed, 10) },
			table.Value("seed", "", "seed of the tape", func(r T) any { return of(r).Cell.Seed }),
			table.Value("replicate", "", "how many times the same cell was measured before", func(r T) any { return of(r).Cell.Replicate }),
			table.Value("anchor", "", "whether it was measured again after all others: no cell to compare rungs by", func(r T) any { return of(r).Cell.Anchor })),
	}
}

// quantile is a quantile of each cell, with its interval where asked. A side that the sample
// cannot bound is null.
func quantile(cells []*analysis.CellMetrics, m analysis.Metric, interval bool, of func(*analysis.CellMetrics) stats.Quantile) table.Col[*analysis.CellMetrics] {
	unit, doc := column.Documented(m)
	sc := format.ScaleOf(m.Unit, largestOf(cells, m))
	part := func(suffix, unit, doc string, pick func(stats.Quantile) any) table.Col[*analysis.CellMetrics] {
		return table.Value(m.Key+suffix, unit, doc, func(c *analysis.CellMetrics) any { return pick(of(c)) })
	}
	show := func(c *analysis.CellMetrics) string { return sc.Interval(of(c)) }
	if !interval {
		show = func(c *analysis.CellMetrics) string { return sc.Value(m.Of(c)) }
	}
	return table.Show(sc.Name(m.Label), show,
		part("", unit, doc, func(q stats.Quantile) any { return q.Value }),
		part("_is_lower_bound", "", "whether the true quantile is above the one given", func(q stats.Quantile) any { return q.Censored }),
		part("_is_unbounded", "", "whether there are too few requests to bound it from above", func(q stats.Quantile) any { return !q.Supported }),
		part("_ci95_lo", unit, "95% interval, from order statistics", func(q stats.Quantile) any { return q.Lo }),
		part("_ci95_hi", unit, "its upper end; null where nothing bounds it", func(q stats.Quantile) any { return q.Hi })).
		Where(func(c *analysis.CellMetrics) bool { return of(c).N > 0 })
}

func codes(ws []analysis.Warning, between string) string {
	return strings.Join(column.Each(ws, func(w analysis.Warning) string { return w.Code }), between)
}

// valid says whether a cell may be used and, if not, which checks say so; the notes
// of the summary have their words.
func valid(c *analysis.CellMetrics) string {
	if c.Valid() {
		return "yes"
	}
	return "INVALID: " + codes(c.Invalid, ", ")
}

func largestOf(cells []*analysis.CellMetrics, m analysis.Metric) float64 {
	return column.Largest(cells, func(c *analysis.CellMetrics) float64 {
		if v := m.Of(c); v.OK {
			return v.V
		}
		return 0
	})
}

// Probes is the machine's speed before the cells of each rung.
func Probes(s *analysis.Sweep, f caption.Facts) table.Table {
	rep := cautions.Probes(s)
	sc := format.ScaleOf(unit.TokensPerS, 0)
	decode := func(r cautions.ProbeRow) analysis.Range { return r.Decode }
	prefill := func(r cautions.ProbeRow) analysis.Range { return r.Prefill }
	end := func(of func(analysis.Range) float64) func(cautions.ProbeRow) string {
		return func(r cautions.ProbeRow) string { return sc.Mean(analysis.Range{N: r.Decode.N, Mean: of(r.Decode)}) }
	}
	t := table.New(f.Title("The machine's speed before each cell, by rung"), f.Caption(), rep.Rungs,
		column.Rung(func(r cautions.ProbeRow) string { return r.Rung }),
		table.Count("cells", "cells", "cells of the rung", func(r cautions.ProbeRow) int { return r.Cells }),
		table.Count("no probe", "without_probe", "those without a probe before them", func(r cautions.ProbeRow) int { return r.Missing }),
		// Ranges are over cells, not seeds: each has a probe of its own.
		table.Show("decode (tok/s)", func(r cautions.ProbeRow) string { return sc.Mean(r.Decode) },
			column.Span("decode_tokens_per_s", "tokens/s", "decode rate of the idle engine before the cell", "cells", false, decode)...),
		table.Show("min", end(func(r analysis.Range) float64 { return r.Min })),
		table.Show("max", end(func(r analysis.Range) float64 { return r.Max })),
		table.Show("prefill (tok/s)", func(r cautions.ProbeRow) string { return sc.Mean(r.Prefill) },
			column.Span("prefill_tokens_per_s", "tokens/s", "prefill rate of the idle engine before the cell", "cells", false, prefill)...),
	)
	if rep.Spread.OK {
		t.Notes = append(t.Notes, fmt.Sprintf("Over the whole sweep the decode probe varied by %s%% of its mean.", format.Sig3(100*rep.Spread.V)))
	}
	if rep.Between.OK {
		t.Notes = append(t.Notes, fmt.Sprintf("The rungs' means differ by %s%%: a difference between rungs below that may be the machine's.", format.Sig3(100*rep.Between.V)))
	}
	if rep.DriftOK {
		t.Notes = append(t.Notes, driftNote(rep))
	}
	t.Notes = append(t.Notes, "No cell is left out for its probe.")
	return t
}

// driftNote says whether the machine's speed has a trend over the sweep.
func driftNote(rep cautions.ProbeReport) string {
	unit, found := "an hour", "no drift is shown"
	if rep.PerCell {
		unit = "a cell"
	}
	switch d := rep.Drift; {
	case d.P < 0.05 && d.Slope < 0:
		found = "the machine became slower, which the rotated order of the rungs spreads over all of them"
	case d.P < 0.05:
		found = "the machine became faster, which the rotated order of the rungs spreads over all of them"
	}
	return fmt.Sprintf("Over the sweep the decode rate changed by %s of its mean %s %s (Theil–Sen, 95%%), Mann–Kendall p %s over %d probes averaged into %d that do not depend on their neighbours: %s.",
		format.Growth(rep.Drift.Slope), unit, format.GrowthSpan(rep.Drift.Lo, rep.Drift.Hi), shortP(rep.Drift.P), rep.Drift.N, rep.Drift.Blocks, found)
}

// shortP formats a chance with its relation.
func shortP(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return "= " + strconv.FormatFloat(p, 'f', 3, 64)
}
