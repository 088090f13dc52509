// Package sweep makes the tables of a run: the ladder in one table, every rung at every rate,
// every cell and its checks, and the findings, such as knees, tails, what became worse and
// what becomes of the claims.
package sweep

import (
	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Findings are the tables of what a run as a whole says, each with its name: what was
// done beside what was answered in time, what the sample supports of a p99, goodput at
// other objectives, the knees, what became worse, and what becomes of the claims.
func Findings(s *analysis.Sweep, f caption.Facts) []table.Table {
	tables := []table.Table{throughput(s, f), tails(s, f), slos(s, f), kneesOf(s, f), backlogs(s, f), worse(s, f), claimed(s, f)}
	for i, name := range []string{"throughput", "tails", "slo", "knees", "backlog", "worse", "claims"} {
		tables[i].Name = name
	}
	if t, ok := capacity(s, f); ok {
		tables = append(tables, t)
	}
	return tables
}
