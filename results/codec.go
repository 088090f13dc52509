package results

import (
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// codec moves one column between the rows of a row group and its column chunk.
type codec interface {
	write(w file.ColumnChunkWriter, cell *Cell, rows []Record) error
	// read fills rows, one for each row of the chunk. A column that repeats what
	// others say reads nothing.
	read(r file.ColumnChunkReader, rows []Record) error
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
type columnCodec[P any] struct {
	get      func(*Cell, *Record) (P, bool)
	set      func(*Record, P)
	nullable bool
}

func (c columnCodec[P]) write(w file.ColumnChunkWriter, cell *Cell, rows []Record) error {
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

func (c columnCodec[P]) read(r file.ColumnChunkReader, rows []Record) error {
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
func required[P, F any](field func(*Record) *F, to func(F) P, from func(P) F) codec {
	return columnCodec[P]{
		get: func(_ *Cell, r *Record) (P, bool) { return to(*field(r)), true },
		set: func(r *Record, v P) { *field(r) = from(v) },
	}
}

// nullable stores a field that may not have been measured.
func nullable[P, F any](field func(*Record) *Opt[F], to func(F) P, from func(P) F) codec {
	return columnCodec[P]{
		get:      func(_ *Cell, r *Record) (P, bool) { o := field(r); return to(o.V), o.OK },
		set:      func(r *Record, v P) { *field(r) = Some(from(v)) },
		nullable: true,
	}
}

// constant stores a value of the cell in every row.
func constant[P any](of func(*Cell) P) codec {
	return columnCodec[P]{get: func(c *Cell, _ *Record) (P, bool) { return of(c), true }}
}

// derived stores what follows from a row's other columns.
func derived[P, F any](of func(*Record) Opt[F], to func(F) P) codec {
	return columnCodec[P]{
		get:      func(_ *Cell, r *Record) (P, bool) { o := of(r); return to(o.V), o.OK },
		nullable: true,
	}
}

// derivedAlways is derived for what is never null.
func derivedAlways[P any](of func(*Record) P) codec {
	return columnCodec[P]{get: func(_ *Cell, r *Record) (P, bool) { return of(r), true }}
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

// tokenTimes stores Record.Tokens as a list that is never null.
type tokenTimes struct{}

func (tokenTimes) write(w file.ColumnChunkWriter, _ *Cell, rows []Record) error {
	n := 0
	for i := range rows {
		n += max(1, len(rows[i].Tokens))
	}
	values, defs, reps := make([]int64, 0, n), make([]int16, 0, n), make([]int16, 0, n)
	for i := range rows {
		if len(rows[i].Tokens) == 0 {
			defs, reps = append(defs, 0), append(reps, 0)
		}
		for j, t := range rows[i].Tokens {
			values, defs, reps = append(values, int64(t)), append(defs, 1), append(reps, level(j > 0))
		}
	}
	_, err := w.(batchWriter[int64]).WriteBatch(values, defs, reps)
	return err
}

// tokenBatch is how many token times are decoded at once.
const tokenBatch = 1 << 14

func (tokenTimes) read(r file.ColumnChunkReader, rows []Record) error {
	reader := r.(batchReader[int64])
	values, defs, reps := make([]int64, tokenBatch), make([]int16, tokenBatch), make([]int16, tokenBatch)
	var times []time.Duration // of all rows
	counts := make([]int, len(rows))
	row, total := -1, 0
	for r.HasNext() {
		levels, read, err := reader.ReadBatch(tokenBatch, values, defs, reps)
		if err != nil {
			return err
		}
		if levels == 0 {
			break
		}
		for i := range levels {
			if reps[i] == 0 {
				row++
			}
			if row < 0 || row >= len(rows) {
				return fmt.Errorf("lists for other than %d rows", len(rows))
			}
			counts[row] += int(defs[i])
			total += int(defs[i])
		}
		for _, v := range values[:read] {
			times = append(times, time.Duration(v))
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	if row+1 != len(rows) || total != len(times) {
		return fmt.Errorf("%d lists of %d times for %d rows of %d", row+1, len(times), len(rows), total)
	}
	for i, n := range counts {
		if n > 0 {
			rows[i].Tokens, times = times[:n:n], times[n:]
		}
	}
	return nil
}
