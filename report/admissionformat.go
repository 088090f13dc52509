package report

import (
	"fmt"
	"math"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

func refused(a *analysis.AdmissionPoint) (of, n int) {
	all := arrivals(a)
	return all - a.Sum(func(c *analysis.Promise) int { return c.Taken }), all
}

// percentOf is a share of counts with one decimal.
func percentOf(of, n int) string {
	if n == 0 {
		return null
	}
	return percent(float64(of) / float64(n))
}

func percentIf(o results.Opt[float64]) string {
	if !o.OK {
		return null
	}
	return percent(o.V)
}

// percent has one decimal below 99.95% and above 0.05%, and none at the ends.
func percent(share float64) string {
	if share == math.Trunc(share) {
		return fmt.Sprintf("%.0f%%", 100*share)
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}

// proportion is a share with its interval.
func proportion(p analysis.Proportion) string {
	if p.N == 0 {
		return null
	}
	return fmt.Sprintf("%s [%.1f, %.1f]", percent(p.P), 100*p.Lo, 100*p.Hi)
}

// proportionFields are a share, its interval and its counts.
func proportionFields(points []analysis.AdmissionPoint, name, doc string, of func(*analysis.AdmissionPoint) analysis.Proportion) []Field {
	fields := []Field{
		{Name: name, Doc: doc}, {Name: name + "_low", Doc: "lower end of its interval of 95%"}, {Name: name + "_high", Doc: "upper end"},
		{Name: name + "_count", Doc: "how many of them"}, {Name: name + "_of", Doc: "how many there were"},
	}
	for i := range points {
		p := of(&points[i])
		for k, v := range []any{numberIf(p.P, p.N > 0), numberIf(p.Lo, p.N > 0), numberIf(p.Hi, p.N > 0), p.Of, p.N} {
			fields[k].values = append(fields[k].values, v)
		}
	}
	return fields
}
