package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// data are the columns that machines get.
func (t Table) data() []Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return c.values == nil })
}

// CSV gives the table's data under one line of column keys. Null is an empty cell;
// a number is the shortest that reads back as the same.
func (t Table) CSV() []byte {
	columns := t.data()
	lines := [][]string{make([]string, len(columns))}
	for i, c := range columns {
		lines[0][i] = c.Key
	}
	for i := range recordsOf(columns) {
		line := make([]string, len(columns))
		for j, c := range columns {
			switch v := c.values[i].(type) {
			case nil:
			case float64:
				line[j] = strconv.FormatFloat(v, 'g', -1, 64)
			default:
				line[j] = fmt.Sprint(v)
			}
		}
		lines = append(lines, line)
	}
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(lines) // a bytes.Buffer takes everything
	return b.Bytes()
}

// JSON gives the table's data with its title, its notes and what each column is. A
// row is an array in the order of the columns; each is on a line of its own.
func (t Table) JSON() ([]byte, error) {
	columns := t.data()
	rows := make([][]any, recordsOf(columns))
	for i := range rows {
		for _, c := range columns {
			rows[i] = append(rows[i], c.values[i])
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n")
	for _, part := range []struct {
		key   string
		value any
	}{{"name", t.Name}, {"title", t.Title}, {"caption", t.Caption}, {"columns", anys(columns)}, {"rows", anys(rows)}, {"footnotes", anys(t.Notes)}} {
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

func recordsOf(columns []Column) int {
	if len(columns) == 0 {
		return 0
	}
	return len(columns[0].values)
}
