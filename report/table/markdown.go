package table

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

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
	columns, lines := t.readable(), append([][]string{t.Headings()}, t.Rows()...)
	widths := widthsOf(lines, Escape)
	for i, line := range lines {
		for j, cell := range line {
			fmt.Fprintf(&b, "| %s ", pad(Escape(cell), widths[j], columns[j].Left))
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for j, c := range columns {
			if c.Left {
				b.WriteString("|:" + strings.Repeat("-", widths[j]+1))
			} else {
				b.WriteString("|" + strings.Repeat("-", widths[j]+1) + ":")
			}
		}
		b.WriteString("|\n")
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, note := range t.Notes {
		fmt.Fprintf(&b, "- %s\n", note)
	}
	return b.String()
}

// Dense renders the columns and rows for GitHub without padding, for documents whose cells are
// sentences: to change one leaves the other lines as they are.
func (t Table) Dense() string {
	var b strings.Builder
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + Escape(cell) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Headings())
	b.WriteString(strings.Repeat("|---", len(t.readable())) + "|\n")
	for _, row := range t.Rows() {
		line(row)
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
	columns, lines := t.readable(), append([][]string{t.Headings()}, t.Rows()...)
	widths := widthsOf(lines, func(s string) string { return s })
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range lines {
		for i, cell := range line {
			fmt.Fprint(tw, pad(cell, widths[i], columns[i].Left), "\t")
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

func widthsOf(lines [][]string, form func(string) string) []int {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
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
