package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/cadence-bench/cadence-bench/results"
)

// Field is a column of a table for machines: its numbers are those that were
// computed, not those that are shown, in a unit that never changes.
type Field struct {
	Name string `json:"name"` // snake_case, ending in its unit
	Unit string `json:"unit"` // "" for a column without one
	Doc  string `json:"doc"`
	// Rounded says that the column has nothing better than the cells that are shown.
	Rounded bool `json:"rounded,omitempty"`
	// values has one for each row: nil (null), a string, a bool, an integer or a
	// finite float64.
	values []any
}

// field is a column of one value for each item.
func field[T any](name, unit, doc string, items []T, of func(T) any) Field {
	f := Field{Name: name, Unit: unit, Doc: doc, values: make([]any, len(items))}
	for i, item := range items {
		f.values[i] = of(item)
	}
	return f
}

// numberIf is v, or null unless ok and finite.
func numberIf(v float64, ok bool) any {
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

// optional is what an Opt holds, or null.
func optional(o results.Opt[float64]) any { return numberIf(o.V, o.OK) }

// textIf is s, or null when it is empty.
func textIf(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Data returns the table's columns for machines: its Fields or, where nobody set
// them, what can be read off the cells that are shown. A table may have more of them
// than it shows, and other rows.
func (t Table) Data() []Field {
	if t.Fields != nil {
		return t.Fields
	}
	var fields []Field
	for i, c := range t.Columns {
		cells := make([]string, len(t.Rows))
		for j, row := range t.Rows {
			cells[j] = row[i]
		}
		fields = append(fields, shown(c, cells)...)
	}
	return distinct(fields)
}

// CSV gives the table's data under one line of column names. Null is an empty cell;
// a number is the shortest that reads back as the same.
func (t Table) CSV() []byte {
	fields := t.Data()
	lines := [][]string{make([]string, len(fields))}
	for i, f := range fields {
		lines[0][i] = f.Name
	}
	for i := range rowsOf(fields) {
		line := make([]string, len(fields))
		for j, f := range fields {
			switch v := f.values[i].(type) {
			case nil:
			case float64:
				line[j] = strconv.FormatFloat(v, 'g', -1, 64)
			default:
				line[j] = fmt.Sprint(v)
			}
		}
		lines = append(lines, line)
	}
	return encodeCSV(lines)
}

func encodeCSV(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rows) // a bytes.Buffer takes everything
	return b.Bytes()
}

// JSON gives the table's data with its title, its notes and what each column is. A
// row is an array in the order of the columns; each is on a line of its own.
func (t Table) JSON() ([]byte, error) {
	fields := t.Data()
	rows := make([][]any, rowsOf(fields))
	for i := range rows {
		for _, f := range fields {
			rows[i] = append(rows[i], f.values[i])
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n")
	for _, part := range []struct {
		key   string
		value any
	}{{"name", t.Name}, {"title", t.Title}, {"caption", t.Caption}, {"columns", anys(fields)}, {"rows", anys(rows)}, {"footnotes", anys(t.Notes)}} {
		if part.key != "name" {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, " %q: ", part.key)
		if err := writeJSON(&b, part.value); err != nil {
			return nil, fmt.Errorf("table %s as JSON: %s: %w", t.Name, part.key, err)
		}
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

func anys[T any](items []T) []any {
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = item
	}
	return list
}

// writeJSON writes a value, and the elements of a list on lines of their own.
func writeJSON(b *bytes.Buffer, value any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	list, ok := value.([]any)
	if !ok {
		err := e.Encode(value)
		b.Truncate(b.Len() - len("\n"))
		return err
	}
	b.WriteByte('[')
	for i, item := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  ")
		if err := e.Encode(item); err != nil {
			return err
		}
		b.Truncate(b.Len() - len("\n"))
	}
	b.WriteString("\n ]")
	return nil
}

func rowsOf(fields []Field) int {
	if len(fields) == 0 {
		return 0
	}
	return len(fields[0].values)
}
