package table

import (
	"math"
	"strconv"

	"github.com/cadence-bench/cadence-bench/results"
)

// Col declares a column of a table whose records are Ts.
type Col[T any] struct {
	head  Column
	value func(T) any      // for machines
	text  func([]T) string // for readers
	parts []Col[T]         // what machines get of a column that shows several values
}

// Value is a column that only machines get.
func Value[T any](key, unit, doc string, of func(T) any) Col[T] {
	return Col[T]{head: Column{Key: key, Unit: unit, Doc: doc}, value: of}
}

// Text is a column of names, null where one is empty.
func Text[T any](heading, key, doc string, of func(T) string) Col[T] {
	c := Value(key, "", doc, func(record T) any { return TextIf(of(record)) })
	return c.reading(heading, func(record T) string { return OrNull(of(record)) }).Left()
}

// Count is a column of whole numbers.
func Count[T any](heading, key, doc string, of func(T) int) Col[T] {
	c := Value(key, "", doc, func(record T) any { return of(record) })
	return c.reading(heading, func(record T) string { return strconv.Itoa(of(record)) })
}

// Number is a column of numbers.
func Number[T any](heading, key, unit, doc string, of func(T) float64, format func(float64) string) Col[T] {
	return Optional(heading, key, unit, doc, func(record T) results.Opt[float64] { return results.Some(of(record)) }, format)
}

// Optional is a column of numbers, null where one was not measured.
func Optional[T any](heading, key, unit, doc string, of func(T) results.Opt[float64], format func(float64) string) Col[T] {
	c := Value(key, unit, doc, func(record T) any { return Opt(of(record)) })
	return c.reading(heading, func(record T) string {
		if v := of(record); v.OK {
			return format(v.V)
		}
		return Null
	})
}

// Show is a column that shows a record, or several values of it, as one text. The parts are
// what machines get of it; without any it is for readers alone.
func Show[T any](heading string, format func(T) string, parts ...Col[T]) Col[T] {
	return Across(heading, func(records []T) string { return format(records[0]) }, parts...)
}

// Across is Show for all the records of a row.
func Across[T any](heading string, format func([]T) string, parts ...Col[T]) Col[T] {
	c := Col[T]{head: Column{Key: heading, Heading: heading}, text: format, parts: parts}
	if len(parts) > 0 {
		c.head.Key = parts[0].head.Key
	}
	return c
}

func (c Col[T]) reading(heading string, format func(T) string) Col[T] {
	c.head.Heading = heading
	c.text = func(records []T) string { return format(records[0]) }
	return c
}

// Left sets a column flush left.
func (c Col[T]) Left() Col[T] {
	c.head.Left = true
	return c
}

// Right sets a column flush right.
func (c Col[T]) Right() Col[T] {
	c.head.Left = false
	return c
}

// Marked adds a mark to what readers see of each record.
func (c Col[T]) Marked(mark func(T) string) Col[T] {
	text := c.text
	c.text = func(records []T) string { return text(records) + mark(records[0]) }
	return c
}

// Named gives a column that only readers see the key by which Shown knows it, where its
// heading is not unique.
func (c Col[T]) Named(key string) Col[T] {
	c.head.Key = key
	return c
}

// ForReaders is a column that machines do not get.
func (c Col[T]) ForReaders() Col[T] {
	c.value, c.parts = nil, nil
	return c
}

// bind gives a column its values, and its parts theirs.
func (c Col[T]) bind(records []T, rows [][]T) []Column {
	column := c.head
	if c.value != nil {
		column.values = make([]any, len(records))
		for i, record := range records {
			column.values[i] = c.value(record)
		}
	}
	if c.text != nil {
		column.text = func(row int) string { return c.text(rows[row]) }
	}
	columns := []Column{column}
	for _, part := range c.parts {
		columns = append(columns, part.bind(records, rows)...)
	}
	return columns
}

// NumberIf is v, or null unless ok and finite.
func NumberIf(v float64, ok bool) any {
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

// Opt is what an optional number holds, or null.
func Opt(o results.Opt[float64]) any { return NumberIf(o.V, o.OK) }

// TextIf is s, or null when it is empty.
func TextIf(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// OrNull is s for readers, who see an empty one as null.
func OrNull(s string) string {
	if s == "" {
		return Null
	}
	return s
}
