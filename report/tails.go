package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Tails says what the requests of a rung at a rate support of a p99: each cell's by
// itself, and all cells' together.
func Tails(s *analysis.Sweep, f Facts) Table {
	tails := s.Tails()
	ttft, e2e := 0.0, 0.0
	for _, t := range tails {
		ttft, e2e = max(ttft, t.TTFT.Value), max(e2e, t.E2E.Value)
	}
	ttftScale, e2eScale := scaleOf(analysis.Seconds, ttft), scaleOf(analysis.Seconds, e2e)
	t := table.Of(f.title("What the requests support of a p99"), f.Caption(), []table.Col{
		table.Left("rung", textsOf(tails, func(t analysis.Tail) string { return t.Rung })),
		table.Right("offered (rps)", textsOf(tails, func(t analysis.Tail) string { return short(t.OfferedRPS) })),
		table.Right("cells", textsOf(tails, func(t analysis.Tail) string { return strconv.Itoa(t.Cells) })),
		table.Right("fewest in a cell", textsOf(tails, func(t analysis.Tail) string { return strconv.Itoa(t.Fewest) })),
		table.Right("in all", textsOf(tails, func(t analysis.Tail) string { return strconv.Itoa(t.E2E.N) })),
		table.Right("unanswered", textsOf(tails, func(t analysis.Tail) string { return strconv.Itoa(t.Unanswered) })),
		table.Right(ttftScale.name("TTFT p99 of all"), textsOf(tails, func(t analysis.Tail) string { return ttftScale.interval(t.TTFT) })),
		table.Right(e2eScale.name("E2E p99 of all"), textsOf(tails, func(t analysis.Tail) string { return e2eScale.interval(t.E2E) })),
		table.Left("enough for an E2E p99", textsOf(tails, enough)),
	})
	t.Fields = tailFields(tails)
	t.Notes = []string{
		fmt.Sprintf("Admitted requests of the steady window. [lo, hi] is the 95%% interval from order statistics, “∞” where the requests do not bound the p99 from above. "+
			"It takes n requests with 1 − 0.99ⁿ ≥ 97.5%%, which is %d, until one of them is above the p99 with that confidence, and more when some were not answered.", stats.Need(0.99)),
		"The interval takes requests as independent, which those of one queue are not: it is too narrow under load, and the number needed too small.",
	}
	if slices.ContainsFunc(tails, func(t analysis.Tail) bool { return t.NeedE2E == 0 }) {
		t.Notes = append(t.Notes, "“no number is”: at least 1% of the requests were not answered, so the p99 is beyond what their clients waited for, however many there are.")
	}
	return t
}

func enough(t analysis.Tail) string {
	switch {
	case t.NeedE2E == 0:
		return "no number is"
	case t.E2E.N >= t.NeedE2E:
		return "yes"
	}
	return fmt.Sprintf("no, it takes %d", t.NeedE2E)
}

func tailFields(tails []analysis.Tail) []Field {
	fields := []Field{
		table.NewField("rung", "", "name of the configuration", tails, func(t analysis.Tail) any { return t.Rung }),
		table.NewField("offered_rps", "1/s", "rate at which the tape offers requests", tails, func(t analysis.Tail) any { return t.OfferedRPS }),
		table.NewField("cells", "", "cells whose requests are pooled", tails, func(t analysis.Tail) any { return t.Cells }),
		table.NewField("fewest", "", "admitted requests in the smallest cell", tails, func(t analysis.Tail) any { return t.Fewest }),
		table.NewField("requests", "", "admitted requests in all", tails, func(t analysis.Tail) any { return t.E2E.N }),
		table.NewField("unanswered", "", "of these, not answered", tails, func(t analysis.Tail) any { return t.Unanswered }),
	}
	for _, q := range []struct {
		key  string
		of   func(analysis.Tail) stats.Quantile
		need func(analysis.Tail) int
	}{
		{"ttft_p99", func(t analysis.Tail) stats.Quantile { return t.TTFT }, func(t analysis.Tail) int { return t.NeedTTFT }},
		{"e2e_p99", func(t analysis.Tail) stats.Quantile { return t.E2E }, func(t analysis.Tail) int { return t.NeedE2E }},
	} {
		fields = append(fields,
			table.NewField(q.key+"_s", "s", "99th percentile of all requests", tails, func(t analysis.Tail) any { return table.NumberIf(q.of(t).Value, q.of(t).N > 0) }),
			table.NewField(q.key+"_s_is_lower_bound", "", "whether the true one is above it", tails, func(t analysis.Tail) any { return q.of(t).Censored }),
			table.NewField(q.key+"_s_ci95_lo", "s", "its 95% interval, from order statistics", tails, func(t analysis.Tail) any { return table.NumberIf(q.of(t).Lo, q.of(t).N > 0) }),
			table.NewField(q.key+"_s_ci95_hi", "s", "its upper end; null where nothing bounds it", tails, func(t analysis.Tail) any { return table.NumberIf(q.of(t).Hi, q.of(t).N > 0) }),
			table.NewField(q.key+"_needs", "", "requests that an upper end takes; null when no number will do", tails, func(t analysis.Tail) any {
				if n := q.need(t); n > 0 {
					return n
				}
				return nil
			}))
	}
	return fields
}
