package report

import (
	"fmt"
	"math"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// shareOf is a share of counts, null where there are none.
func shareOf(of, n int) results.Opt[float64] {
	if n == 0 {
		return results.Opt[float64]{}
	}
	return results.Some(float64(of) / float64(n))
}

// percent has one decimal below 99.95% and above 0.05%, and none at the ends.
func percent(share float64) string {
	if share == math.Trunc(share) {
		return fmt.Sprintf("%.0f%%", 100*share)
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}

// proportion is a share with its interval.
func proportion(p stats.Proportion) string {
	if p.N == 0 {
		return table.Null
	}
	return fmt.Sprintf("%s [%.1f, %.1f]", percent(p.P), 100*p.Lo, 100*p.Hi)
}

// proportionFields are a share, its interval and its counts.
func proportionFields(points []analysis.AdmissionPoint, name, doc string, of func(*analysis.AdmissionPoint) stats.Proportion) []Field {
	value := func(pick func(stats.Proportion) any) func(analysis.AdmissionPoint) any {
		return func(a analysis.AdmissionPoint) any { return pick(of(&a)) }
	}
	share := func(pick func(stats.Proportion) float64) func(analysis.AdmissionPoint) any {
		return value(func(p stats.Proportion) any { return table.NumberIf(pick(p), p.N > 0) })
	}
	return []Field{
		table.NewField(name, "", doc, points, share(func(p stats.Proportion) float64 { return p.P })),
		table.NewField(name+"_low", "", "lower end of its interval of 95%", points, share(func(p stats.Proportion) float64 { return p.Lo })),
		table.NewField(name+"_high", "", "upper end", points, share(func(p stats.Proportion) float64 { return p.Hi })),
		table.NewField(name+"_count", "", "how many of them", points, value(func(p stats.Proportion) any { return p.Of })),
		table.NewField(name+"_of", "", "how many there were", points, value(func(p stats.Proportion) any { return p.N })),
	}
}
