package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Anchors is one row per rate and metric of the rung that was measured again after all
// others; ok is false when none was.
func Anchors(s *analysis.Sweep, f Facts) (t Table, ok bool) {
	if len(s.Anchors) == 0 {
		return Table{}, false
	}
	rep := s.AnchorsOf()
	t = Table{Name: "anchors", Title: f.title("The same cells, measured again after all others"), Caption: f.Caption(), Columns: []Column{
		{Name: "rung", Left: true}, {Name: "offered (rps)"}, {Name: "cells between"}, {Name: "metric", Left: true},
		{Name: "in its place"}, {Name: "again, at the end"}, {Name: "difference"},
	}}
	scales := map[string]scale{}
	for _, r := range rep.Rows {
		scales[r.Key] = scaleOf(r.Unit, max(largest(rep.Rows, r.Key), r.First.Max))
	}
	for _, r := range rep.Rows {
		sc := scales[r.Key]
		t.Rows = append(t.Rows, []string{
			r.Rung, short(r.OfferedRPS), strconv.Itoa(r.Between), sc.name(r.Label), sc.spread(r.First), sc.spread(r.Anchor), percents(r.Difference),
		})
	}
	t.Fields = anchorFields(rep.Rows)
	t.Notes = append(t.Notes, noiseFloor(rep, f))
	if rep.Void > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s left out: invalid, or without a valid first measurement.", plural(rep.Void, "anchor")))
	}
	return t, true
}

func anchorFields(rows []analysis.AnchorRow) []Field {
	fields := []Field{
		table.NewField("rung", "", "name of the configuration", rows, func(r analysis.AnchorRow) any { return r.Rung }),
		table.NewField("offered_rps", "1/s", "rate at which the tape offers requests", rows, func(r analysis.AnchorRow) any { return r.OfferedRPS }),
		table.NewField("cells_between", "", "cells measured between the two, at least", rows, func(r analysis.AnchorRow) any { return r.Between }),
		table.NewField("metric", "", "key of the metric", rows, func(r analysis.AnchorRow) any { return r.Key }),
	}
	fields = append(fields, spanFields("first", "", "the metric in its place in the sweep, in the unit of its key", "seeds", true, rows, func(r analysis.AnchorRow) analysis.Range { return r.First })...)
	fields = append(fields, spanFields("anchor", "", "the metric measured again after all others", "seeds", true, rows, func(r analysis.AnchorRow) analysis.Range { return r.Anchor })...)
	return append(fields, spanFields("difference", "", "anchor over first, less one", "seeds", false, rows, func(r analysis.AnchorRow) analysis.Range { return r.Difference })...)
}

func largest(rows []analysis.AnchorRow, key string) float64 {
	v := 0.0
	for _, r := range rows {
		if r.Key == key {
			v = max(v, r.First.Max, r.Anchor.Max)
		}
	}
	return v
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
func noiseFloor(rep analysis.AnchorReport, f Facts) string {
	var parts []string
	for i, m := range analysis.AnchorMetrics() {
		if w := rep.Worst[i]; w.OK {
			parts = append(parts, fmt.Sprintf("%s by %+.1f%%", m.Label, 100*w.V))
		}
	}
	if parts == nil {
		return "No anchor could be compared with its first measurement."
	}
	text := "Nothing was changed between the two, so the difference is what comparing cells across the sweep costs. At most it was: " +
		strings.Join(parts, ", ") + ". A smaller difference between cells that were not measured side by side may be the machine's."
	if strings.Contains(f.Backend, backend("twin")) {
		text += " The twin has no machine that changes: its difference is the noise that it is given, and zero without."
	}
	return text
}
