package report

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// documented is a metric's unit and documentation: those of its key in summary.json,
// where it has one.
func documented(m analysis.Metric) (unit, doc string) {
	keys := results.SummaryKeys()
	if i := slices.IndexFunc(keys, func(c results.Column) bool { return c.Name == m.Key }); i >= 0 {
		return keys[i].Unit, keys[i].Doc
	}
	if m.Unit == analysis.Seconds {
		return "s", m.Label
	}
	return "", m.Label
}

// rung is the column that names each record's rung.
func rung[T any](of func(T) string) table.Col[T] {
	return table.Text("rung", "rung", "name of the configuration", of)
}

// offered is the column of each record's rate.
func offered[T any](of func(T) float64) table.Col[T] {
	return table.Number("offered (rps)", "offered_rps", "1/s", "rate at which the tape offers requests", of, format.Short)
}

// known is what of gives where there is something to give, else null.
func known[T any](there func(T) bool, of func(T) any) func(T) any {
	return func(record T) any {
		if !there(record) {
			return nil
		}
		return of(record)
	}
}

// span is what machines get of a range over seeds or cells: its mean, its ends and, where
// asked, whether these are lower bounds.
func span[T any](key, unit, doc, over string, bounds bool, of func(T) analysis.Range) []table.Col[T] {
	number := func(pick func(analysis.Range) float64) func(T) any {
		return func(record T) any { r := of(record); return table.NumberIf(pick(r), r.N > 0) }
	}
	truth := func(pick func(analysis.Range) bool) func(T) any {
		return known(func(record T) bool { return of(record).N > 0 }, func(record T) any { return pick(of(record)) })
	}
	columns := []table.Col[T]{
		table.Value(key, unit, "mean over "+over+": "+doc, number(func(r analysis.Range) float64 { return r.Mean })),
		table.Value(key+"_min", unit, "the least of these "+over, number(func(r analysis.Range) float64 { return r.Min })),
		table.Value(key+"_max", unit, "the largest of these "+over, number(func(r analysis.Range) float64 { return r.Max })),
	}
	if !bounds {
		return columns
	}
	return append(columns,
		table.Value(key+"_is_lower_bound", "", "whether the true mean and largest are above those given", truth(func(r analysis.Range) bool { return r.Bounds > 0 })),
		table.Value(key+"_min_is_lower_bound", "", "whether the true least is above the one given too", truth(func(r analysis.Range) bool { return r.Bounds == r.N })))
}

// metric is a metric's column in one unit: means over seeds, with the range when
// spread asks for it.
func metric(points []*analysis.Point, m analysis.Metric, spread bool) table.Col[*analysis.Point] {
	return metricOf(points, m, spread, func(p *analysis.Point) *analysis.Point { return p })
}

// metricOf is metric for records that have a point.
func metricOf[T any](records []T, m analysis.Metric, spread bool, point func(T) *analysis.Point) table.Col[T] {
	of := func(record T) analysis.Range { return point(record).Range(m) }
	sc := scaleOf(m.Unit, largest(records, func(record T) float64 { return of(record).Max }))
	show := sc.mean
	if spread {
		show = sc.spread
	}
	unit, doc := documented(m)
	bounds := m.Unit == analysis.Seconds || slices.ContainsFunc(records, func(record T) bool { return of(record).Bounds > 0 })
	return table.Show(sc.name(m.Label), func(record T) string { return show(of(record)) }, span(m.Key, unit, doc, "seeds", bounds, of)...)
}

// metrics are the columns of several metrics, as means over seeds.
func metrics(points []*analysis.Point, ms ...analysis.Metric) []table.Col[*analysis.Point] {
	return textsOf(ms, func(m analysis.Metric) table.Col[*analysis.Point] { return metric(points, m, false) })
}

// total is the column of a count over the cells of a point.
func total(m analysis.Metric) table.Col[*analysis.Point] {
	_, doc := documented(m)
	return table.Count(m.Label, m.Key, "total over the cells that count: "+doc, func(p *analysis.Point) int { return p.Total(m) })
}

// outcomes are the columns of how arrivals ended.
func outcomes() []table.Col[*analysis.Point] {
	return textsOf([]analysis.Metric{analysis.Completed, analysis.Shed, analysis.Timeouts, analysis.Failures}, total)
}

// pointColumns name a rung at an offered rate, and say what stands behind it.
func pointColumns(valid func(*analysis.Point) string) []table.Col[*analysis.Point] {
	return []table.Col[*analysis.Point]{
		rung(func(p *analysis.Point) string { return p.Rung }),
		offered(func(p *analysis.Point) float64 { return p.OfferedRPS }),
		table.Count("seeds", "seeds", "seeds that were run", (*analysis.Point).Seeds),
		table.Value("cells", "", "cells that were run: seeds and their replicates", func(p *analysis.Point) any { return len(p.Cells) }),
		table.Show("valid", valid, table.Value("valid_cells", "", "those that are valid; they count, or all do when there is none", func(p *analysis.Point) any { return p.ValidCells() })),
		requests(),
	}
}

func requests() table.Col[*analysis.Point] {
	_, doc := documented(analysis.Arrivals)
	return table.Count("requests", analysis.Arrivals.Key, "total over the cells that count: "+doc, func(p *analysis.Point) int { return p.Total(analysis.Arrivals) })
}

// pointKeys are the columns of pointColumns that head a row: the seeds only where there are
// several.
func pointKeys(f Facts) []string {
	if f.Seeds > 1 {
		return []string{"rung", "offered_rps", "seeds"}
	}
	return []string{"rung", "offered_rps"}
}

func pointsOf(s *analysis.Sweep) []*analysis.Point {
	points := make([]*analysis.Point, len(s.Points))
	for i := range s.Points {
		points[i] = &s.Points[i]
	}
	return points
}

// occurring are the keys of the metrics that are measured and not zero somewhere.
func occurring(points []*analysis.Point, ms ...analysis.Metric) (keys []string) {
	for _, m := range ms {
		if occurs(points, m) {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

func occurs(points []*analysis.Point, m analysis.Metric) bool {
	return slices.ContainsFunc(points, func(p *analysis.Point) bool { r := p.Range(m); return r.N > 0 && r.Max > 0 })
}

// largest is the largest of a number of each record, or 0.
func largest[T any](records []T, of func(T) float64) float64 {
	most := 0.0
	for _, record := range records {
		most = max(most, of(record))
	}
	return most
}
