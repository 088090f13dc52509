package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// scale is how a column shows its numbers.
type scale struct {
	unit   string // "" when the name says enough
	factor float64
	suffix string // after every number
	whole  bool
}

// scaleOf chooses a column's scale from its largest number, so that all cells of
// a column share a unit.
func scaleOf(u analysis.Unit, largest float64) scale {
	switch u {
	case analysis.Count:
		return scale{factor: 1, whole: true}
	case analysis.PerSecond:
		return scale{unit: "rps", factor: 1}
	case analysis.TokensPerS:
		return scale{unit: "tok/s", factor: 1}
	case analysis.Plain:
		return scale{factor: 1}
	case analysis.Fraction:
		return scale{factor: 100, suffix: "%"}
	default:
		if largest < 1 {
			return scale{unit: "ms", factor: 1e3}
		}
		return scale{unit: "s", factor: 1}
	}
}

func (s scale) name(label string) string {
	if s.unit == "" {
		return label
	}
	return fmt.Sprintf("%s (%s)", label, s.unit)
}

func (s scale) format(v float64) string {
	if s.whole {
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	return format.Sig3(v*s.factor) + s.suffix
}

// bounded formats a number or, with ">", a lower bound.
func (s scale) bounded(v float64, bound bool) string {
	if bound {
		return ">" + format.Short(v*s.factor) + s.suffix
	}
	return s.format(v)
}

// mean formats a range's mean.
func (s scale) mean(r analysis.Range) string {
	if r.N == 0 {
		return table.Null
	}
	return s.bounded(r.Mean, r.Bounds > 0)
}

// spread formats a range as "mean (min–max)", or as its mean alone when that says
// as much.
func (s scale) spread(r analysis.Range) string {
	lo, hi := s.bounded(r.Min, r.Bounds == r.N), s.bounded(r.Max, r.Bounds > 0)
	if r.N < 2 || lo == hi {
		return s.mean(r)
	}
	return fmt.Sprintf("%s (%s–%s)", s.mean(r), lo, hi)
}

// superscript is the mark of the n-th footnote.
func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, d := range strconv.Itoa(n) {
		b.WriteRune(digits[d-'0'])
	}
	return b.String()
}
