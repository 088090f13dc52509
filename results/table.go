package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"

	"github.com/cadence-bench/cadence-bench/internal/regular"
)

// table is a kind of Parquet file: rows R of one cell. The file's schema, the codec
// and the documentation are all made from columns, in their order.
type table[R any] struct {
	name    string // of the schema
	key     string // file metadata key of the Cell, as JSON
	what    string // the file, in messages
	columns []column[R]
	added   []string           // columns that files made before lack; their fields stay zero, lists empty
	weight  func(*R) int       // elements of the row's longest list
	check   func([]R) []string // added to Cell.Violations
}

const (
	// groupRows and groupWeight close a row group. They bound what a reader holds
	// beside the rows, and keep each column chunk in one page.
	groupRows   = 1 << 16
	groupWeight = 1 << 22
)

func (t *table[R]) write(path string, cell Cell, rows []R) error {
	data, err := t.encode(cell, rows)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return WriteBytes(path, data)
}

func (t *table[R]) read(path string) (Cell, []R, error) {
	data, err := regular.ReadFile(path)
	if err != nil {
		return Cell{}, nil, err
	}
	cell, rows, err := t.decode(data)
	if err != nil {
		return Cell{}, nil, fmt.Errorf("read %s: %w", path, err)
	}
	return cell, rows, nil
}

// docs returns the column dictionary.
func (t *table[R]) docs() []Column {
	docs := make([]Column, len(t.columns))
	for i, c := range t.columns {
		docs[i] = c.Column
	}
	return docs
}

// encode builds the file in memory: the Parquet library drops or panics on
// errors of its sink, and a bytes.Buffer has none.
func (t *table[R]) encode(cell Cell, rows []R) (data []byte, err error) {
	defer recovered(&err, "encode")
	cell.Schema = SchemaVersion
	cell.Violations = merge(cell.Violations, madeFinite(&cell))
	cell.Violations = merge(cell.Violations, t.check(rows))
	meta, err := json.Marshal(cell)
	if err != nil {
		return nil, err
	}

	var buf bytes.Buffer
	w := file.NewParquetWriter(&buf, t.schema(),
		file.WithWriterProps(t.properties()),
		file.WithWriteMetadata(metadata.KeyValueMetadata{{Key: t.key, Value: ptr(string(meta))}}))
	for group := range t.groups(rows) {
		if err := t.writeGroup(w.AppendRowGroup(), &cell, group); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.FlushWithFooter(), w.Close()); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func (t *table[R]) writeGroup(g file.SerialRowGroupWriter, cell *Cell, rows []R) error {
	for _, c := range t.columns {
		w, err := g.NextColumn()
		if err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
		if err := c.codec.write(w, cell, rows); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return g.Close()
}

// groups cuts rows into row groups.
func (t *table[R]) groups(rows []R) iter.Seq[[]R] {
	return func(yield func([]R) bool) {
		start, weight := 0, 0
		for i := range rows {
			weight += t.weight(&rows[i])
			if i+1 == len(rows) || i+1-start == groupRows || weight >= groupWeight {
				if !yield(rows[start : i+1]) {
					return
				}
				start, weight = i+1, 0
			}
		}
	}
}

func (t *table[R]) decode(data []byte) (cell Cell, rows []R, err error) {
	defer recovered(&err, "damaged")
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return Cell{}, nil, fmt.Errorf("not a Parquet file, or a truncated one: %w", err)
	}
	if cell, err = t.decodeMeta(r.MetaData()); err != nil {
		return Cell{}, nil, err
	}
	index, err := t.chunkIndex(r.MetaData().Schema)
	if err != nil {
		return Cell{}, nil, err
	}
	for g := range r.NumRowGroups() {
		group, err := t.readGroup(r.RowGroup(g), index)
		if err != nil {
			return Cell{}, nil, fmt.Errorf("damaged: %w", err)
		}
		rows = append(rows, group...)
	}
	if int64(len(rows)) != r.NumRows() {
		return Cell{}, nil, fmt.Errorf("damaged: %d rows of %d", len(rows), r.NumRows())
	}
	cell.Violations = merge(cell.Violations, t.check(rows))
	return cell, rows, nil
}

// readGroup reads a row group whose columns are at the positions in index.
func (t *table[R]) readGroup(g *file.RowGroupReader, index []int) ([]R, error) {
	if n := g.NumRows(); n < 1 || n > groupRows {
		return nil, fmt.Errorf("a row group of %d rows; %s's have 1 to %d", n, t.what, groupRows)
	}
	rows := make([]R, g.NumRows())
	for i, c := range t.columns {
		if index[i] < 0 {
			continue
		}
		chunk, err := g.Column(index[i])
		if err == nil {
			err = c.codec.read(chunk, rows)
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return rows, nil
}

func (t *table[R]) decodeMeta(m *metadata.FileMetaData) (Cell, error) {
	meta := m.KeyValueMetadata().FindValue(t.key)
	if meta == nil {
		return Cell{}, fmt.Errorf("a Parquet file, but not %s: it has no %s in its metadata", t.what, t.key)
	}
	if err := checkSchema([]byte(*meta)); err != nil {
		return Cell{}, err
	}
	var cell Cell
	if err := json.Unmarshal([]byte(*meta), &cell); err != nil {
		return Cell{}, fmt.Errorf("%s in its metadata: %w", t.key, err)
	}
	return cell, nil
}

// recovered turns a panic of the Parquet library into an error.
func recovered(err *error, doing string) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: %v", doing, p)
	}
}

func ptr[T any](v T) *T { return &v }
