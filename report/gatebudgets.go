package report

import (
	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// BudgetTable lists what the gate judges and how much worse each may become.
func BudgetTable(budgets []gate.Budget) Table {
	t := Table{Name: "gate-budgets", Title: "What the gate judges", Columns: []Column{
		{Name: "metric", Left: true}, {Name: "key", Left: true}, {Name: "may change by"}, {Name: "not judged up to"}, {Name: "above the promise by at most"}, {Name: "requests it takes"},
	}}
	for _, b := range budgets {
		floor, promise, least := table.Null, table.Null, table.Null
		if b.Floor > 0 {
			floor = short(b.Floor)
			if b.Unit == "s" {
				floor += " s"
			}
		}
		if b.OverPromise >= 0 {
			promise = short(b.OverPromise*100) + " points"
		}
		if b.Least > 0 {
			least = short(float64(b.Least))
		}
		t.Rows = append(t.Rows, []string{gateLabel(b), "`" + b.Metric + "`", gateBudget(b), floor, promise, least})
	}
	return t
}
