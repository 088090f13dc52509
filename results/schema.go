package results

import (
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

const (
	// createdBy is the same in every file, so that equal cells are equal bytes.
	createdBy = "cadence-bench version 1.0.0"
	// pageBytes is larger than any column chunk, so that each is one page: arrow
	// v17's delta encoder fills a later page that has no value with stale bytes.
	pageBytes = 1 << 30
	// zstdLevel 1 gives files as small as the library's default (263,878 bytes
	// against 263,866 for 1,000 rows of 70 tokens: the times are delta-packed
	// already) in half the time.
	zstdLevel = 1
)

// chunkIndex gives the position of each of columns in a file, or -1 for one that
// the file lacks and that may be null.
func chunkIndex(s *schema.Schema) ([]int, error) {
	index := make([]int, len(columns))
	for i, c := range columns {
		want := c.node()
		index[i] = s.Root().FieldIndexByName(c.Name)
		switch {
		case index[i] < 0 && c.Null == "":
			return nil, fmt.Errorf("another schema: it has no column %s", c.Name)
		case index[i] >= 0 && !s.Root().Field(index[i]).Equals(want):
			return nil, fmt.Errorf("another schema: column %s is not %s", c.Name, c.Type)
		case index[i] >= 0:
			index[i] = s.ColumnIndexByName(leafPath(c))
		}
	}
	return index, nil
}

func leafPath(c column) string {
	if c.Type == Int64List {
		return c.Name + ".list.element"
	}
	return c.Name
}

func cellSchema() *schema.GroupNode {
	fields := make(schema.FieldList, len(columns))
	for i, c := range columns {
		fields[i] = c.node()
	}
	return schema.MustGroup(schema.NewGroupNode("cell", parquet.Repetitions.Required, fields, -1))
}

// node is the column's part of the Parquet schema.
func (c column) node() schema.Node {
	repetition := parquet.Repetitions.Required
	if c.Null != "" {
		repetition = parquet.Repetitions.Optional
	}
	leaf := func(t parquet.Type, logical schema.LogicalType) schema.Node {
		return schema.Must(schema.NewPrimitiveNodeLogical(c.Name, repetition, logical, t, -1, -1))
	}
	switch c.Type {
	case Bool:
		return leaf(parquet.Types.Boolean, schema.NoLogicalType{})
	case Int32:
		return leaf(parquet.Types.Int32, schema.NewIntLogicalType(32, true))
	case Int64:
		return leaf(parquet.Types.Int64, schema.NewIntLogicalType(64, true))
	case Uint64:
		return leaf(parquet.Types.Int64, schema.NewIntLogicalType(64, false))
	case Double:
		return leaf(parquet.Types.Double, schema.NoLogicalType{})
	case String:
		return leaf(parquet.Types.ByteArray, schema.StringLogicalType{})
	case Int64List:
		element := leaf(parquet.Types.Int64, schema.NewIntLogicalType(64, true))
		return schema.Must(schema.ListOf(element, repetition, -1))
	}
	panic("results: column " + c.Name + " has no type")
}

func writerProperties() *parquet.WriterProperties {
	options := []parquet.WriterProperty{
		parquet.WithCreatedBy(createdBy),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCompressionLevel(zstdLevel),
		parquet.WithDataPageSize(pageBytes),
	}
	for _, c := range columns {
		if c.delta {
			options = append(options,
				parquet.WithDictionaryFor(leafPath(c), false),
				parquet.WithEncodingFor(leafPath(c), parquet.Encodings.DeltaBinaryPacked))
		}
	}
	return parquet.NewWriterProperties(options...)
}
