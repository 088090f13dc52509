package report

import (
	"fmt"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/fidelity"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// FidelityTables compare a measured run with its simulation: per metric, per cell and, where
// steps were replayed, per replayed cell.
func FidelityTables(measured, simulated *analysis.Run, replays Replays) []Table {
	f := fidelity.Compare(measured.Sweep, simulated.Sweep)
	facts := FactsOf(measured.Sweep, ModelName(measured.Manifest))
	facts.Backend = "llama.cpp against twin (simulated)"
	tables := []Table{Fidelity(f, facts), FidelityCells(f, facts)}
	if len(replays) > 0 {
		tables = append(tables, ReplayTable(replays, facts))
	}
	for i, name := range []string{"fidelity", "fidelity-cells", "fidelity-steps"}[:len(tables)] {
		tables[i].Name = name
	}
	return tables
}

// Fidelity is one row per metric: how far a simulation is from what was measured.
func Fidelity(f fidelity.Report, facts Facts) Table {
	var name, cells, within, median, p90, worst, bias []string
	percent := func(n int, v float64, format string) string {
		if n == 0 {
			return table.Null
		}
		return fmt.Sprintf(format, 100*v)
	}
	for _, a := range f.Aims {
		name = append(name, a.Label)
		cells = append(cells, strconv.Itoa(a.N))
		within = append(within, fmt.Sprintf("%d (±%.0f%%)", a.Within, 100*a.Aim.Within))
		median = append(median, percent(a.N, a.Median, "%.1f%%"))
		p90 = append(p90, percent(a.N, a.P90, "%.1f%%"))
		worst = append(worst, percent(a.N, a.Worst, "%.1f%%"))
		bias = append(bias, percent(a.N, a.Bias, "%+.1f%%"))
	}
	t := table.Of("The twin against the engine: error per cell", facts.Caption(), []table.Col{
		table.Left("metric", name), table.Right("cells", cells), table.Right("within the aim", within),
		table.Right("median error", median), table.Right("p90", p90), table.Right("worst", worst), table.Right("mean, signed", bias),
	})
	t.Notes = []string{
		"Error is predicted over measured, less one; the first columns are of its size. A cell in which one of the two is only a bound is not counted.",
		fmt.Sprintf("Of %d pairs of rungs whose measured 95%% intervals are apart (goodput, TTFT p50, E2E p50 and p99, at the same rate and seed), the twin has %d in the same order.", len(f.Orders), f.Kept()),
	}
	for _, o := range f.Orders {
		if !o.Kept {
			t.Notes = append(t.Notes, fmt.Sprintf("Not kept: %s of %s below that of %s at %s rps, seed %d.", o.Metric.Label, o.Lower, o.Higher, short(o.OfferedRPS), o.Seed))
		}
	}
	if f.Skipped > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d cells are left out: invalid, or not simulated.", f.Skipped))
	}
	return t
}

// FidelityCells is one row per cell: measured → predicted.
func FidelityCells(f fidelity.Report, facts Facts) Table {
	var rung, rate, seed []string
	for _, c := range f.Cells {
		rung, rate, seed = append(rung, c.Rung), append(rate, short(c.OfferedRPS)), append(seed, strconv.FormatUint(c.Seed, 10))
	}
	columns := []table.Col{table.Left("rung", rung), table.Right("offered (rps)", rate), table.Right("seed", seed)}
	for i, a := range fidelity.Aims() {
		largest := 0.0
		for _, c := range f.Cells {
			largest = max(largest, c.Predictions[i].Measured.V, c.Predictions[i].Predicted.V)
		}
		sc := scaleOf(a.Unit, largest)
		var texts []string
		for _, c := range f.Cells {
			p := c.Predictions[i]
			texts = append(texts, sc.value(p.Measured)+" → "+sc.value(p.Predicted))
		}
		columns = append(columns, table.Right(sc.name(a.Label), texts))
	}
	t := table.Of("Every cell: measured → predicted by the twin", facts.Caption(), columns)
	t.Notes = []string{"“>” is a lower bound; “" + table.Null + "”: not measured."}
	return t
}

// value formats a metric of one cell.
func (s scale) value(v analysis.Value) string {
	if !v.OK {
		return table.Null
	}
	return s.bounded(v.V, v.Bound)
}
