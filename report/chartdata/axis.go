package chartdata

import (
	"math"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis"
)

// number formats a setting, such as a rate or an SLO, as it was given.
func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func lastRate(s *analysis.Sweep) float64 {
	if len(s.Rates) == 0 {
		return 1
	}
	return s.Rates[len(s.Rates)-1]
}

func rateAxis(s *analysis.Sweep) Axis {
	return Axis{Label: rateLabel, Unit: RPS, Max: lastRate(s) * 1.05}
}

// extent is the range of the points' Y with their bands, of those above zero if
// positive. ok is false when there is none.
func extent(all []Series, positive bool) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, l := range all {
		for _, p := range l.Points {
			low, high := p.Y, p.Y
			if p.Band != nil {
				low, high = p.Band.Min, p.Band.Max
			}
			if positive && low <= 0 {
				low = p.Y
			}
			if positive && low <= 0 {
				continue
			}
			lo, hi, ok = min(lo, low), max(hi, high), true
		}
	}
	return lo, hi, ok
}

// logAxis holds the series' Y, with room for the arrows of bounds.
func logAxis(label string, all []Series) Axis {
	a := Axis{Label: label, Unit: Seconds, Log: true, Min: 0.1, Max: 10}
	if lo, hi, ok := extent(all, true); ok {
		a.Min, a.Max = lo/1.4, hi*1.5
	}
	return a
}

// linearAxis is from zero to above the series' Y, or to otherwise if that is zero.
func linearAxis(label string, u Unit, all []Series, otherwise float64) Axis {
	a := Axis{Label: label, Unit: u, Max: otherwise}
	if _, hi, ok := extent(all, false); ok && hi > 0 {
		a.Max = hi * 1.12
	}
	return a
}
