package compared

import (
	"fmt"
	"math"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// deltas is one row per rung, rate and metric.
func deltas(c *compare.Comparison, f caption.Facts) table.Table {
	type line struct {
		compare.Delta
		point  compare.Versus
		scale  format.Scale
		record DeltaRecord
		mark   string
	}
	var lines []line
	var notes []string
	marks := map[string]string{}
	for _, p := range c.Points {
		for _, d := range p.Deltas {
			sc := format.ScaleOf(d.Unit, max(d.A.Max, d.B.Max))
			if d.A.N+d.B.N == 0 {
				sc = format.ScaleOf(d.Unit, math.Abs(finite(d.Point)))
			}
			if d.Reason != "" && marks[d.Reason] == "" {
				m := format.Superscript(len(marks) + 1)
				marks[d.Reason] = " " + m
				notes = append(notes, fmt.Sprintf("%s %s.", m, d.Reason))
			}
			lines = append(lines, line{d, p, sc, deltaRecord(d), marks[d.Reason]})
		}
	}
	number := func(key, unit, doc string, of func(DeltaRecord) results.Opt[float64]) table.Col[line] {
		return table.Value(key, unit, doc, func(l line) any { return of(l.record) })
	}
	t := table.New(f.Title("B against A, metric by metric"), f.Caption(), lines,
		table.Show("rung", func(l line) string { return versus(l.point) },
			table.Value("rung_a", "", "rung of A", func(l line) any { return l.point.RungA }),
			table.Value("rung_b", "", "rung of B", func(l line) any { return l.point.RungB })).Left(),
		column.Offered(func(l line) float64 { return l.point.OfferedRPS }),
		table.Value("seeds", "", "seeds that both have", func(l line) any { return strings.Trim(fmt.Sprint(l.point.Seeds), "[]") }),
		table.Value("pairs", "", "requests that both have", func(l line) any { return l.point.Requests }),
		table.Show("metric", func(l line) string { return l.scale.Name(l.Label) },
			table.Value("metric", "", "key of the metric", func(l line) any { return l.Key }),
			table.Value("relative", "", "whether differences are B/A − 1; else they are B − A in the metric's unit", func(l line) any { return l.Relative })).Left(),
		table.Show("A", func(l line) string { return l.scale.Mean(l.A) }, number("a", "", "mean of A over seeds", func(r DeltaRecord) results.Opt[float64] { return r.A })),
		table.Show("B", func(l line) string { return l.scale.Mean(l.B) }, number("b", "", "mean of B over seeds", func(r DeltaRecord) results.Opt[float64] { return r.B })),
		table.Value("a_is_lower_bound", "", "whether the true mean of A is above the one given", func(l line) any { return l.record.ABound }),
		table.Value("b_is_lower_bound", "", "whether that of B is", func(l line) any { return l.record.BBound }),
		table.Show("B − A", func(l line) string { return change(l.Delta, l.scale, l.Point) },
			number("delta_lo", "", "the difference; below delta_hi where it is a bound", func(r DeltaRecord) results.Opt[float64] { return r.DeltaLo }),
			number("delta_hi", "", "the difference", func(r DeltaRecord) results.Opt[float64] { return r.DeltaHi })),
		table.Show("95% interval", func(l line) string { return ends(l.Delta, l.scale, l.Interval) },
			number("ci95_lo", "", "its 95% interval", func(r DeltaRecord) results.Opt[float64] { return r.Lo }),
			number("ci95_hi", "", "its upper end", func(r DeltaRecord) results.Opt[float64] { return r.Hi })),
		table.Show("B is", func(l line) string { return string(l.Finding) + l.mark },
			table.Value("finding", "", "what B is, against A", func(l line) any { return string(l.Finding) }),
			table.Value("reason", "", "why nobody can tell", func(l line) any { return l.Reason })).Left(),
		table.Show("could have shown", func(l line) string { return size(l.Delta, l.scale) },
			number("could_have_shown", "", "the smallest difference that the sample would find", func(r DeltaRecord) results.Opt[float64] { return r.Smallest })))
	t.Notes = append(notes,
		"A and B are means over seeds; B − A is of the pairs: the mean over seeds of the difference or, where it has a %, of the ratio (of the share, in points: pp). “>” and “<” are bounds that unanswered requests leave.",
		fmt.Sprintf("Could have shown: the smallest difference that a sample with such an interval finds in %.0f%% of cases.", 100*compare.Power))
	return t
}

// finite is an end of the span that is a number, or 0.
func finite(s stats.Interval) float64 {
	for _, v := range []float64{s.Lo, s.Hi} {
		if !math.IsInf(v, 0) {
			return v
		}
	}
	return 0
}

// signed formats one difference in the scale of its contrast.
func signed(d compare.Delta, sc format.Scale, v float64) string {
	sign := "+"
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	case v < 0:
		sign = "−"
	}
	if v == 0 {
		sign = ""
	}
	return sign + amount(d, sc, v)
}

// amount is a difference without its sign.
func amount(d compare.Delta, sc format.Scale, v float64) string {
	switch {
	case d.Relative:
		return format.Sig3(100*math.Abs(math.Expm1(v))) + "%"
	case d.Unit == unit.Fraction:
		return format.Sig3(100*math.Abs(v)) + " pp"
	}
	return format.Sig3(math.Abs(v) * sc.Factor)
}

// change formats a difference that may only be known to be above or below a number.
func change(d compare.Delta, sc format.Scale, s stats.Interval) string {
	switch lo, hi := math.IsInf(s.Lo, -1), math.IsInf(s.Hi, 1); {
	case lo && hi:
		return table.Null
	case hi:
		return ">" + signed(d, sc, s.Lo)
	case lo:
		return "<" + signed(d, sc, s.Hi)
	case s.Lo != s.Hi:
		return ends(d, sc, s)
	}
	return signed(d, sc, s.Lo)
}

func ends(d compare.Delta, sc format.Scale, s stats.Interval) string {
	if math.IsInf(s.Lo, -1) && math.IsInf(s.Hi, 1) {
		return table.Null
	}
	return signed(d, sc, s.Lo) + " … " + signed(d, sc, s.Hi)
}

// size formats the smallest effect; a ratio is not as far up as down.
func size(d compare.Delta, sc format.Scale) string {
	if math.IsInf(d.Smallest, 0) || math.IsNaN(d.Smallest) {
		return table.Null
	}
	if d.Relative {
		return signed(d, sc, d.Smallest) + " / " + signed(d, sc, -d.Smallest)
	}
	return "±" + amount(d, sc, d.Smallest)
}
