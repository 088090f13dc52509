package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Anchors is one row per rate and metric of the rung that was measured again after all
// others; ok is false when none was.
func Anchors(s *analysis.Sweep, f caption.Facts) (t table.Table, ok bool) {
	if len(s.Anchors) == 0 {
		return table.Table{}, false
	}
	rep := cautions.Anchors(s)
	scales := map[string]format.Scale{}
	for _, r := range rep.Rows {
		of := slices.DeleteFunc(slices.Clone(rep.Rows), func(other cautions.AnchorRow) bool { return other.Key != r.Key })
		scales[r.Key] = format.ScaleOf(r.Unit, column.Largest(of, func(r cautions.AnchorRow) float64 { return max(r.First.Max, r.Anchor.Max) }))
	}
	first := func(r cautions.AnchorRow) analysis.Range { return r.First }
	anchor := func(r cautions.AnchorRow) analysis.Range { return r.Anchor }
	difference := func(r cautions.AnchorRow) analysis.Range { return r.Difference }
	t = table.New(f.Title("The same cells, measured again after all others"), f.Caption(), rep.Rows,
		column.Rung(func(r cautions.AnchorRow) string { return r.Rung }),
		column.Offered(func(r cautions.AnchorRow) float64 { return r.OfferedRPS }),
		table.Count("cells between", "cells_between", "cells measured between the two, at least", func(r cautions.AnchorRow) int { return r.Between }),
		table.Show("metric", func(r cautions.AnchorRow) string { return scales[r.Key].Name(r.Label) },
			table.Value("metric", "", "key of the metric", func(r cautions.AnchorRow) any { return r.Key })).Left(),
		table.Show("in its place", func(r cautions.AnchorRow) string { return scales[r.Key].Spread(r.First) },
			column.Span("first", "", "the metric in its place in the sweep, in the unit of its key", "seeds", true, first)...),
		table.Show("again, at the end", func(r cautions.AnchorRow) string { return scales[r.Key].Spread(r.Anchor) },
			column.Span("anchor", "", "the metric measured again after all others", "seeds", true, anchor)...),
		table.Show("difference", func(r cautions.AnchorRow) string { return percents(r.Difference) },
			column.Span("difference", "", "anchor over first, less one", "seeds", false, difference)...),
	)
	t.Name = "anchors"
	t.Notes = append(t.Notes, noiseFloor(rep, f))
	if rep.Void > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s left out: invalid, or without a valid first measurement.", format.Plural(rep.Void, "anchor")))
	}
	return t, true
}

// percents formats a range of relative differences.
func percents(r analysis.Range) string {
	if r.N == 0 {
		return table.Null
	}
	text := fmt.Sprintf("%+.1f%%", 100*r.Mean)
	lo, hi := fmt.Sprintf("%+.1f%%", 100*r.Min), fmt.Sprintf("%+.1f%%", 100*r.Max)
	if lo != hi {
		text += fmt.Sprintf(" (%s to %s)", lo, hi)
	}
	return text
}

// noiseFloor says in words what the differences mean.
func noiseFloor(rep cautions.AnchorReport, f caption.Facts) string {
	var parts []string
	for i, m := range cautions.AnchorMetrics() {
		if w := rep.Worst[i]; w.OK {
			parts = append(parts, fmt.Sprintf("%s by %+.1f%%", m.Label, 100*w.V))
		}
	}
	if parts == nil {
		return "No anchor could be compared with its first measurement."
	}
	text := "Nothing was changed between the two, so the difference is what comparing cells across the sweep costs. At most it was: " +
		strings.Join(parts, ", ") + ". A smaller difference between cells that were not measured side by side may be the machine's."
	if strings.Contains(f.Backend, caption.Backend("twin")) {
		text += " The twin has no machine that changes: its difference is the noise that it is given, and zero without."
	}
	return text
}
