package results

import (
	"fmt"

	"github.com/apache/arrow/go/v17/parquet/file"
)

// listCodec stores one field, F, of the elements, E, of a row's list, which is never
// null. A list of structs takes a column for each field, all of equal lengths: the
// first makes the elements and the others fill them in.
type listCodec[R, E, P, F any] struct {
	of    func(*R) *[]E
	field func(*E) *F
	to    func(F) P
	from  func(P) F
	first bool
}

// list stores the first field of a list's elements.
func list[R, E, P, F any](of func(*R) *[]E, field func(*E) *F, to func(F) P, from func(P) F) codec[R] {
	return listCodec[R, E, P, F]{of, field, to, from, true}
}

// beside stores another field of them, in a later column.
func beside[R, E, P, F any](of func(*R) *[]E, field func(*E) *F, to func(F) P, from func(P) F) codec[R] {
	return listCodec[R, E, P, F]{of, field, to, from, false}
}

func (c listCodec[R, E, P, F]) write(w file.ColumnChunkWriter, _ *Cell, rows []R) error {
	n := 0
	for i := range rows {
		n += max(1, len(*c.of(&rows[i])))
	}
	values, defs, reps := make([]P, 0, n), make([]int16, 0, n), make([]int16, 0, n)
	for i := range rows {
		elements := *c.of(&rows[i])
		if len(elements) == 0 {
			defs, reps = append(defs, 0), append(reps, 0)
		}
		for j := range elements {
			values, defs, reps = append(values, c.to(*c.field(&elements[j]))), append(defs, 1), append(reps, level(j > 0))
		}
	}
	_, err := w.(batchWriter[P]).WriteBatch(values, defs, reps)
	return err
}

func (c listCodec[R, E, P, F]) read(r file.ColumnChunkReader, rows []R) error {
	values, counts, err := c.decode(r, len(rows))
	if err != nil {
		return err
	}
	var made []E // of all rows
	if c.first {
		made = make([]E, len(values))
	}
	for i, n := range counts {
		elements := c.of(&rows[i])
		if c.first && n > 0 {
			*elements, made = made[:n:n], made[n:]
		}
		if len(*elements) != n {
			return fmt.Errorf("row %d has a list of %d beside one of %d", i, n, len(*elements))
		}
		for j, v := range values[:n] {
			*c.field(&(*elements)[j]) = v
		}
		values = values[n:]
	}
	return nil
}

// listBatch is how many list elements are decoded at once.
const listBatch = 1 << 14

// decode returns the elements of a chunk of n lists and how many each list has.
func (c listCodec[R, E, P, F]) decode(r file.ColumnChunkReader, n int) (elements []F, counts []int, err error) {
	reader := r.(batchReader[P])
	values, defs, reps := make([]P, listBatch), make([]int16, listBatch), make([]int16, listBatch)
	counts = make([]int, n)
	row, total := -1, 0
	for r.HasNext() {
		levels, read, err := reader.ReadBatch(listBatch, values, defs, reps)
		if err != nil {
			return nil, nil, err
		}
		if levels == 0 {
			break
		}
		for i := range levels {
			if reps[i] == 0 {
				row++
			}
			if row < 0 || row >= n {
				return nil, nil, fmt.Errorf("lists for other than %d rows", n)
			}
			counts[row] += int(defs[i])
			total += int(defs[i])
		}
		for _, v := range values[:read] {
			elements = append(elements, c.from(v))
		}
	}
	if err := r.Err(); err != nil {
		return nil, nil, err
	}
	if row+1 != n || total != len(elements) {
		return nil, nil, fmt.Errorf("%d lists of %d elements for %d rows of %d", row+1, len(elements), n, total)
	}
	return elements, counts, nil
}
