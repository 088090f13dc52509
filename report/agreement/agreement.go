// Package agreement sets a measured run beside its simulation: how far the twin is from the
// engine, by metric, by cell and by replayed step.
package agreement

import (
	"fmt"
	"strconv"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/fidelity"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Tables compare a measured run with its simulation: per metric, per cell and, where
// steps were replayed, per replayed cell.
func Tables(measured, simulated *analysis.Run, replays Replays) []table.Table {
	f := fidelity.Compare(measured.Sweep, simulated.Sweep)
	facts := caption.Of(measured.Sweep, caption.Model(measured.Manifest))
	facts.Backend = "llama.cpp against twin (simulated)"
	tables := []table.Table{byMetric(f, facts), byCell(f, facts)}
	if len(replays) > 0 {
		tables = append(tables, byStep(replays, facts))
	}
	for i, name := range []string{"fidelity", "fidelity-cells", "fidelity-steps"}[:len(tables)] {
		tables[i].Name = name
	}
	return tables
}

// byMetric is one row per metric: how far a simulation is from what was measured.
func byMetric(f fidelity.Report, facts caption.Facts) table.Table {
	type aim = fidelity.AimReport
	percent := func(heading, form string, of func(aim) float64) table.Col[aim] {
		return table.Show(heading, func(a aim) string { return fmt.Sprintf(form, 100*of(a)) }).Where(func(a aim) bool { return a.N > 0 })
	}
	t := table.New("The twin against the engine: error per cell", facts.Caption(), f.Aims,
		table.Show("metric", func(a aim) string { return a.Label }).Left(),
		table.Show("cells", func(a aim) string { return strconv.Itoa(a.N) }),
		table.Show("within the aim", func(a aim) string { return fmt.Sprintf("%d (±%.0f%%)", a.Within, 100*a.Aim.Within) }),
		percent("median error", "%.1f%%", func(a aim) float64 { return a.Median }),
		table.Show("of contested cells", func(a aim) string { return fmt.Sprintf("%.1f%% (%d)", 100*a.Contested, a.ContestedN) }).Where(func(a aim) bool { return a.ContestedN > 0 }),
		percent("p90", "%.1f%%", func(a aim) float64 { return a.P90 }),
		percent("worst", "%.1f%%", func(a aim) float64 { return a.Worst }),
		percent("mean, signed", "%+.1f%%", func(a aim) float64 { return a.Bias }))
	t.Notes = []string{
		"Error is predicted over measured, less one; the first columns are of its size. A cell in which one of the two is only a bound is not counted. Contested: between 5% and 95% of the arrivals were answered within the SLO, so that what the cell does hangs on its queue; in brackets how many these are.",
		fmt.Sprintf("Of %d pairs of rungs whose measured 95%% intervals are apart (goodput, TTFT p50, E2E p50 and p99, at the same rate and seed), the twin has %d in the same order. That a rung is never worse than those below it, which takes no twin to say, is right for %d.", len(f.Orders), f.Kept(), f.Naive()),
	}
	for _, o := range f.Orders {
		if !o.Kept {
			t.Notes = append(t.Notes, fmt.Sprintf("Not kept: %s of %s below that of %s at %s rps, seed %d.", o.Metric.Label, o.Lower, o.Higher, format.Short(o.OfferedRPS), o.Seed))
		}
	}
	if f.Skipped > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d cells are left out: invalid, or not simulated.", f.Skipped))
	}
	return t
}

// byCell is one row per cell: measured → predicted.
func byCell(f fidelity.Report, facts caption.Facts) table.Table {
	columns := keyColumns(func(c fidelity.Cell) results.Key { return c.Key })
	for i, a := range fidelity.Aims() {
		sc := format.ScaleOf(a.Unit, column.Largest(f.Cells, func(c fidelity.Cell) float64 { return max(c.Predictions[i].Measured.V, c.Predictions[i].Predicted.V) }))
		columns = append(columns, table.Show(sc.Name(a.Label), func(c fidelity.Cell) string {
			return sc.Value(c.Predictions[i].Measured) + " → " + sc.Value(c.Predictions[i].Predicted)
		}))
	}
	t := table.New("Every cell: measured → predicted by the twin", facts.Caption(), f.Cells, columns...)
	t.Notes = []string{"“>” is a lower bound; “" + table.Null + "”: not measured."}
	return t
}

// keyColumns name the cell of each record for readers.
func keyColumns[T any](key func(T) results.Key) []table.Col[T] {
	return []table.Col[T]{
		table.Show("rung", func(r T) string { return key(r).Rung }).Left(),
		table.Show("offered (rps)", func(r T) string { return format.Short(key(r).OfferedRPS) }),
		table.Show("seed", func(r T) string { return strconv.FormatUint(key(r).Seed, 10) }),
	}
}
