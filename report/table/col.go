package table

import "github.com/cadence-bench/cadence-bench/results"

// Col is a column with its cells, to be set beside others.
type Col struct {
	Column
	cells  []string
	fields []Field
}

// Left is a column of text that is only shown; With gives machines theirs.
func Left(name string, cells []string) Col { return Col{Column{name, true}, cells, nil} }

// Right is a column that is only shown, flush right.
func Right(name string, cells []string) Col { return Col{Column{name, false}, cells, nil} }

// With gives a column what machines read in its place.
func (c Col) With(fields ...Field) Col {
	c.fields = fields
	return c
}

// Number is a column of one number for each item, null where it was not measured: as it is
// for machines, under key, and formatted for people.
func Number[T any](head, key, unit, doc string, items []T, of func(T) results.Opt[float64], format func(float64) string) Col {
	c := Col{Column: Column{Name: head}, cells: make([]string, len(items))}
	for i, item := range items {
		if v := of(item); v.OK {
			c.cells[i] = format(v.V)
		} else {
			c.cells[i] = Null
		}
	}
	return c.With(NewField(key, unit, doc, items, func(item T) any { return Optional(of(item)) }))
}

// Text is a column of one text for each item, null where it is empty.
func Text[T any](head, key, doc string, items []T, of func(T) string) Col {
	c := Col{Column: Column{head, true}, cells: make([]string, len(items))}
	for i, item := range items {
		if c.cells[i] = of(item); c.cells[i] == "" {
			c.cells[i] = Null
		}
	}
	return c.With(NewField(key, "", doc, items, func(item T) any { return TextIf(of(item)) }))
}

// Of sets columns side by side. They have the same number of cells.
func Of(title, caption string, columns []Col) Table {
	t := Table{Title: title, Caption: caption}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
		t.Fields = append(t.Fields, c.fields...)
	}
	if len(columns) == 0 {
		return t
	}
	t.Rows = make([][]string, len(columns[0].cells))
	for i := range t.Rows {
		for _, c := range columns {
			t.Rows[i] = append(t.Rows[i], c.cells[i])
		}
	}
	return t
}
