// Package column has the columns that tables share: what names a rung at a rate, and a metric
// with its range over seeds, for readers and for machines.
package column

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Documented is a metric's unit and documentation: those of its key in summary.json,
// where it has one.
func Documented(m analysis.Metric) (name, doc string) {
	keys := results.SummaryKeys()
	if i := slices.IndexFunc(keys, func(c results.Column) bool { return c.Name == m.Key }); i >= 0 {
		return keys[i].Unit, keys[i].Doc
	}
	if m.Unit == unit.Seconds {
		return "s", m.Label
	}
	return "", m.Label
}

// Rung is the column that names each record's rung.
func Rung[T any](of func(T) string) table.Col[T] {
	return table.Text("rung", "rung", "name of the configuration", of)
}

// Offered is the column of each record's rate.
func Offered[T any](of func(T) float64) table.Col[T] {
	return table.Number("offered (rps)", "offered_rps", "1/s", "rate at which the tape offers requests", of, format.Short)
}

// Span is what machines get of a range over seeds or cells: its mean, its ends and, where
// asked, whether these are lower bounds.
func Span[T any](key, unit, doc, over string, bounds bool, of func(T) analysis.Range) []table.Col[T] {
	part := func(suffix, unit, doc string, pick func(analysis.Range) any) table.Col[T] {
		return table.Value(key+suffix, unit, doc, func(record T) any { return pick(of(record)) }).Where(func(record T) bool { return of(record).N > 0 })
	}
	columns := []table.Col[T]{
		part("", unit, "mean over "+over+": "+doc, func(r analysis.Range) any { return r.Mean }),
		part("_min", unit, "the least of these "+over, func(r analysis.Range) any { return r.Min }),
		part("_max", unit, "the largest of these "+over, func(r analysis.Range) any { return r.Max }),
	}
	if !bounds {
		return columns
	}
	return append(columns,
		part("_is_lower_bound", "", "whether the true mean and largest are above those given", func(r analysis.Range) any { return r.Bounds > 0 }),
		part("_min_is_lower_bound", "", "whether the true least is above the one given too", func(r analysis.Range) any { return r.Bounds == r.N }))
}

// Metric is a metric's column in one unit: means over seeds, with the range when
// spread asks for it.
func Metric(points []*analysis.Point, m analysis.Metric, spread bool) table.Col[*analysis.Point] {
	return MetricOf(points, m, spread, func(p *analysis.Point) *analysis.Point { return p })
}

// MetricOf is Metric for records that have a point.
func MetricOf[T any](records []T, m analysis.Metric, spread bool, point func(T) *analysis.Point) table.Col[T] {
	of := func(record T) analysis.Range { return point(record).Range(m) }
	sc := format.ScaleOf(m.Unit, Largest(records, func(record T) float64 { return of(record).Max }))
	show := sc.Mean
	if spread {
		show = sc.Spread
	}
	in, doc := Documented(m)
	bounds := m.Unit == unit.Seconds || slices.ContainsFunc(records, func(record T) bool { return of(record).Bounds > 0 })
	return table.Show(sc.Name(m.Label), func(record T) string { return show(of(record)) }, Span(m.Key, in, doc, "seeds", bounds, of)...)
}

// Metrics are the columns of several metrics, as means over seeds.
func Metrics(points []*analysis.Point, ms ...analysis.Metric) []table.Col[*analysis.Point] {
	return Each(ms, func(m analysis.Metric) table.Col[*analysis.Point] { return Metric(points, m, false) })
}

// Total is the column of a count over the cells of a point.
func Total(m analysis.Metric) table.Col[*analysis.Point] {
	_, doc := Documented(m)
	return table.Count(m.Label, m.Key, "total over the cells that count: "+doc, func(p *analysis.Point) int { return p.Total(m) })
}

// Outcomes are the columns of how arrivals ended.
func Outcomes() []table.Col[*analysis.Point] {
	return Each([]analysis.Metric{analysis.Completed, analysis.Shed, analysis.Timeouts, analysis.Failures}, Total)
}

// Points name a rung at an offered rate, and say what stands behind it.
func Points(valid func(*analysis.Point) string) []table.Col[*analysis.Point] {
	return []table.Col[*analysis.Point]{
		Rung(func(p *analysis.Point) string { return p.Rung }),
		Offered(func(p *analysis.Point) float64 { return p.OfferedRPS }),
		table.Count("seeds", "seeds", "seeds that were run", (*analysis.Point).Seeds),
		table.Value("cells", "", "cells that were run: seeds and their replicates", func(p *analysis.Point) any { return len(p.Cells) }),
		table.Show("valid", valid, table.Value("valid_cells", "", "those that are valid; they count, or all do when there is none", func(p *analysis.Point) any { return p.ValidCells() })),
		Requests(),
	}
}

// Requests is the column of how many requests arrived in the steady window.
func Requests() table.Col[*analysis.Point] {
	_, doc := Documented(analysis.Arrivals)
	return table.Count("requests", analysis.Arrivals.Key, "total over the cells that count: "+doc, func(p *analysis.Point) int { return p.Total(analysis.Arrivals) })
}

// PointKeys are the columns of Points that head a row: the seeds only where there are
// several.
func PointKeys(f caption.Facts) []string {
	if f.Seeds > 1 {
		return []string{"rung", "offered_rps", "seeds"}
	}
	return []string{"rung", "offered_rps"}
}

// PointsOf are the points of a sweep.
func PointsOf(s *analysis.Sweep) []*analysis.Point {
	points := make([]*analysis.Point, len(s.Points))
	for i := range s.Points {
		points[i] = &s.Points[i]
	}
	return points
}

// Occurring are the keys of the metrics that are measured and not zero somewhere.
func Occurring(points []*analysis.Point, ms ...analysis.Metric) (keys []string) {
	for _, m := range ms {
		if Occurs(points, m) {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

// Occurs says whether a metric is measured and not zero somewhere.
func Occurs(points []*analysis.Point, m analysis.Metric) bool {
	return slices.ContainsFunc(points, func(p *analysis.Point) bool { r := p.Range(m); return r.N > 0 && r.Max > 0 })
}

// Largest is the largest of a number of each record, or 0.
func Largest[T any](records []T, of func(T) float64) float64 {
	most := 0.0
	for _, record := range records {
		most = max(most, of(record))
	}
	return most
}

// Each is what of gives of each item.
func Each[T, V any](items []T, of func(T) V) []V {
	all := make([]V, len(items))
	for i, item := range items {
		all[i] = of(item)
	}
	return all
}
