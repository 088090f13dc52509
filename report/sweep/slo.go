package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// slos is the peak goodput of every rung at several objectives, from the same rows.
func slos(s *analysis.Sweep, f caption.Facts) table.Table {
	all := knees.SLORows(s)
	type cell struct {
		row  knees.SLORow
		peak knees.SLOPeak
	}
	var cells []cell
	undecided := false
	rows := make([][]cell, len(s.Rungs)) // those of a rung, by objective
	for _, row := range all {
		for i, p := range row.Peaks {
			c := cell{row, p}
			cells, rows[i] = append(cells, c), append(rows[i], c)
			undecided = undecided || p.Seeds > 0 && p.Most > p.Goodput
		}
	}
	judged := func(c cell) bool { return c.peak.Seeds > 0 }
	columns := []table.Col[cell]{column.Rung(func(c cell) string { return c.peak.Rung })}
	for i, row := range all {
		columns = append(columns, table.Across(fmt.Sprintf("%s × SLO: %s s", format.Short(row.Factor), format.Short(row.SLOS)), func(cells []cell) string {
			p := cells[i].peak
			switch {
			case p.Seeds == 0:
				return table.Null
			case p.Most > p.Goodput:
				return fmt.Sprintf("≥%s at %s", format.Sig3(p.Goodput), format.Short(p.OfferedRPS))
			}
			return fmt.Sprintf("%s at %s", format.Sig3(p.Goodput), format.Short(p.OfferedRPS))
		}))
	}
	columns = append(columns,
		table.Value("slo_factor", "", "objective over the SLO of the report", func(c cell) any { return c.row.Factor }),
		table.Value("slo_s", "s", "objective", func(c cell) any { return c.row.SLOS }),
		table.Value("peak_goodput_rps", "1/s", "highest goodput over the offered rates, mean over seeds; a lower bound when peak_goodput_most_rps is larger", func(c cell) any { return c.peak.Goodput }).Where(judged),
		table.Value("peak_goodput_most_rps", "1/s", "the same if everything undecided had ended in time", func(c cell) any { return c.peak.Most }).Where(judged),
		table.Value("peak_offered_rps", "1/s", "offered rate of the peak", func(c cell) any { return c.peak.OfferedRPS }).Where(judged),
		table.Value("seeds", "", "over which it is the mean", func(c cell) any { return c.peak.Seeds }))
	t := table.Grouped(f.Title("Peak goodput at other objectives"), f.Caption(), cells, rows, columns...)
	t.Notes = []string{sameOrder(all), "Requests per second within the objective, at the offered rate where they are most; means over seeds, from the same rows. Ahead means by more than 5% and in every seed."}
	if f.Seeds < compare.MinSeeds {
		t.Notes = append(t.Notes, "1 seed: what the machine did to a whole cell may be what put a rung ahead.")
	}
	if undecided {
		t.Notes = append(t.Notes, "≥: some clients gave up before the objective was over, and nobody knows whether they would have been answered in time. They are not counted.")
	}
	return t
}

// sameOrder says whether the objective decides which rung is ahead.
func sameOrder(all []knees.SLORow) string {
	swaps := knees.Swaps(all)
	if len(swaps) > 0 {
		var pairs []string
		for _, w := range swaps {
			pairs = append(pairs, fmt.Sprintf("%s is ahead of %s at %s × the SLO and behind at %s ×", w.A, w.B, multiples(w.AAhead), multiples(w.BAhead)))
		}
		return "The order of the rungs depends on the SLO: " + strings.Join(pairs, "; ") + "."
	}
	var first []string
	var differ []string
	for _, row := range all {
		order := row.Order()
		if row.Factor == 1 {
			first = order
		}
	}
	for _, row := range all {
		if !slices.Equal(row.Order(), first) {
			differ = append(differ, format.Short(row.Factor))
		}
	}
	if len(differ) == 0 {
		return fmt.Sprintf("The order of the rungs is the same at every SLO: %s.", strings.Join(first, " > "))
	}
	return fmt.Sprintf("No pair of rungs changes places: where one is ahead at some SLO, the other is at none. The order is %s; the means alone give another at %s × the SLO, which this sample does not tell from it.",
		strings.Join(first, " > "), strings.Join(differ, ", "))
}

func multiples(factors []float64) string {
	return strings.Join(column.Each(factors, format.Short), ", ")
}
