package table

import (
	"math"
	"slices"
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

// Value is a column that only machines get: a text, a truth, a whole number, or a number that
// may be optional. An empty text, and what is not measured or not finite, is null.
func Value[T any](key, unit, doc string, of func(T) any) Col[T] {
	return Col[T]{head: Column{Key: key, Unit: unit, Doc: doc}, value: of}
}

// Text is a column of names, null where one is empty.
func Text[T any](heading, key, doc string, of func(T) string) Col[T] {
	c := Value(key, "", doc, func(record T) any { return of(record) })
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
	c := Value(key, unit, doc, func(record T) any { return of(record) })
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

// Where is the column with null for the records of which has is false.
func (c Col[T]) Where(has func(T) bool) Col[T] {
	if value := c.value; value != nil {
		c.value = func(record T) any {
			if !has(record) {
				return nil
			}
			return value(record)
		}
	}
	if text := c.text; text != nil {
		c.text = func(records []T) string {
			if !has(records[0]) {
				return Null
			}
			return text(records)
		}
	}
	c.parts = slices.Clone(c.parts)
	for i := range c.parts {
		c.parts[i] = c.parts[i].Where(has)
	}
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
			column.values[i] = known(c.value(record))
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

// known is a value as machines get it: null for an empty text, and for a number that was not
// measured or is not finite.
func known(v any) any {
	switch x := v.(type) {
	case string:
		if x == "" {
			return nil
		}
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	case results.Opt[float64]:
		if !x.OK {
			return nil
		}
		return known(x.V)
	}
	return v
}

// OrNull is s for readers, who see an empty one as null.
func OrNull(s string) string {
	if s == "" {
		return Null
	}
	return s
}
