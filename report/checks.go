package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// What a check's figure is marked with in the table of all of them.
const (
	noted = "!"
	void  = "✗"
)

// CheckBounds documents the checks and their bounds.
func CheckBounds() Table {
	t := Table{Columns: []Column{{Name: "check", Left: true}, {Name: "figure", Left: true}, {Name: "noted", Left: true}, {Name: "voids the cell", Left: true}, {Name: "why", Left: true}}}
	for _, d := range analysis.CheckDocs() {
		t.Rows = append(t.Rows, []string{"`" + d.Name + "`", d.What, orNever(d.Note), orNever(d.Void), d.Why})
	}
	return t
}

func orNever(bound string) string {
	if bound == "" {
		return "never"
	}
	return bound
}

// Checks is one row per check: how many cells it noted or voided, and the worst
// figure that it saw.
func Checks(s *analysis.Sweep, f Facts) Table {
	t := Table{Title: "What each cell was checked for", Caption: f.Caption(), Columns: []Column{
		{Name: "check", Left: true}, {Name: "worst figure"}, {Name: "in", Left: true}, {Name: "noted from", Left: true}, {Name: "void from", Left: true},
		{Name: "cells checked"}, {Name: "noted"}, {Name: "void"},
	}}
	var worsts []worstCheck
	cells := s.All()
	for _, d := range analysis.CheckDocs() {
		var worst *analysis.CellMetrics
		var most analysis.Check
		counts := map[analysis.Verdict]int{}
		for i := range cells {
			c, ok := cells[i].Check(d.Name)
			if !ok || c.Verdict == analysis.Unmeasured {
				continue
			}
			counts[c.Verdict]++
			if worst == nil || c.Verdict > most.Verdict || c.Verdict == most.Verdict && c.Alarm > most.Alarm {
				worst, most = &cells[i], c
			}
		}
		figure, where := table.Null, table.Null
		if worst != nil {
			figure = figureScale(d.Unit, most.Figure.V).withUnit(most.Figure.V)
		}
		if worst != nil && most.Alarm != 0 {
			where = fmt.Sprintf("%s at %s rps", worst.Cell.Rung, short(worst.Cell.OfferedRPS))
			if d.OfTape {
				where = fmt.Sprintf("%s rps", short(worst.Cell.OfferedRPS))
			}
			where += ", " + seedOf(worst.Cell.Key)
		}
		all := counts[analysis.Passed] + counts[analysis.Noted] + counts[analysis.Voided]
		worsts = append(worsts, worstCheck{d, worst, most, all, counts[analysis.Noted], counts[analysis.Voided]})
		t.Rows = append(t.Rows, []string{d.Label, figure, where, orNever(d.Note), orNever(d.Void),
			strconv.Itoa(all), strconv.Itoa(counts[analysis.Noted]), strconv.Itoa(counts[analysis.Voided])})
	}
	t.Fields = worstFields(worsts)
	t.Notes = []string{"A void cell is INVALID in every table, has no line in a chart and counts in no claim. What each figure is, and why its bound is there: docs/method.md, *Checks*. Every figure of every cell: tables/cell-checks.md and, as numbers, tables/cell-checks.csv."}
	return t
}

// CellChecks is one row per cell, with the figure of every check.
func CellChecks(s *analysis.Sweep, f Facts) Table {
	cells, each := s.All(), eachCell(s)
	columns := []table.Col{
		table.Right("#", each(func(c *analysis.CellMetrics) string { return strconv.Itoa(c.Cell.Order) })),
		table.Left("rung", each(rungOf)),
		table.Right("offered (rps)", each(func(c *analysis.CellMetrics) string { return short(c.Cell.OfferedRPS) })),
		table.Right("seed", each(func(c *analysis.CellMetrics) string { return strconv.FormatUint(c.Cell.Seed, 10) })),
	}
	for _, d := range analysis.CheckDocs() {
		largest := 0.0
		for i := range cells {
			c, _ := cells[i].Check(d.Name)
			largest = max(largest, c.Figure.V)
		}
		sc := figureScale(d.Unit, largest)
		columns = append(columns, table.Right(sc.name(d.Label), each(func(m *analysis.CellMetrics) string {
			c, _ := m.Check(d.Name)
			if !c.Figure.OK {
				return table.Null
			}
			return sc.format(c.Figure.V) + map[analysis.Verdict]string{analysis.Noted: noted, analysis.Voided: void}[c.Verdict]
		})))
	}
	columns = append(columns, table.Right("valid", each(valid)))
	t := table.Of("Every check of every cell", f.Caption(), columns)
	t.Fields = checkFields(s)
	t.Notes = []string{noted + " noted. " + void + " voids the cell. “" + table.Null + "”: not measured."}
	return t
}

// figureScale is scaleOf for figures of checks: a lag is told in milliseconds.
func figureScale(u analysis.Unit, largest float64) scale {
	if u == analysis.Seconds {
		return scale{unit: "ms", factor: 1e3}
	}
	return scaleOf(u, largest)
}

// withUnit formats a number that stands alone.
func (s scale) withUnit(v float64) string {
	if s.unit == "" {
		return s.format(v)
	}
	return s.format(v) + " " + s.unit
}

// voided names the void cells and their first reasons; "" when there is none.
func voided(s *analysis.Sweep) string {
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
