package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Scale is how a column shows its numbers.
type Scale struct {
	Unit   string // "" when the name says enough
	Factor float64
	Suffix string // after every number
	Whole  bool
}

// ScaleOf chooses a column's scale from its largest number, so that all cells of
// a column share a unit.
func ScaleOf(u unit.Unit, largest float64) Scale {
	switch u {
	case unit.Count:
		return Scale{Factor: 1, Whole: true}
	case unit.PerSecond:
		return Scale{Unit: "rps", Factor: 1}
	case unit.TokensPerS:
		return Scale{Unit: "tok/s", Factor: 1}
	case unit.Plain:
		return Scale{Factor: 1}
	case unit.Fraction:
		return Scale{Factor: 100, Suffix: "%"}
	default:
		if largest < 1 {
			return Scale{Unit: "ms", Factor: 1e3}
		}
		return Scale{Unit: "s", Factor: 1}
	}
}

// Name is a column's heading, with its unit.
func (s Scale) Name(label string) string {
	if s.Unit == "" {
		return label
	}
	return fmt.Sprintf("%s (%s)", label, s.Unit)
}

// Format formats a number in the unit of the scale.
func (s Scale) Format(v float64) string {
	if s.Whole {
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	return Sig3(v*s.Factor) + s.Suffix
}

// Bounded formats a number or, with ">", a lower bound.
func (s Scale) Bounded(v float64, bound bool) string {
	if bound {
		return ">" + Short(v*s.Factor) + s.Suffix
	}
	return s.Format(v)
}

// Mean formats a range's mean.
func (s Scale) Mean(r analysis.Range) string {
	if r.N == 0 {
		return table.Null
	}
	return s.Bounded(r.Mean, r.Bounds > 0)
}

// Spread formats a range as "mean (min–max)", or as its mean alone when that says
// as much.
func (s Scale) Spread(r analysis.Range) string {
	lo, hi := s.Bounded(r.Min, r.Bounds == r.N), s.Bounded(r.Max, r.Bounds > 0)
	if r.N < 2 || lo == hi {
		return s.Mean(r)
	}
	return fmt.Sprintf("%s (%s–%s)", s.Mean(r), lo, hi)
}

// Superscript is the mark of the n-th footnote.
func Superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, d := range strconv.Itoa(n) {
		b.WriteRune(digits[d-'0'])
	}
	return b.String()
}

// Interval formats a quantile with its 95% interval.
func (s Scale) Interval(q stats.Quantile) string {
	if q.N == 0 {
		return table.Null
	}
	hi := "∞"
	if !math.IsInf(q.Hi, 1) {
		hi = s.Format(q.Hi)
	}
	return fmt.Sprintf("%s [%s, %s]", s.Bounded(q.Value, q.Censored), s.Format(q.Lo), hi)
}

// Growth formats a share as a percentage with its sign.
func Growth(v float64) string {
	switch {
	case math.IsInf(v, 0):
		return map[bool]string{true: "+∞", false: "−∞"}[v > 0]
	case math.Abs(v) < 0.0005:
		return "0%"
	}
	digits := 0
	if math.Abs(v) < 0.0995 {
		digits = 1
	}
	text := strconv.FormatFloat(100*math.Abs(v), 'f', digits, 64) + "%"
	if v < 0 {
		return "−" + text
	}
	return "+" + text
}

// GrowthSpan formats an interval of signed shares.
func GrowthSpan(lo, hi float64) string {
	return fmt.Sprintf("[%s, %s]", Growth(lo), Growth(hi))
}

// Value formats a metric of one cell.
func (s Scale) Value(v analysis.Value) string {
	if !v.OK {
		return table.Null
	}
	return s.Bounded(v.V, v.Bound)
}

// Plural counts things.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Capital begins a sentence.
func Capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// WithUnit formats a number that stands alone.
func (s Scale) WithUnit(v float64) string {
	if s.Unit == "" {
		return s.Format(v)
	}
	return s.Format(v) + " " + s.Unit
}
