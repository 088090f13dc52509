package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	arrow "github.com/apache/arrow/go/v17/parquet"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"
)

// This file reads our files with a second implementation of Parquet, which shares no
// code with the one that writes them.

// otherFile is a file as the second reader has it: a row has for each column nil, a
// value, or a list of values.
type otherFile struct {
	fields []parquet.Field
	rows   [][]any
	meta   func(key string) (string, bool)
}

func readOther(t *testing.T, path string) otherFile {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	out := otherFile{fields: f.Schema().Fields(), meta: f.Lookup}
	require.Len(t, f.Schema().Columns(), len(out.fields), "a leaf for each field")
	buf := make([]parquet.Row, 64)
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				out.rows = append(out.rows, out.assemble(t, row))
			}
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, rows.Close())
	}
	require.Len(t, out.rows, int(f.NumRows()))
	return out
}

// assemble undoes the shredding of one row by its levels.
func (f otherFile) assemble(t *testing.T, row parquet.Row) []any {
	values := make([]any, len(f.fields))
	for _, v := range row {
		i := v.Column()
		if f.fields[i].Leaf() {
			require.Nil(t, values[i], f.fields[i].Name())
			if !v.IsNull() {
				values[i] = plainValue(f.fields[i], v)
			}
			continue
		}
		list, _ := values[i].([]any)
		if list == nil {
			list = []any{}
		}
		require.Equal(t, len(list) > 0, v.RepetitionLevel() > 0, "a list begins at level 0")
		if v.DefinitionLevel() > 0 {
			list = append(list, plainValue(leafOf(f.fields[i]), v))
		}
		values[i] = list
	}
	return values
}

func leafOf(n parquet.Node) parquet.Node {
	for !n.Leaf() {
		n = n.Fields()[0]
	}
	return n
}

func plainValue(n parquet.Node, v parquet.Value) any {
	switch n.Type().Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return v.Int32()
	case parquet.Int64:
		if isUint64(n) {
			return v.Uint64()
		}
		return v.Int64()
	case parquet.Double:
		return v.Double()
	case parquet.ByteArray:
		return string(v.ByteArray())
	}
	return fmt.Errorf("a value of kind %v", n.Type().Kind())
}

func logical(n parquet.Node) format.LogicalTypeValue {
	if l := n.Type().LogicalType(); l != nil {
		return l.Value
	}
	return nil
}

func isUint64(n parquet.Node) bool {
	l, ok := logical(n).(*format.IntType)
	return ok && l.BitWidth == 64 && !l.IsSigned
}

// typeOf is the documented name of a field's type, and whether it may be null.
func typeOf(f parquet.Field) (Type, bool) {
	scalar := func(n parquet.Node) Type {
		switch n.Type().Kind() {
		case parquet.Boolean:
			return Bool
		case parquet.Int32:
			return Int32
		case parquet.Int64:
			if isUint64(n) {
				return Uint64
			}
			return Int64
		case parquet.Double:
			return Double
		case parquet.ByteArray:
			if _, ok := logical(n).(*format.StringType); ok {
				return String
			}
		}
		return ""
	}
	if f.Leaf() {
		return scalar(f), f.Optional()
	}
	return "list<" + scalar(leafOf(f)) + ">", f.Optional()
}

// ours gives a row by the columns' own accessors, as plain values.
func ours[R any](table *table[R], cell *Cell, rows []R) [][]any {
	out := make([][]any, len(rows))
	for _, c := range table.columns {
		values := c.codec.(interface{ plain(*Cell, []R) []any }).plain(cell, rows)
		for i := range rows {
			out[i] = append(out[i], as(c.Type, values[i]))
		}
	}
	return out
}

// plain is what a column stores for each row.
func (c columnCodec[R, P]) plain(cell *Cell, rows []R) []any {
	values := make([]any, len(rows))
	for i := range rows {
		if v, ok := c.get(cell, &rows[i]); ok {
			values[i] = v
		}
	}
	return values
}

func (c listCodec[R, E, P, F]) plain(_ *Cell, rows []R) []any {
	values := make([]any, len(rows))
	for i := range rows {
		elements := *c.of(&rows[i])
		list := make([]any, len(elements))
		for j := range elements {
			list[j] = c.to(*c.field(&elements[j]))
		}
		values[i] = list
	}
	return values
}

// as is a stored value in the column's documented type.
func as(of Type, v any) any {
	switch v := v.(type) {
	case arrow.ByteArray:
		return string(v)
	case int64:
		if of == Uint64 {
			return uint64(v)
		}
	case []any:
		element, _ := of.element()
		for i := range v {
			v[i] = as(element, v[i])
		}
	}
	return v
}

// compareReaders reads a file with both readers. They must agree on the schema, on
// every value of every row, and on the metadata.
func compareReaders[R any](t *testing.T, table *table[R], path string) int {
	t.Helper()
	cell, rows, err := table.read(path)
	require.NoError(t, err)
	f := readOther(t, path)
	require.Len(t, f.rows, len(rows))

	text, ok := f.meta(table.key)
	require.True(t, ok)
	var meta Cell
	require.NoError(t, json.Unmarshal([]byte(text), &meta))
	require.Equal(t, cell, meta)

	want := ours(table, &cell, rows)
	position := map[string]int{}
	for i, c := range table.columns {
		position[c.Name] = i
	}
	for i, field := range f.fields {
		at, known := position[field.Name()]
		require.True(t, known, field.Name())
		kind, null := typeOf(field)
		require.Equal(t, table.columns[at].Type, kind, field.Name())
		require.Equal(t, table.columns[at].Null != "", null, field.Name())
		for j := range rows {
			if !equalPlain(want[j][at], f.rows[j][i]) {
				require.Equal(t, want[j][at], f.rows[j][i], "%s: row %d of %s", path, j, field.Name())
			}
		}
		delete(position, field.Name())
	}
	for name := range position {
		require.Contains(t, table.added, name, "%s has no column %s", path, name)
	}
	return len(rows) * len(f.fields)
}

func equalPlain(a, b any) bool {
	as, lists := a.([]any)
	bs, both := b.([]any)
	if lists != both {
		return false
	}
	if lists {
		return slices.Equal(as, bs)
	}
	return a == b
}

func TestCommittedFilesByASecondReader(t *testing.T) {
	compared := map[string]int{}
	for _, run := range []string{"ladder", "one-thread"} {
		cells, err := filepath.Glob(filepath.Join("runs", run, "cells", "*.parquet"))
		require.NoError(t, err)
		require.NotEmpty(t, cells)
		for _, path := range cells {
			compared["cells"] += compareReaders(t, &cellTable, path)
		}
		traces, err := filepath.Glob(filepath.Join("runs", run, "steps", "*.parquet"))
		require.NoError(t, err)
		for _, path := range traces {
			compared["steps"] += compareReaders(t, &stepTable, path)
		}
	}
	compared["calibration"] = compareReaders(t, &calibrationTable, filepath.Join("calibration", "calibration.parquet"))
	for _, kind := range []string{"cells", "steps", "calibration"} {
		require.NotZero(t, compared[kind], kind)
		t.Logf("%s: %d values", kind, compared[kind])
	}
}

func TestWrittenFilesByASecondReader(t *testing.T) {
	dir := t.TempDir()
	cell := testCell()
	cell.Replicate, cell.Anchor = 2, true
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		records := make([]Record, []int{0, 1, 2, 40, 400}[seed%5])
		for i := range records {
			records[i] = anyRecord(r)
			// A step from one end of int32 to the other takes 33 bits: arrow writes it so,
			// DuckDB reads it, and this second reader does not. No tape has such indices.
			records[i].Request &= math.MaxInt32 >> 1
		}
		path := filepath.Join(dir, fmt.Sprintf("cell-%d.parquet", seed))
		require.NoError(t, WriteCell(path, cell, records))
		compareReaders(t, &cellTable, path)

		path = filepath.Join(dir, fmt.Sprintf("steps-%d.parquet", seed))
		require.NoError(t, WriteSteps(path, cell, anySteps(r, len(records))))
		compareReaders(t, &stepTable, path)

		path = filepath.Join(dir, fmt.Sprintf("decisions-%d.parquet", seed))
		require.NoError(t, WriteDecisions(path, cell, anyDecisions(r, len(records))))
		compareReaders(t, &decisionTable, path)
	}
	path := filepath.Join(dir, "groups.parquet")
	require.NoError(t, WriteCell(path, cell, load(groupRows+10, 1)))
	compareReaders(t, &cellTable, path)
}

// TestDocumentedSchemaIsTheFiles: docs/schema.md lists the columns that a second
// reader finds in a file that is written now, in its order, with type and null.
func TestDocumentedSchemaIsTheFiles(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "schema.md"))
	require.NoError(t, err)
	dir := t.TempDir()
	write := map[string]func(path string) error{
		"columns":             func(path string) error { return WriteCell(path, testCell(), nil) },
		"step-columns":        func(path string) error { return WriteSteps(path, testCell(), nil) },
		"decision-columns":    func(path string) error { return WriteDecisions(path, testCell(), nil) },
		"calibration-columns": func(path string) error { return WriteCalibrationRows(path, nil) },
	}
	for block, file := range write {
		path := filepath.Join(dir, block+".parquet")
		require.NoError(t, file(path))
		var got []string
		for _, f := range readOther(t, path).fields {
			kind, null := typeOf(f)
			got = append(got, fmt.Sprintf("%s %s %v", f.Name(), kind, null))
		}
		_, text, found := strings.Cut(string(doc), "<!-- docgen:begin "+block+" -->\n")
		require.True(t, found, block)
		text, _, found = strings.Cut(text, "<!-- docgen:end -->")
		require.True(t, found, block)
		var want []string
		for line := range strings.Lines(text) {
			cells := strings.Split(line, " | ")
			if !strings.HasPrefix(line, "| `") {
				continue
			}
			require.GreaterOrEqual(t, len(cells), 5, line)
			null := strings.TrimSuffix(strings.TrimSpace(cells[len(cells)-1]), " |")
			want = append(want, fmt.Sprintf("%s %s %v", strings.Trim(cells[0], "| `"), html.UnescapeString(cells[1]), null != "never null"))
		}
		require.Equal(t, want, got, block)
	}
}
