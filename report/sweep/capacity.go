package sweep

import (
	"fmt"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

const capacityNote = "Every request of the tape was answered. At least: prompt rows at the speed at which the idle engine prefilled 16 or more of the tape's prompts in steps of 512 rows, and decode rows at the speed of the rung's full batch, both measured right before the cell. " +
	"Where the rung caches, a beginning that prompts share counts once. Share of the roofline: that time over the time taken; what is missing is mostly batches that are not full when the last answers end. A server's roofline is that of the cells beside it. Median (least–most) over cells."

// capacity sets each rung's burst beside its roofline; false where none was measured.
func capacity(s *analysis.Sweep, f caption.Facts) (table.Table, bool) {
	all := s.Capacities()
	if len(all) == 0 {
		return table.Table{}, false
	}
	type row = analysis.Capacity
	t := table.New(f.Title("How near each rung is to its roofline"), f.Caption(), all,
		column.Rung(func(c row) string { return c.Rung }),
		table.Count("cells", "cells", "cells in which every request was answered", func(c row) int { return len(c.Took) }),
		table.Count("requests", "requests", "requests of a cell", func(c row) int { return c.Used()[0].Rows }),
		repeated("last answer after", "took", unit.Seconds, "until the last answer", func(c row) []float64 { return c.Took }),
		repeated("at least", "least", unit.Seconds, "that the engine takes for the work at least", func(c row) []float64 { return c.Least }),
		repeated("share of the roofline", "roofline_share", unit.Fraction, "least time over time taken, cell by cell", func(c row) []float64 { return c.Share }),
		repeated("rows computed", "rows", unit.Count, "rows that the engine computed; null for a server", func(c row) []float64 { return c.Rows }),
		table.Count("rows at least", "least_rows", "rows that the work takes at least", func(c row) int { return c.LeastRows }),
	)
	t.Name, t.Notes = "capacity", []string{capacityNote}
	return t, true
}

// repeated is the column of a figure that was measured once in each cell.
func repeated(heading, key string, u unit.Unit, doc string, of func(analysis.Capacity) []float64) table.Col[analysis.Capacity] {
	sc := format.ScaleOf(u, 1)
	in := map[unit.Unit]string{unit.Seconds: "s", unit.Count: "rows"}[u]
	has := func(c analysis.Capacity) bool { return len(of(c)) > 0 }
	return table.Show(sc.Name(heading), func(c analysis.Capacity) string {
		all := of(c)
		lo, hi, median := slices.Min(all), slices.Max(all), stats.Median(all)
		if lo == hi {
			return sc.Format(median)
		}
		return fmt.Sprintf("%s (%s–%s)", sc.Format(median), sc.Format(lo), sc.Format(hi))
	},
		table.Value(key, in, "median: "+doc, func(c analysis.Capacity) any { return stats.Median(of(c)) }).Where(has),
		table.Value(key+"_min", in, "the least of these", func(c analysis.Capacity) any { return slices.Min(of(c)) }).Where(has),
		table.Value(key+"_max", in, "the most", func(c analysis.Capacity) any { return slices.Max(of(c)) }).Where(has)).Where(has)
}
