package sweep

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Headline is one row per rung: its peak goodput, and its tail under the highest
// load that all rungs were offered.
func Headline(s *analysis.Sweep, f caption.Facts) table.Table {
	hs := knees.Headlines(s)
	tailLabel := "E2E p99 at the highest common rate"
	if len(hs) > 0 && hs[0].Tail.N > 0 {
		tailLabel = fmt.Sprintf("E2E p99 at %s rps", format.Short(hs[0].TailRPS))
	}
	goodput := func(h knees.Headline) analysis.Range { return h.Goodput }
	ttft := func(h knees.Headline) analysis.Range { return h.TTFT }
	tail := func(h knees.Headline) analysis.Range { return h.Tail }
	perS := format.ScaleOf(unit.PerSecond, 0)
	ttftScale := format.ScaleOf(unit.Seconds, column.Largest(hs, func(h knees.Headline) float64 { return h.TTFT.Max }))
	tailScale := format.ScaleOf(unit.Seconds, column.Largest(hs, func(h knees.Headline) float64 { return h.Tail.Max }))
	t := table.New(f.Title("The ladder in one table"), f.Caption(), hs,
		column.Rung(func(h knees.Headline) string { return h.Rung }),
		table.Show(perS.Name("peak goodput"), func(h knees.Headline) string { return perS.Spread(h.Goodput) },
			column.Span("peak_goodput_rps", "1/s", "the highest goodput over the offered rates", "seeds", false, goodput)...),
		table.Number("at offered (rps)", "peak_offered_rps", "1/s", "the offered rate of the peak; null when no cell of the rung is valid",
			func(h knees.Headline) float64 { return h.Peak.OfferedRPS }, format.Short).Where(func(h knees.Headline) bool { return h.Peak != nil }),
		table.Number("× the rung below", "gain", "", "peak_goodput_rps over that of the rung below; null without one",
			func(h knees.Headline) float64 { return h.Gain }, format.Sig3).Where(func(h knees.Headline) bool { return h.Gain != 0 }),
		table.Show(ttftScale.Name("TTFT p50 there"), func(h knees.Headline) string { return ttftScale.Mean(h.TTFT) },
			column.Span("peak_ttft_p50_s", "s", "median TTFT at the peak", "seeds", true, ttft)...),
		table.Value("common_offered_rps", "1/s", "the highest rate that every rung was offered", func(h knees.Headline) any { return h.TailRPS }).
			Where(func(h knees.Headline) bool { return h.Tail.N > 0 }),
		table.Show(tailScale.Name(tailLabel), func(h knees.Headline) string {
			if h.Tail.Thin {
				return tailScale.Spread(h.Tail) + thin
			}
			return tailScale.Spread(h.Tail)
		}, column.Span("common_e2e_p99_s", "s", "p99 E2E at common_offered_rps", "seeds", true, tail)...),
	)
	t.Notes = []string{"Peak goodput is the highest over the offered rates that were run; “>” is a lower bound. Invalid cells do not count."}
	if note := mixedNote(s); note != "" {
		t.Notes = append(t.Notes, note)
	}
	if slices.ContainsFunc(hs, func(h knees.Headline) bool { return h.Tail.Thin }) {
		t.Notes = append(t.Notes, thinNote())
	}
	if v := Voided(s); v != "" {
		t.Notes = append(t.Notes, v+".")
	}
	return t
}
