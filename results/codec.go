package results

import (
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// codec moves one column between the rows of a row group and its column chunk.
type codec[R any] interface {
	write(w file.ColumnChunkWriter, cell *Cell, rows []R) error
	// read fills rows, one for each row of the chunk. A column that repeats what
	// others say reads nothing.
	read(r file.ColumnChunkReader, rows []R) error
}

// The typed chunk writers and readers of the Parquet library, by value type.
type (
	batchWriter[P any] interface {
		WriteBatch(values []P, defs, reps []int16) (int64, error)
	}
	batchReader[P any] interface {
		ReadBatch(n int64, values []P, defs, reps []int16) (int64, int, error)
	}
)

// columnCodec stores a column with at most one value a row. get returns the
// value, or false for null; set is nil for a column that is not read back.
type columnCodec[R, P any] struct {
	get      func(*Cell, *R) (P, bool)
	set      func(*R, P)
	nullable bool
}

func (c columnCodec[R, P]) write(w file.ColumnChunkWriter, cell *Cell, rows []R) error {
	values := make([]P, 0, len(rows))
	var defs []int16
	for i := range rows {
		v, ok := c.get(cell, &rows[i])
		if ok {
			values = append(values, v)
		}
		if c.nullable {
			defs = append(defs, level(ok))
		}
	}
	_, err := w.(batchWriter[P]).WriteBatch(values, defs, nil)
	return err
}

func (c columnCodec[R, P]) read(r file.ColumnChunkReader, rows []R) error {
	if c.set == nil {
		return nil
	}
	values := make([]P, len(rows))
	var defs []int16
	if c.nullable {
		defs = make([]int16, len(rows))
	}
	levels, read, err := r.(batchReader[P]).ReadBatch(int64(len(rows)), values, defs, nil)
	if err != nil {
		return err
	}
	if levels != int64(len(rows)) {
		return fmt.Errorf("%d rows of %d", levels, len(rows))
	}
	next := 0
	for i := range rows {
		if c.nullable && defs[i] == 0 {
			continue
		}
		if next == read {
			return fmt.Errorf("fewer values (%d) than rows that have one", read)
		}
		c.set(&rows[i], values[next])
		next++
	}
	return nil
}

func level(present bool) int16 {
	if present {
		return 1
	}
	return 0
}

// required stores a field that every row has.
func required[R, P, F any](field func(*R) *F, to func(F) P, from func(P) F) codec[R] {
	return columnCodec[R, P]{
		get: func(_ *Cell, r *R) (P, bool) { return to(*field(r)), true },
		set: func(r *R, v P) { *field(r) = from(v) },
	}
}

// nullable stores a field that may not have been measured.
func nullable[R, P, F any](field func(*R) *Opt[F], to func(F) P, from func(P) F) codec[R] {
	return columnCodec[R, P]{
		get:      func(_ *Cell, r *R) (P, bool) { o := field(r); return to(o.V), o.OK },
		set:      func(r *R, v P) { *field(r) = Some(from(v)) },
		nullable: true,
	}
}

// constant stores a value of the cell in every row.
func constant[R, P any](of func(*Cell) P) codec[R] {
	return columnCodec[R, P]{get: func(c *Cell, _ *R) (P, bool) { return of(c), true }}
}

// derived stores what follows from a row's other columns.
func derived[R, P, F any](of func(*R) Opt[F], to func(F) P) codec[R] {
	return columnCodec[R, P]{
		get:      func(_ *Cell, r *R) (P, bool) { o := of(r); return to(o.V), o.OK },
		nullable: true,
	}
}

// derivedAlways is derived for what is never null.
func derivedAlways[R, P any](of func(*R) P) codec[R] {
	return columnCodec[R, P]{get: func(_ *Cell, r *R) (P, bool) { return of(r), true }}
}

func same[T any](v T) T                       { return v }
func ns(d time.Duration) int64                { return int64(d) }
func duration(n int64) time.Duration          { return time.Duration(n) }
func unText[S ~string](b parquet.ByteArray) S { return S(b) }

// text encodes a string. SQL readers refuse a file with invalid UTF-8, so an
// invalid byte, as a reason from elsewhere may carry, becomes U+FFFD.
func text[S ~string](s S) parquet.ByteArray {
	return parquet.ByteArray(strings.ToValidUTF8(string(s), "\uFFFD"))
}
