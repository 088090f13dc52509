package loadgen

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// tapeMeta is the key of the header in a Parquet file's metadata.
const tapeMeta = "cadence.tape"

// tapeSchema has the fields of tapeRow.
func tapeSchema() *arrow.Schema {
	field := func(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }
	return arrow.NewSchema([]arrow.Field{
		field("at_ns", arrow.PrimitiveTypes.Int64), field("class", arrow.BinaryTypes.String),
		field("group", arrow.PrimitiveTypes.Int64), field("system", arrow.BinaryTypes.String),
		field("history", arrow.ListOfNonNullable(arrow.BinaryTypes.String)), field("user", arrow.BinaryTypes.String),
		field("max_tokens", arrow.PrimitiveTypes.Int64), field("stop_tokens", arrow.PrimitiveTypes.Int64),
		field("seed", arrow.PrimitiveTypes.Uint64), field("session", arrow.PrimitiveTypes.Int64),
		field("turn", arrow.PrimitiveTypes.Int64), field("think_ns", arrow.PrimitiveTypes.Int64),
	}, nil)
}

// parquetGroup is the number of requests in a row group.
const parquetGroup = 1 << 14

// WriteParquet writes a tape as Parquet, with the columns of the JSON lines and their
// header in the metadata under cadence.tape. ReadTape gives back an equal tape.
func (t *Tape) WriteParquet(w io.Writer) (err error) {
	defer recovered(&err)
	if err := t.check(); err != nil {
		return err
	}
	header, err := json.Marshal(t.header())
	if err != nil {
		return err
	}
	schema := tapeSchema()
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var buf bytes.Buffer // the Parquet library may panic on errors of its sink
	out, err := pqarrow.NewFileWriter(schema, &buf, parquet.NewWriterProperties(
		parquet.WithCreatedBy("cadence-bench version 1.0.0"), parquet.WithCompression(compress.Codecs.Zstd)),
		pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	if err := out.AppendKeyValueMetadata(tapeMeta, string(header)); err != nil {
		return err
	}
	for start := 0; start < len(t.Requests); start += parquetGroup {
		for i := start; i < min(start+parquetGroup, len(t.Requests)); i++ {
			appendRow(b, rowOf(&t.Requests[i]))
		}
		rec := b.NewRecord()
		err := out.Write(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	_, err = w.Write(buf.Bytes())
	return err
}

func appendRow(b *array.RecordBuilder, v tapeRow) {
	whole := func(i int, n int64) { b.Field(i).(*array.Int64Builder).Append(n) }
	text := func(i int, s string) { b.Field(i).(*array.StringBuilder).Append(s) }
	whole(0, v.At)
	text(1, v.Class)
	whole(2, v.Group)
	text(3, v.System)
	history := b.Field(4).(*array.ListBuilder)
	history.Append(true)
	for _, s := range v.History {
		history.ValueBuilder().(*array.StringBuilder).Append(s)
	}
	text(5, v.User)
	whole(6, v.MaxTokens)
	whole(7, v.StopTokens)
	b.Field(8).(*array.Uint64Builder).Append(v.Seed)
	whole(9, v.Session)
	whole(10, v.Turn)
	whole(11, v.Think)
}

// maxParquet bounds the size of a tape as Parquet, in bytes.
const maxParquet = 4 << 30

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
	meta := f.MetaData().KeyValueMetadata().FindValue(tapeMeta)
	if meta == nil {
		return nil, fmt.Errorf("a Parquet file, but not a tape: it has no %s in its metadata", tapeMeta)
	}
	var h tapeHeader
	if err := json.Unmarshal([]byte(*meta), &h); err != nil {
		return nil, fmt.Errorf("%s in its metadata: %w", tapeMeta, err)
	}
	if t, err = h.tape(1); err != nil {
		return nil, fmt.Errorf("%s in its metadata: %w", tapeMeta, err)
	}
	if f.NumRows() != int64(h.Requests) {
		return nil, fmt.Errorf("it has %d requests of %d", f.NumRows(), h.Requests)
	}
	for g := range f.NumRowGroups() {
		if n := f.RowGroup(g).NumRows(); n < 0 || n > parquetGroup {
			return nil, fmt.Errorf("damaged: a row group of %d requests; a tape's have at most %d", n, parquetGroup)
		}
	}
	rows, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: parquetGroup}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	table, err := rows.ReadTable(context.Background())
	if err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	defer table.Release()
	if want := tapeSchema(); !sameFields(table.Schema(), want) {
		return nil, fmt.Errorf("another schema: %v", table.Schema().Fields())
	}
	each := array.NewTableReader(table, parquetGroup)
	defer each.Release()
	for each.Next() {
		rec := each.Record()
		for i := range int(rec.NumRows()) {
			v := rowAt(rec, i)
			t.Requests = append(t.Requests, v.request(len(t.Requests)))
		}
	}
	if len(t.Requests) != h.Requests {
		return nil, fmt.Errorf("damaged: %d requests of %d", len(t.Requests), h.Requests)
	}
	return t, t.check()
}

func sameFields(got, want *arrow.Schema) bool {
	if got.NumFields() != want.NumFields() {
		return false
	}
	for i, f := range want.Fields() {
		if g := got.Field(i); g.Name != f.Name || g.Type.ID() != f.Type.ID() || g.Nullable {
			return false
		}
	}
	list, ok := got.Field(4).Type.(*arrow.ListType)
	return ok && list.Elem().ID() == arrow.STRING
}

func rowAt(rec arrow.Record, i int) tapeRow {
	whole := func(c int) int64 { return rec.Column(c).(*array.Int64).Value(i) }
	text := func(c int) string { return string([]byte(rec.Column(c).(*array.String).Value(i))) }
	history := rec.Column(4).(*array.List)
	said := history.ListValues().(*array.String)
	v := tapeRow{
		whole(0), text(1), whole(2), text(3), nil, text(5), whole(6), whole(7),
		rec.Column(8).(*array.Uint64).Value(i), whole(9), whole(10), whole(11),
	}
	from, to := history.ValueOffsets(i)
	for k := from; k < to; k++ {
		v.History = append(v.History, string([]byte(said.Value(int(k)))))
	}
	return v
}

// recovered turns a panic of the Parquet library into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged: %v", p)
	}
}
