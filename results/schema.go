package results

import (
	"fmt"
	"slices"

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

// chunkIndex gives the position of each of t's columns in a file, or -1 for one
// that the file lacks and that may be null, or was added since.
func (t *table[R]) chunkIndex(s *schema.Schema) ([]int, error) {
	index := make([]int, len(t.columns))
	for i, c := range t.columns {
		want := c.node()
		index[i] = s.Root().FieldIndexByName(c.Name)
		switch {
		case index[i] < 0 && c.Null == "" && !slices.Contains(t.added, c.Name):
			return nil, fmt.Errorf("another schema: it has no column %s", c.Name)
		case index[i] >= 0 && !s.Root().Field(index[i]).Equals(want):
			return nil, fmt.Errorf("another schema: column %s is not %s", c.Name, c.Type)
		case index[i] >= 0:
			index[i] = s.ColumnIndexByName(c.leafPath())
		}
	}
	return index, nil
}

func (c Column) leafPath() string {
	if _, list := c.Type.element(); list {
		return c.Name + ".list.element"
	}
	return c.Name
}

func (t *table[R]) schema() *schema.GroupNode {
	fields := make(schema.FieldList, len(t.columns))
	for i, c := range t.columns {
		fields[i] = c.node()
	}
	return schema.MustGroup(schema.NewGroupNode(t.name, parquet.Repetitions.Required, fields, -1))
}

// node is the column's part of the Parquet schema.
func (c Column) node() schema.Node {
	repetition := parquet.Repetitions.Required
	if c.Null != "" {
		repetition = parquet.Repetitions.Optional
	}
	element, list := c.Type.element()
	leaf := leaves[element]
	node := schema.Must(schema.NewPrimitiveNodeLogical(c.Name, repetition, leaf.logical, leaf.physical, -1, -1))
	if list {
		return schema.Must(schema.ListOf(node, repetition, -1))
	}
	return node
}

// leaves says how values are stored, by the type of a column or of a list's elements.
var leaves = map[Type]struct {
	physical parquet.Type
	logical  schema.LogicalType
}{
	Bool:   {parquet.Types.Boolean, schema.NoLogicalType{}},
	Int32:  {parquet.Types.Int32, schema.NewIntLogicalType(32, true)},
	Int64:  {parquet.Types.Int64, schema.NewIntLogicalType(64, true)},
	Uint64: {parquet.Types.Int64, schema.NewIntLogicalType(64, false)},
	Double: {parquet.Types.Double, schema.NoLogicalType{}},
	String: {parquet.Types.ByteArray, schema.StringLogicalType{}},
}

// properties says how t is written.
func (t *table[R]) properties() *parquet.WriterProperties {
	options := []parquet.WriterProperty{
		parquet.WithCreatedBy(createdBy),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCompressionLevel(zstdLevel),
		parquet.WithDataPageSize(pageBytes),
	}
	for _, c := range t.columns {
		if c.delta {
			options = append(options,
				parquet.WithDictionaryFor(c.leafPath(), false),
				parquet.WithEncodingFor(c.leafPath(), parquet.Encodings.DeltaBinaryPacked))
		}
	}
	return parquet.NewWriterProperties(options...)
}
