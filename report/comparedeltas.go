package report

import (
	"fmt"
	"math"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// deltas is one row per rung, rate and metric.
func deltas(c *analysis.Comparison, f Facts) Table {
	var rung, rate, metric, a, b, delta, interval, finding, least []string
	var notes []string
	marks := map[string]string{}
	mark := func(reason string) string {
		if marks[reason] == "" {
			marks[reason] = superscript(len(marks) + 1)
			notes = append(notes, fmt.Sprintf("%s %s.", marks[reason], reason))
		}
		return marks[reason]
	}
	for _, p := range c.Points {
		for _, d := range p.Deltas {
			sc := scaleOf(d.Unit, max(d.A.Max, d.B.Max))
			if d.A.N+d.B.N == 0 {
				sc = scaleOf(d.Unit, math.Abs(finite(d.Point)))
			}
			rung, rate, metric = append(rung, versus(p)), append(rate, short(p.OfferedRPS)), append(metric, sc.name(d.Label))
			a, b = append(a, sc.mean(d.A)), append(b, sc.mean(d.B))
			delta = append(delta, change(d, sc, d.Point))
			interval = append(interval, ends(d, sc, d.Interval))
			least = append(least, size(d, sc))
			text := string(d.Finding)
			if d.Reason != "" {
				text += " " + mark(d.Reason)
			}
			finding = append(finding, text)
		}
	}
	t := table.Of(f.title("B against A, metric by metric"), f.Caption(), []table.Col{
		table.Left("rung", rung), table.Right("offered (rps)", rate), table.Left("metric", metric), table.Right("A", a), table.Right("B", b),
		table.Right("B − A", delta), table.Right("95% interval", interval), table.Left("B is", finding), table.Right("could have shown", least),
	})
	t.Notes = append(notes,
		"A and B are means over seeds; B − A is of the pairs: the mean over seeds of the difference or, where it has a %, of the ratio (of the share, in points: pp). “>” and “<” are bounds that unanswered requests leave.",
		fmt.Sprintf("Could have shown: the smallest difference that a sample with such an interval finds in %.0f%% of cases.", 100*analysis.Power))
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
func signed(d analysis.Delta, sc scale, v float64) string {
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
func amount(d analysis.Delta, sc scale, v float64) string {
	switch {
	case d.Relative:
		return sig3(100*math.Abs(math.Expm1(v))) + "%"
	case d.Unit == analysis.Fraction:
		return sig3(100*math.Abs(v)) + " pp"
	}
	return sig3(math.Abs(v) * sc.factor)
}

// change formats a difference that may only be known to be above or below a number.
func change(d analysis.Delta, sc scale, s stats.Interval) string {
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

func ends(d analysis.Delta, sc scale, s stats.Interval) string {
	if math.IsInf(s.Lo, -1) && math.IsInf(s.Hi, 1) {
		return table.Null
	}
	return signed(d, sc, s.Lo) + " … " + signed(d, sc, s.Hi)
}

// size formats the smallest effect; a ratio is not as far up as down.
func size(d analysis.Delta, sc scale) string {
	if math.IsInf(d.Smallest, 0) || math.IsNaN(d.Smallest) {
		return table.Null
	}
	if d.Relative {
		return signed(d, sc, d.Smallest) + " / " + signed(d, sc, -d.Smallest)
	}
	return "±" + amount(d, sc, d.Smallest)
}
