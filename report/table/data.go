package table

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
	// values has one for each row: nil (null), a string, a bool, an integer or a
	// finite float64.
	values []any
}

// NewField is a column of one value for each item.
func NewField[T any](name, unit, doc string, items []T, of func(T) any) Field {
	f := Field{Name: name, Unit: unit, Doc: doc, values: make([]any, len(items))}
	for i, item := range items {
		f.values[i] = of(item)
	}
	return f
}

// NumberIf is v, or null unless ok and finite.
func NumberIf(v float64, ok bool) any {
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

// Optional is what an Opt holds, or null.
func Optional(o results.Opt[float64]) any { return NumberIf(o.V, o.OK) }

// TextIf is s, or null when it is empty.
func TextIf(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Data returns the table's columns for machines: its Fields or, where it has none, its
// cells as text. A table may have more of them than it shows, and other rows.
func (t Table) Data() []Field {
	if t.Fields != nil {
		return t.Fields
	}
	fields := make([]Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = NewField(c.Name, "", "as shown", t.Rows, func(row []string) any {
			if row[i] == Null {
				return nil
			}
			return TextIf(row[i])
		})
	}
	return fields
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
	return EncodeCSV(lines)
}

// EncodeCSV writes rows as CSV.
func EncodeCSV(rows [][]string) []byte {
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
