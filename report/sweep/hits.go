package sweep

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/table"
)

const hitsNote = "Token-level: prompt tokens that were served from the prefix cache, once per request, over the prompt tokens of the requests that started. " +
	"The ceiling is what a cache without bounds could have served of the very same requests: the shared system prompt of each but the first of its group to start in the cell, " +
	"to the token, where the cache matches whole blocks. “" + table.Null + "”: the run's files do not say how much is shared."

// Hits is the measured hit rate beside its ceiling, a row per offered rate and rung
// with a prefix cache. ok is false when the sweep has none.
func Hits(s *analysis.Sweep, f caption.Facts) (t table.Table, ok bool) {
	var points []*analysis.Point
	for _, rate := range s.Rates {
		for _, rung := range s.Rungs {
			if p := s.Find(rung, rate); p != nil && p.Range(analysis.HitRate).N > 0 {
				points = append(points, p)
			}
		}
	}
	if len(points) == 0 {
		return table.Table{}, false
	}
	notes := &footnotes{}
	shown := []string{"offered_rps", "rung", "arrivals", "hit_rate", "hit_ceiling", "hit_of_ceiling"}
	valid := map[*analysis.Point]string{}
	if slices.ContainsFunc(points, func(p *analysis.Point) bool { return p.ValidCells() < len(p.Cells) }) {
		valid, shown = validities(points, notes), append(shown, "valid_cells")
	}
	columns := append(column.Points(func(p *analysis.Point) string { return valid[p] }),
		column.Metric(points, analysis.HitRate, true), column.Metric(points, analysis.HitCeiling, true), column.Metric(points, analysis.HitReached, true))
	t = table.New("Prefix-cache hits beside their ceiling", f.Caption(), points, columns...).Shown(shown...)
	t.Notes = append([]string{hitsNote}, notes.all()...)
	return t, true
}
