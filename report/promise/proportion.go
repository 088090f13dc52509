package promise

import (
	"fmt"
	"math"

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

// proportionValues are a share, its interval and its counts.
func proportionValues(key, doc string, of func(point) stats.Proportion) []table.Col[point] {
	share := func(pick func(stats.Proportion) float64) func(point) any {
		return func(a point) any {
			if p := of(a); p.N > 0 {
				return pick(p)
			}
			return nil
		}
	}
	return []table.Col[point]{
		table.Value(key, "", doc, share(func(p stats.Proportion) float64 { return p.P })),
		table.Value(key+"_low", "", "lower end of its interval of 95%", share(func(p stats.Proportion) float64 { return p.Lo })),
		table.Value(key+"_high", "", "upper end", share(func(p stats.Proportion) float64 { return p.Hi })),
		table.Value(key+"_count", "", "how many of them", func(a point) any { return of(a).Of }),
		table.Value(key+"_of", "", "how many there were", func(a point) any { return of(a).N }),
	}
}
