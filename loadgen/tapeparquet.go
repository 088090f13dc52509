package loadgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// tapeMeta is the key of the header in a Parquet file's metadata.
const tapeMeta = "cadence.tape"

const (
	// parquetGroup is the number of requests in a row group.
	parquetGroup = 1 << 14
	// maxParquet bounds the size of a tape as Parquet, in bytes.
	maxParquet = 4 << 30
)

// tapeColumn is a column of a tape as Parquet: text, or a whole number. They are the
// fields of tapeRow, except that the history is one string, a JSON array.
type tapeColumn struct {
	name  string
	text  func(*packedRow) *string // nil: a number
	whole func(*packedRow) *int64
}

// packedRow is a tapeRow in the types of the columns.
type packedRow struct {
	tapeRow
	history string
	seed    int64 // the same bits
}

var tapeColumns = []tapeColumn{
	{name: "at_ns", whole: func(v *packedRow) *int64 { return &v.At }},
	{name: "class", text: func(v *packedRow) *string { return &v.Class }},
	{name: "group", whole: func(v *packedRow) *int64 { return &v.Group }},
	{name: "system", text: func(v *packedRow) *string { return &v.System }},
	{name: "history", text: func(v *packedRow) *string { return &v.history }},
	{name: "user", text: func(v *packedRow) *string { return &v.User }},
	{name: "max_tokens", whole: func(v *packedRow) *int64 { return &v.MaxTokens }},
	{name: "stop_tokens", whole: func(v *packedRow) *int64 { return &v.StopTokens }},
	{name: "seed", whole: func(v *packedRow) *int64 { return &v.seed }},
	{name: "session", whole: func(v *packedRow) *int64 { return &v.Session }},
	{name: "turn", whole: func(v *packedRow) *int64 { return &v.Turn }},
	{name: "think_ns", whole: func(v *packedRow) *int64 { return &v.Think }},
}

// node is the column's part of the schema.
func (c *tapeColumn) node() schema.Node {
	var logical schema.LogicalType = schema.StringLogicalType{}
	physical := parquet.Types.ByteArray
	if c.whole != nil {
		logical, physical = schema.NewIntLogicalType(64, c.name != "seed"), parquet.Types.Int64
	}
	return schema.Must(schema.NewPrimitiveNodeLogical(c.name, parquet.Repetitions.Required, logical, physical, -1, -1))
}

func tapeSchema() *schema.GroupNode {
	fields := make(schema.FieldList, len(tapeColumns))
	for i := range tapeColumns {
		fields[i] = tapeColumns[i].node()
	}
	return schema.MustGroup(schema.NewGroupNode("tape", parquet.Repetitions.Required, fields, -1))
}

// WriteParquet writes a tape as Parquet, with the header of the JSON lines in the
// metadata under cadence.tape. ReadTape gives back an equal tape.
func (t *Tape) WriteParquet(w io.Writer) (err error) {
	defer recovered(&err)
	if err := t.check(); err != nil {
		return err
	}
	header, err := json.Marshal(t.header())
	if err != nil {
		return err
	}
	var buf bytes.Buffer // the Parquet library may panic on errors of its sink
	out := file.NewParquetWriter(&buf, tapeSchema(),
		file.WithWriterProps(parquet.NewWriterProperties(
			parquet.WithCreatedBy("cadence-bench version 1.0.0"), parquet.WithCompression(compress.Codecs.Zstd))),
		file.WithWriteMetadata(metadata.KeyValueMetadata{{Key: tapeMeta, Value: new(string(header))}}))
	for start := 0; start < len(t.Requests); start += parquetGroup {
		if err := writeGroup(out.AppendRowGroup(), t.Requests[start:min(start+parquetGroup, len(t.Requests))]); err != nil {
			return err
		}
	}
	if err := errors.Join(out.FlushWithFooter(), out.Close()); err != nil {
		return err
	}
	_, err = w.Write(buf.Bytes())
	return err
}

func writeGroup(g file.SerialRowGroupWriter, requests []Request) error {
	rows := make([]packedRow, len(requests))
	for i := range requests {
		row := rowOf(&requests[i])
		history, err := json.Marshal(row.History)
		if err != nil {
			return err
		}
		rows[i] = packedRow{row, string(history), int64(row.Seed)}
	}
	for i := range tapeColumns {
		w, err := g.NextColumn()
		if err == nil {
			err = tapeColumns[i].write(w, rows)
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", tapeColumns[i].name, err)
		}
	}
	return g.Close()
}

func (c *tapeColumn) write(w file.ColumnChunkWriter, rows []packedRow) (err error) {
	if c.whole != nil {
		values := make([]int64, len(rows))
		for i := range rows {
			values[i] = *c.whole(&rows[i])
		}
		_, err = w.(*file.Int64ColumnChunkWriter).WriteBatch(values, nil, nil)
		return err
	}
	values := make([]parquet.ByteArray, len(rows))
	for i := range rows {
		values[i] = parquet.ByteArray(*c.text(&rows[i]))
	}
	_, err = w.(*file.ByteArrayColumnChunkWriter).WriteBatch(values, nil, nil)
	return err
}

func readParquetTape(r io.Reader) (t *Tape, err error) {
	defer recovered(&err)
	data, err := io.ReadAll(io.LimitReader(r, maxParquet+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxParquet {
		return nil, fmt.Errorf("it is larger than %d GiB", maxParquet>>30)
	}
	f, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file, or a truncated one: %w", err)
	}
	h, t, err := parquetHeader(f)
	if err != nil {
		return nil, err
	}
	if !f.MetaData().Schema.Root().Equals(tapeSchema()) {
		return nil, errors.New("another schema: it has not the columns of a tape")
	}
	for g := range f.NumRowGroups() {
		if err := t.readGroup(f.RowGroup(g)); err != nil {
			return nil, fmt.Errorf("damaged: %w", err)
		}
	}
	if len(t.Requests) != h.Requests {
		return nil, fmt.Errorf("damaged: %d requests of %d", len(t.Requests), h.Requests)
	}
	return t, t.check()
}

func parquetHeader(f *file.Reader) (h tapeHeader, t *Tape, err error) {
	meta := f.MetaData().KeyValueMetadata().FindValue(tapeMeta)
	if meta == nil {
		return h, nil, fmt.Errorf("a Parquet file, but not a tape: it has no %s in its metadata", tapeMeta)
	}
	if err = json.Unmarshal([]byte(*meta), &h); err == nil {
		t, err = h.tape(1)
	}
	if err != nil {
		return h, nil, fmt.Errorf("%s in its metadata: %w", tapeMeta, err)
	}
	return h, t, nil
}

func (t *Tape) readGroup(g *file.RowGroupReader) error {
	if n := g.NumRows(); n < 1 || n > parquetGroup {
		return fmt.Errorf("a row group of %d requests; a tape's have 1 to %d", n, parquetGroup)
	}
	rows := make([]packedRow, g.NumRows())
	for i := range tapeColumns {
		chunk, err := g.Column(i)
		if err == nil {
			err = tapeColumns[i].read(chunk, rows)
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", tapeColumns[i].name, err)
		}
	}
	for i := range rows {
		v := &rows[i]
		v.Seed = uint64(v.seed)
		if err := json.Unmarshal([]byte(v.history), &v.History); err != nil {
			return fmt.Errorf("request %d: history: %w", len(t.Requests), err)
		}
		t.Requests = append(t.Requests, v.request(len(t.Requests)))
	}
	return nil
}

func (c *tapeColumn) read(r file.ColumnChunkReader, rows []packedRow) error {
	for done := 0; done < len(rows); { // a batch ends at the end of a page
		n, err := c.readBatch(r, rows[done:])
		switch {
		case err != nil:
			return err
		case n == 0:
			return fmt.Errorf("%d requests of %d", done, len(rows))
		}
		done += n
	}
	return nil
}

func (c *tapeColumn) readBatch(r file.ColumnChunkReader, rows []packedRow) (n int, err error) {
	if c.whole != nil {
		values := make([]int64, len(rows))
		_, n, err = r.(*file.Int64ColumnChunkReader).ReadBatch(int64(len(rows)), values, nil, nil)
		for i := range n {
			*c.whole(&rows[i]) = values[i]
		}
		return n, err
	}
	values := make([]parquet.ByteArray, len(rows))
	_, n, err = r.(*file.ByteArrayColumnChunkReader).ReadBatch(int64(len(rows)), values, nil, nil)
	for i := range n {
		*c.text(&rows[i]) = string(values[i]) // the library keeps the bytes
	}
	return n, err
}

// recovered turns a panic of the Parquet library into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged: %v", p)
	}
}
