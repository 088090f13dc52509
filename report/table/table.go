// Package table is a table as data and its renderers.
//
// A column is declared once: what heads it for readers, how its values are formatted, and
// under which key, in which unit, machines get the same values unformatted. Markdown,
// terminal text, HTML, CSV and JSON are renderers; no text is ever parsed back into a number.
package table

import "slices"

// Table is a table as data.
type Table struct {
	Name    string // of its files and its block; "" for a table that has neither
	Title   string
	Caption string   // what the numbers were measured on and over
	Columns []Column // in the order in which machines get them
	Notes   []string // footnotes, each with the mark that refers to it

	rows  int      // that readers see
	shown []string // keys of the columns that readers see, in their order; nil: all that have a text
}

// Column is a column with its values.
type Column struct {
	Key     string `json:"name"` // snake_case, ending in its unit
	Unit    string `json:"unit"` // "" for a column without one
	Doc     string `json:"doc"`
	Heading string `json:"-"`
	Left    bool   `json:"-"` // flush left, as names are; numbers are flush right

	// values are what machines get, one for each record: nil (null), a string, a bool, an
	// integer or a finite float64. A column that only readers see has none.
	values []any
	// text formats a row for readers. A column that only machines get has none.
	text func(row int) string
}

// Null stands for what was not measured.
const Null = "–"

// New makes a table with a row for each record.
func New[T any](title, caption string, records []T, columns ...Col[T]) Table {
	rows := make([][]T, len(records))
	for i := range records {
		rows[i] = records[i : i+1]
	}
	return Grouped(title, caption, records, rows, columns...)
}

// Grouped makes a table in which readers see one row for several records, which machines get
// one by one. A column that is not Across shows the first record of each row.
func Grouped[T any](title, caption string, records []T, rows [][]T, columns ...Col[T]) Table {
	t := Table{Title: title, Caption: caption, rows: len(rows)}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.bind(records, rows)...)
	}
	return t
}

// Shown is the table with these columns for readers, by key and in this order. Those that it
// does not show are left out; machines get all columns as before.
func (t Table) Shown(keys ...string) Table {
	columns, shown := t.readable(), []string{}
	for _, key := range keys {
		if slices.ContainsFunc(columns, func(c Column) bool { return c.Key == key }) {
			shown = append(shown, key)
		}
	}
	t.shown = shown
	return t
}

// Hidden is the table without the column of a key, for readers.
func (t Table) Hidden(key string) Table {
	var keys []string
	for _, c := range t.readable() {
		if c.Key != key {
			keys = append(keys, c.Key)
		}
	}
	return t.Shown(keys...)
}

// readable are the columns that readers see.
func (t Table) readable() []Column {
	texts := slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.text == nil })
	if t.shown == nil {
		return texts
	}
	var columns []Column
	for _, key := range t.shown {
		columns = append(columns, texts[slices.IndexFunc(texts, func(c Column) bool { return c.Key == key })])
	}
	return columns
}

// Headings are those of the columns that readers see.
func (t Table) Headings() []string {
	var names []string
	for _, c := range t.readable() {
		names = append(names, c.Heading)
	}
	return names
}

// Rows are the cells that readers see, formatted.
func (t Table) Rows() [][]string {
	columns := t.readable()
	rows := make([][]string, t.rows)
	for i := range rows {
		rows[i] = make([]string, len(columns))
		for j, c := range columns {
			rows[i][j] = c.text(i)
		}
	}
	return rows
}
