// Package table is a table as data and its renderers.
//
// A column is declared once: what heads it for people, how its values are formatted,
// and under which key, in which unit, machines get the same values unformatted. Markdown,
// terminal text, CSV and JSON are renderers; no text is ever parsed back into a number.
package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// Table is a table as data. Cells are formatted text; numbers of one column share
// a unit, which its name gives.
type Table struct {
	Name    string // of its files and its block; "" for a table that has neither
	Title   string
	Caption string // what the numbers were measured on and over
	Columns []Column
	Rows    [][]string
	Notes   []string // footnotes, each with the mark that refers to it
	Fields  []Field  // the same for machines, or more of it; nil gives them the cells as text
}

// Column heads a table's column. Numbers are set flush right, names flush left.
type Column struct {
	Name string
	Left bool
}

// Null stands for what was not measured.
const Null = "–"

// Markdown renders the table for GitHub, padded so that it reads as text too.
func (t Table) Markdown() string {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**", t.Title)
		if t.Caption != "" {
			fmt.Fprintf(&b, "<br>%s", t.Caption)
		}
		b.WriteString("\n\n")
	}
	widths := t.widths(Escape)
	line := func(cells []string) {
		for i, cell := range cells {
			fmt.Fprintf(&b, "| %s ", pad(Escape(cell), widths[i], t.Columns[i].Left))
		}
		b.WriteString("|\n")
	}
	line(t.names())
	for i, c := range t.Columns {
		if c.Left {
			b.WriteString("|:" + strings.Repeat("-", widths[i]+1))
		} else {
			b.WriteString("|" + strings.Repeat("-", widths[i]+1) + ":")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.Rows {
		line(row)
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	return b.String()
}

// Text writes the table for a terminal.
func (t Table) Text(w io.Writer) error {
	if t.Title != "" {
		fmt.Fprintln(w, t.Title)
	}
	if t.Caption != "" {
		fmt.Fprintln(w, t.Caption)
	}
	// tabwriter sets every column flush right, so names are padded beforehand.
	widths := t.widths(func(s string) string { return s })
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range append([][]string{t.names()}, t.Rows...) {
		for i, cell := range row {
			fmt.Fprint(tw, pad(cell, widths[i], t.Columns[i].Left), "\t")
		}
		fmt.Fprintln(tw)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, note := range t.Notes {
		fmt.Fprintln(w, "  "+note)
	}
	return nil
}

func (t Table) names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

func (t Table) widths(form func(string) string) []int {
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]string{t.names()}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(form(cell)))
		}
	}
	return widths
}

func pad(s string, width int, left bool) string {
	space := strings.Repeat(" ", width-utf8.RuneCountInString(s))
	if left {
		return s + space
	}
	return space + s
}

var markdownCell = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;")

// Escape makes a text safe within a table's cell, or a list, of Markdown.
func Escape(s string) string { return markdownCell.Replace(s) }

// Without is the table without the column of a name, for readers.
func (t Table) Without(name string) Table {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return t
	}
	t.Columns = slices.Delete(slices.Clone(t.Columns), i, i+1)
	rows := make([][]string, len(t.Rows))
	for j, row := range t.Rows {
		rows[j] = slices.Delete(slices.Clone(row), i, i+1)
	}
	t.Rows = rows
	return t
}
