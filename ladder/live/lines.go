package live

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const barWidth = 12

// Lines sets the view in lines of fewer than width columns, and no more than height
// of them: a terminal keeps a column and a line for the cursor. Where not all fits,
// rungs give way first, then what is under way.
func (v View) Lines(width, height int) []string {
	lines := []string{v.bar() + " " + v.Head}
	room := height - len(lines) - len(v.Now)
	lines = append(lines, v.Rungs.lines(room)...)
	lines = append(lines, v.Now...)
	lines = lines[:min(len(lines), max(height, 1))]
	for i, l := range lines {
		lines[i] = cut(l, width-1)
	}
	return lines
}

func (v View) bar() string {
	full := 0
	if v.All > 0 {
		full = barWidth * v.Done / v.All
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", barWidth-full) + "]"
}

// lines sets the table in at most room lines: nothing if its head and a row do not fit.
func (t Table) lines(room int) []string {
	if room < 2 || len(t.Rows) == 0 {
		return nil
	}
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	line := func(row []string) string {
		var b strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + space)
			} else {
				b.WriteString("  " + space + cell)
			}
		}
		return b.String()
	}
	rows, more := t.Rows, 0
	if len(rows) > room-1 {
		rows = rows[:max(1, room-2)]
		more = len(t.Rows) - len(rows)
	}
	lines := []string{line(t.Columns)}
	for _, row := range rows {
		lines = append(lines, line(row))
	}
	if more > 0 && len(lines) < room {
		lines = append(lines, fmt.Sprintf("and %d more rungs", more))
	}
	return lines
}

// cut shortens a line to a number of columns. The texts here have no wide characters.
func cut(s string, columns int) string {
	if utf8.RuneCountInString(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	return string([]rune(s)[:columns-1]) + "…"
}
