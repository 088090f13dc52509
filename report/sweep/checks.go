package sweep

import (
	"fmt"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// What a check's figure is marked with in the table of all of them.
const (
	noted = "!"
	void  = "✗"
)

// CheckBounds documents the checks and their bounds.
func CheckBounds() table.Table {
	return table.New("", "", checks.CheckDocs(),
		table.Show("check", func(d checks.CheckDoc) string { return "`" + d.Name + "`" }).Left(),
		table.Show("figure", func(d checks.CheckDoc) string { return d.What }).Left(),
		table.Show("noted", func(d checks.CheckDoc) string { return orNever(d.Note) }).Left(),
		table.Show("voids the cell", func(d checks.CheckDoc) string { return orNever(d.Void) }).Left(),
		table.Show("why", func(d checks.CheckDoc) string { return d.Why }).Left())
}

func orNever(bound string) string {
	if bound == "" {
		return "never"
	}
	return bound
}

// unitNames are the units in which data give figures of different kinds; null for a count, a
// share or a plain number.
var unitNames = map[unit.Unit]string{unit.PerSecond: "1/s", unit.TokensPerS: "tokens/s", unit.Seconds: "s"}

// worstCheck is a check over all cells.
type worstCheck struct {
	doc    checks.CheckDoc
	cell   *analysis.CellMetrics // with the worst figure; nil when no cell has one
	worst  checks.Check
	counts map[checks.Verdict]int
}

func worstOf(d checks.CheckDoc, cells []*analysis.CellMetrics) worstCheck {
	w := worstCheck{doc: d, counts: map[checks.Verdict]int{}}
	for _, cell := range cells {
		c, ok := cell.Check(d.Name)
		if !ok || c.Verdict == checks.Unmeasured {
			continue
		}
		w.counts[c.Verdict]++
		if w.cell == nil || c.Verdict > w.worst.Verdict || c.Verdict == w.worst.Verdict && c.Alarm > w.worst.Alarm {
			w.cell, w.worst = cell, c
		}
	}
	return w
}

// figure is the worst one, with its unit.
func (w worstCheck) figure() string {
	if w.cell == nil {
		return table.Null
	}
	return figureScale(w.doc.Unit, w.worst.Figure.V).WithUnit(w.worst.Figure.V)
}

// where is the cell of the worst figure, if that alarms at all.
func (w worstCheck) where() string {
	if w.cell == nil || w.worst.Alarm == 0 {
		return table.Null
	}
	where := fmt.Sprintf("%s rps", format.Short(w.cell.Cell.OfferedRPS))
	if !w.doc.OfTape {
		where = fmt.Sprintf("%s at %s", w.cell.Cell.Rung, where)
	}
	return where + ", " + caption.Seed(w.cell.Cell.Key)
}

// Checks is one row per check: how many cells it noted or voided, and the worst
// figure that it saw.
func Checks(s *analysis.Sweep, f caption.Facts) table.Table {
	cells := cellsOf(s)
	all := column.Each(checks.CheckDocs(), func(d checks.CheckDoc) worstCheck { return worstOf(d, cells) })
	there := func(w worstCheck) bool { return w.cell != nil }
	t := table.New("What each cell was checked for", f.Caption(), all,
		table.Show("check", func(w worstCheck) string { return w.doc.Label }, table.Value("check", "", "name of the check", func(w worstCheck) any { return w.doc.Name })).Left(),
		table.Show("worst figure", worstCheck.figure,
			table.Value("worst_figure", "", "the most alarming figure, in figure_unit", func(w worstCheck) any { return w.worst.Figure }).Where(there),
			table.Value("figure_unit", "", "null for a count, a share or a plain number", func(w worstCheck) any { return unitNames[w.doc.Unit] })),
		table.Show("in", worstCheck.where,
			table.Value("worst_order", "", "place in the run of the first cell with that figure; other cells may have it too", func(w worstCheck) any { return w.cell.Cell.Order }).Where(there),
			table.Value("worst_rung", "", "its rung", func(w worstCheck) any { return w.cell.Cell.Rung }).Where(there),
			table.Value("worst_offered_rps", "1/s", "its offered rate", func(w worstCheck) any { return w.cell.Cell.OfferedRPS }).Where(there),
			table.Value("worst_seed", "", "its seed", func(w worstCheck) any { return w.cell.Cell.Seed }).Where(there),
			table.Value("worst_replicate", "", "its replicate", func(w worstCheck) any { return w.cell.Cell.Replicate }).Where(there),
			table.Value("worst_anchor", "", "whether it is an anchor", func(w worstCheck) any { return w.cell.Cell.Anchor }).Where(there)).Left(),
		table.Show("noted from", func(w worstCheck) string { return orNever(w.doc.Note) },
			table.Value("noted_from", "", "when a cell carries a note; null never", func(w worstCheck) any { return w.doc.Note })).Left(),
		table.Show("void from", func(w worstCheck) string { return orNever(w.doc.Void) },
			table.Value("void_from", "", "when a cell is invalid; null never", func(w worstCheck) any { return w.doc.Void })).Left(),
		table.Count("cells checked", "cells_checked", "cells in which there was something to judge", func(w worstCheck) int {
			return w.counts[checks.Passed] + w.counts[checks.Noted] + w.counts[checks.Voided]
		}),
		table.Count("noted", "cells_noted", "of these, noted", func(w worstCheck) int { return w.counts[checks.Noted] }),
		table.Count("void", "cells_void", "of these, voided", func(w worstCheck) int { return w.counts[checks.Voided] }),
	)
	t.Notes = []string{"A void cell is INVALID in every table, has no line in a chart and counts in no claim. What each figure is, and why its bound is there: docs/method.md, *Checks*. Every figure of every cell: tables/cell-checks.md and, as numbers, tables/cell-checks.csv."}
	return t
}

// CellChecks is one row per cell, with the figure of every check.
func CellChecks(s *analysis.Sweep, f caption.Facts) table.Table {
	type checked struct {
		cell  *analysis.CellMetrics
		check checks.Check
	}
	var all []checked
	var rows [][]checked
	cells := cellsOf(s)
	for _, cell := range cells {
		for _, c := range cell.Checks {
			all = append(all, checked{cell, c})
		}
		rows = append(rows, []checked{{cell: cell}})
	}
	columns := cellColumns(func(c checked) *analysis.CellMetrics { return c.cell })
	for _, d := range checks.CheckDocs() {
		sc := figureScale(d.Unit, column.Largest(cells, func(cell *analysis.CellMetrics) float64 { c, _ := cell.Check(d.Name); return c.Figure.V }))
		columns = append(columns, table.Show(sc.Name(d.Label), func(of checked) string {
			c, _ := of.cell.Check(d.Name)
			if !c.Figure.OK {
				return table.Null
			}
			return sc.Format(c.Figure.V) + map[checks.Verdict]string{checks.Noted: noted, checks.Voided: void}[c.Verdict]
		}))
	}
	columns = append(columns,
		table.Show("valid", func(c checked) string { return valid(c.cell) }),
		table.Value("check", "", "name of the check", func(c checked) any { return c.check.Name }),
		table.Value("figure", "", "what it found, in figure_unit; null where there was nothing to measure", func(c checked) any { return c.check.Figure }),
		table.Value("figure_unit", "", "null for a count, a share or a plain number", func(c checked) any { return unitNames[c.check.Unit] }),
		table.Value("verdict", "", "passed, noted, voided or unmeasured", func(c checked) any { return c.check.Verdict.String() }),
		table.Value("detail", "", "what there is to add", func(c checked) any { return c.check.Detail }))
	t := table.Grouped("Every check of every cell", f.Caption(), all, rows, columns...)
	t.Notes = []string{noted + " noted. " + void + " voids the cell. “" + table.Null + "”: not measured."}
	return t
}

// figureScale is ScaleOf for figures of checks: a lag is told in milliseconds.
func figureScale(u unit.Unit, largest float64) format.Scale {
	if u == unit.Seconds {
		return format.Scale{Unit: "ms", Factor: 1e3}
	}
	return format.ScaleOf(u, largest)
}

// Voided names the void cells and their first reasons; "" when there is none.
func Voided(s *analysis.Sweep) string {
	var cells []string
	all := s.All()
	for i := range all {
		if m := &all[i]; !m.Valid() {
			cells = append(cells, fmt.Sprintf("%s (%s)", m.Cell.Name(), m.Invalid[0].Code))
		}
	}
	if cells == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d cells are INVALID and count in no claim: %s", len(cells), len(all), strings.Join(cells, ", "))
}
