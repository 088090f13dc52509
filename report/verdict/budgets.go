package verdict

import (
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Budgets lists what the gate judges and how much worse each may become.
func Budgets(budgets []gate.Budget) table.Table {
	t := table.New("What the gate judges", "", budgets,
		table.Show("metric", gateLabel).Left(),
		table.Show("key", func(b gate.Budget) string { return "`" + b.Metric + "`" }).Left(),
		table.Show("may change by", gateBudget),
		table.Show("not judged up to", func(b gate.Budget) string {
			switch {
			case b.Floor <= 0:
				return table.Null
			case b.Unit == "s":
				return format.Short(b.Floor) + " s"
			}
			return format.Short(b.Floor)
		}),
		table.Show("above the promise by at most", func(b gate.Budget) string {
			if b.OverPromise < 0 {
				return table.Null
			}
			return format.Short(b.OverPromise*100) + " points"
		}),
		table.Show("requests it takes", func(b gate.Budget) string {
			if b.Least <= 0 {
				return table.Null
			}
			return format.Short(float64(b.Least))
		}))
	t.Name = "gate-budgets"
	return t
}
