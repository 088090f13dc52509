package report

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Headline is one row per rung: its peak goodput, and its tail under the highest
// load that all rungs were offered.
func Headline(s *analysis.Sweep, f Facts) Table {
	hs := s.Headlines()
	names := func(of func(analysis.Headline) string) []string {
		cells := make([]string, len(hs))
		for i, h := range hs {
			cells[i] = of(h)
		}
		return cells
	}
	ttft, tail := 0.0, 0.0
	for _, h := range hs {
		ttft, tail = max(ttft, h.TTFT.Max), max(tail, h.Tail.Max)
	}
	perS, ttftScale, tailScale := scaleOf(analysis.PerSecond, 0), scaleOf(analysis.Seconds, ttft), scaleOf(analysis.Seconds, tail)
	tailLabel := "E2E p99 at the highest common rate"
	if len(hs) > 0 && hs[0].Tail.N > 0 {
		tailLabel = fmt.Sprintf("E2E p99 at %s rps", short(hs[0].TailRPS))
	}
	t := table.Of(f.title("The ladder in one table"), f.Caption(), []table.Col{
		table.Left("rung", names(func(h analysis.Headline) string { return h.Rung })),
		table.Right(perS.name("peak goodput"), names(func(h analysis.Headline) string { return perS.spread(h.Goodput) })),
		table.Right("at offered (rps)", names(func(h analysis.Headline) string {
			if h.Peak == nil {
				return table.Null
			}
			return short(h.Peak.OfferedRPS)
		})),
		table.Right("× the rung below", names(func(h analysis.Headline) string {
			if h.Gain == 0 {
				return table.Null
			}
			return sig3(h.Gain)
		})),
		table.Right(ttftScale.name("TTFT p50 there"), names(func(h analysis.Headline) string { return ttftScale.mean(h.TTFT) })),
		table.Right(tailScale.name(tailLabel), names(func(h analysis.Headline) string {
			if h.Tail.Thin {
				return tailScale.spread(h.Tail) + thin
			}
			return tailScale.spread(h.Tail)
		})),
	})
	t.Fields = headlineFields(hs)
	t.Notes = []string{"Peak goodput is the highest over the offered rates that were run; “>” is a lower bound. Invalid cells do not count."}
	if note := mixedNote(s); note != "" {
		t.Notes = append(t.Notes, note)
	}
	if slices.ContainsFunc(hs, func(h analysis.Headline) bool { return h.Tail.Thin }) {
		t.Notes = append(t.Notes, thinNote())
	}
	if v := voided(s); v != "" {
		t.Notes = append(t.Notes, v+".")
	}
	return t
}
