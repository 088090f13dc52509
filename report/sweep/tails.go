package sweep

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// tails says what the requests of a rung at a rate support of a p99: each cell's by
// itself, and all cells' together.
func tails(s *analysis.Sweep, f caption.Facts) table.Table {
	tails := cautions.Tails(s)
	t := table.New(f.Title("What the requests support of a p99"), f.Caption(), tails,
		column.Rung(func(t cautions.Tail) string { return t.Rung }),
		column.Offered(func(t cautions.Tail) float64 { return t.OfferedRPS }),
		table.Count("cells", "cells", "cells whose requests are pooled", func(t cautions.Tail) int { return t.Cells }),
		table.Count("fewest in a cell", "fewest", "admitted requests in the smallest cell", func(t cautions.Tail) int { return t.Fewest }),
		table.Count("in all", "requests", "admitted requests in all", func(t cautions.Tail) int { return t.E2E.N }),
		table.Count("unanswered", "unanswered", "of these, not answered", func(t cautions.Tail) int { return t.Unanswered }),
		tailColumn(tails, "TTFT p99 of all", "ttft_p99", func(t cautions.Tail) stats.Quantile { return t.TTFT }),
		needed("ttft_p99", func(t cautions.Tail) int { return t.NeedTTFT }),
		tailColumn(tails, "E2E p99 of all", "e2e_p99", func(t cautions.Tail) stats.Quantile { return t.E2E }),
		table.Show("enough for an E2E p99", enough, needed("e2e_p99", func(t cautions.Tail) int { return t.NeedE2E })).Left(),
	)
	t.Notes = []string{
		fmt.Sprintf("Admitted requests of the steady window. [lo, hi] is the 95%% interval from order statistics, “∞” where the requests do not bound the p99 from above. "+
			"It takes n requests with 1 − 0.99ⁿ ≥ 97.5%%, which is %d, until one of them is above the p99 with that confidence, and more when some were not answered.", stats.Need(0.99)),
		"The interval takes requests as independent, which those of one queue are not: it is too narrow under load, and the number needed too small.",
	}
	if slices.ContainsFunc(tails, func(t cautions.Tail) bool { return t.NeedE2E == 0 }) {
		t.Notes = append(t.Notes, "“no number is”: at least 1% of the requests were not answered, so the p99 is beyond what their clients waited for, however many there are.")
	}
	return t
}

func enough(t cautions.Tail) string {
	switch {
	case t.NeedE2E == 0:
		return "no number is"
	case t.E2E.N >= t.NeedE2E:
		return "yes"
	}
	return fmt.Sprintf("no, it takes %d", t.NeedE2E)
}

// tailColumn is the p99 of all requests of a rung at a rate, with its interval.
func tailColumn(tails []cautions.Tail, label, key string, of func(cautions.Tail) stats.Quantile) table.Col[cautions.Tail] {
	sc := format.ScaleOf(unit.Seconds, column.Largest(tails, func(t cautions.Tail) float64 { return of(t).Value }))
	some := func(t cautions.Tail) bool { return of(t).N > 0 }
	return table.Show(sc.Name(label), func(t cautions.Tail) string { return sc.Interval(of(t)) },
		table.Value(key+"_s", "s", "99th percentile of all requests", func(t cautions.Tail) any { return of(t).Value }).Where(some),
		table.Value(key+"_s_is_lower_bound", "", "whether the true one is above it", func(t cautions.Tail) any { return of(t).Censored }),
		table.Value(key+"_s_ci95_lo", "s", "its 95% interval, from order statistics", func(t cautions.Tail) any { return of(t).Lo }).Where(some),
		table.Value(key+"_s_ci95_hi", "s", "its upper end; null where nothing bounds it", func(t cautions.Tail) any { return of(t).Hi }).Where(some))
}

func needed(key string, of func(cautions.Tail) int) table.Col[cautions.Tail] {
	return table.Value(key+"_needs", "", "requests that an upper end takes; null when no number will do",
		func(t cautions.Tail) any { return of(t) }).Where(func(t cautions.Tail) bool { return of(t) > 0 })
}
