package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// SLOs is the peak goodput of every rung at several objectives, from the same rows.
func SLOs(s *analysis.Sweep, f Facts) Table {
	all := s.SLORows()
	columns := []table.Col{table.Left("rung", slices.Clone(s.Rungs))}
	undecided := false
	for _, row := range all {
		columns = append(columns, table.Right(fmt.Sprintf("%s × SLO: %s s", short(row.Factor), short(row.SLOS)), textsOf(row.Peaks, func(p analysis.SLOPeak) string {
			switch {
			case p.Seeds == 0:
				return table.Null
			case p.Most > p.Goodput:
				undecided = true
				return fmt.Sprintf("≥%s at %s", sig3(p.Goodput), short(p.OfferedRPS))
			}
			return fmt.Sprintf("%s at %s", sig3(p.Goodput), short(p.OfferedRPS))
		})))
	}
	t := table.Of(f.title("Peak goodput at other objectives"), f.Caption(), columns)
	t.Fields = sloFields(all)
	t.Notes = []string{sameOrder(all), "Requests per second within the objective, at the offered rate where they are most; means over seeds, from the same rows. Ahead means by more than 5% and in every seed."}
	if f.Seeds < analysis.MinSeeds {
		t.Notes = append(t.Notes, "1 seed: what the machine did to a whole cell may be what put a rung ahead.")
	}
	if undecided {
		t.Notes = append(t.Notes, "≥: some clients gave up before the objective was over, and nobody knows whether they would have been answered in time. They are not counted.")
	}
	return t
}

// sameOrder says whether the objective decides which rung is ahead.
func sameOrder(all []analysis.SLORow) string {
	swaps := analysis.Swaps(all)
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
			differ = append(differ, short(row.Factor))
		}
	}
	if len(differ) == 0 {
		return fmt.Sprintf("The order of the rungs is the same at every SLO: %s.", strings.Join(first, " > "))
	}
	return fmt.Sprintf("No pair of rungs changes places: where one is ahead at some SLO, the other is at none. The order is %s; the means alone give another at %s × the SLO, which this sample does not tell from it.",
		strings.Join(first, " > "), strings.Join(differ, ", "))
}

func multiples(factors []float64) string {
	return strings.Join(textsOf(factors, short), ", ")
}

func sloFields(all []analysis.SLORow) []Field {
	type cell struct {
		row  analysis.SLORow
		peak analysis.SLOPeak
	}
	var cells []cell
	for _, row := range all {
		for _, p := range row.Peaks {
			cells = append(cells, cell{row, p})
		}
	}
	known := func(of func(cell) any) func(cell) any {
		return func(c cell) any {
			if c.peak.Seeds == 0 {
				return nil
			}
			return of(c)
		}
	}
	return []Field{
		table.NewField("rung", "", "name of the configuration", cells, func(c cell) any { return c.peak.Rung }),
		table.NewField("slo_factor", "", "objective over the SLO of the report", cells, func(c cell) any { return c.row.Factor }),
		table.NewField("slo_s", "s", "objective", cells, func(c cell) any { return c.row.SLOS }),
		table.NewField("peak_goodput_rps", "1/s", "highest goodput over the offered rates, mean over seeds; a lower bound when peak_goodput_most_rps is larger", cells, known(func(c cell) any { return c.peak.Goodput })),
		table.NewField("peak_goodput_most_rps", "1/s", "the same if everything undecided had ended in time", cells, known(func(c cell) any { return c.peak.Most })),
		table.NewField("peak_offered_rps", "1/s", "offered rate of the peak", cells, known(func(c cell) any { return c.peak.OfferedRPS })),
		table.NewField("seeds", "", "over which it is the mean", cells, func(c cell) any { return c.peak.Seeds }),
	}
}
