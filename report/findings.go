package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Findings are the tables of what a run as a whole says, each with its name: what was
// done beside what was answered in time, what the sample supports of a p99, goodput at
// other objectives, the knees, what became worse, and what becomes of the claims.
func Findings(s *analysis.Sweep, f Facts) []table.Table {
	tables := []table.Table{Throughput(s, f), Tails(s, f), SLOs(s, f), Knees(s, f), Backlogs(s, f), Worse(s, f), Claims(s, f)}
	for i, name := range []string{"throughput", "tails", "slo", "knees", "backlog", "worse", "claims"} {
		tables[i].Name = name
	}
	return tables
}

// textsOf is what of gives of each item.
func textsOf[T, V any](items []T, of func(T) V) []V {
	all := make([]V, len(items))
	for i, item := range items {
		all[i] = of(item)
	}
	return all
}

// growthText formats a share as a percentage with its sign.
func growthText(v float64) string {
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

// growthSpan formats an interval of signed shares.
func growthSpan(lo, hi float64) string {
	return fmt.Sprintf("[%s, %s]", growthText(lo), growthText(hi))
}
