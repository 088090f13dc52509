package results

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/stretchr/testify/require"
)

// Whatever a run measured comes back, valid or not: the predecessor lost a
// finished run to a status column that mixed integers and strings.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		records := make([]Record, []int{0, 1, 2, 40, 400}[r.IntN(5)])
		for i := range records {
			records[i] = anyRecord(r)
		}
		path := filepath.Join(t.TempDir(), "cell.parquet")
		require.NoError(t, WriteCell(path, testCell(), records))

		cell, got, err := ReadCell(path)
		require.NoError(t, err)
		want := testCell()
		want.Violations = Violations(records)
		require.Equal(t, want, cell)
		require.Len(t, got, len(records))
		for i := range records {
			require.Equal(t, records[i], got[i], "row %d", i)
		}
	}
}

func TestRoundTripOfManyRowGroups(t *testing.T) {
	records := load(groupRows+10, 1)
	for i := range records {
		switch {
		case i > groupRows: // the last group has a token in one row alone
			records[i].Tokens, records[i].Outcome = nil, Cancelled
		case i > 2000: // more text than a dictionary page takes
			records[i].Reason = Some(fmt.Sprintf("%0100d", i))
		}
	}
	path := filepath.Join(t.TempDir(), "cell.parquet")
	require.NoError(t, WriteCell(path, testCell(), records))
	cell, got, err := ReadCell(path)
	require.NoError(t, err)
	require.Empty(t, cell.Violations)
	require.Equal(t, records, got)
}

func TestGroups(t *testing.T) {
	long := make([]time.Duration, groupWeight/2)
	var sizes []int
	for rows := range cellTable.groups([]Record{{}, {Tokens: long}, {Tokens: long}, {Tokens: long}, {}}) {
		sizes = append(sizes, len(rows))
	}
	require.Equal(t, []int{3, 2}, sizes)
}

// A row that cannot be true is kept, and the cell says so, in every later read.
func TestViolationsAreKept(t *testing.T) {
	records := load(3, 4)
	records[1].Tokens[0] = records[1].Intended - 1
	cell := testCell()
	cell.Violations = []string{"the clock stepped back"}
	cell.SLOS = math.NaN()
	cell.ProbeAfter = Some(Probe{DecodeTokensPerS: math.Inf(1)})
	path := filepath.Join(t.TempDir(), "cell.parquet")
	require.NoError(t, WriteCell(path, cell, records))

	want := []string{
		"the clock stepped back",
		"probe_after was not finite ({0 +Inf}); stored as null",
		"slo_s was NaN; stored as 0",
		"the first token is before sent_ns: 1 of 3 rows, first request 1 (row 1)",
		"the first token is before started_ns: 1 of 3 rows, first request 1 (row 1)",
	}
	got, rows, err := ReadCell(path)
	require.NoError(t, err)
	require.Equal(t, want, got.Violations)
	require.Equal(t, records, rows)
	require.False(t, got.ProbeAfter.OK)

	require.NoError(t, WriteCell(path, got, rows))
	again, _, err := ReadCell(path)
	require.NoError(t, err)
	require.Equal(t, want, again.Violations)
	require.Equal(t, []string{"the clock stepped back"}, cell.Violations)
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	records := load(1, 1)
	records[0].Reason = Some("bad \xff byte")
	path := filepath.Join(t.TempDir(), "cell.parquet")
	require.NoError(t, WriteCell(path, testCell(), records))
	_, got, err := ReadCell(path)
	require.NoError(t, err)
	require.Equal(t, "bad \uFFFD byte", got[0].Reason.V)
}

func TestEqualCellsAreEqualBytes(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) []byte {
		path := filepath.Join(dir, name)
		require.NoError(t, WriteCell(path, testCell(), load(300, 20)))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		return data
	}
	require.Equal(t, write("a.parquet"), write("b.parquet"))
	noTempFiles(t, dir)
}

func TestSchemaOfFile(t *testing.T) {
	cell, steps := filepath.Join(t.TempDir(), "cell.parquet"), filepath.Join(t.TempDir(), "steps.parquet")
	require.NoError(t, WriteCell(cell, testCell(), load(5, 5)))
	requireSchema(t, cell, Columns())
	require.NoError(t, WriteSteps(steps, testCell(), anySteps(rand.New(rand.NewPCG(4, 0)), 20)))
	requireSchema(t, steps, StepColumns())
}

// requireSchema wants the file's schema to be the dictionary.
func requireSchema(t *testing.T, path string, dictionary []Column) {
	t.Helper()
	r, err := file.OpenParquetFile(path, false)
	require.NoError(t, err)
	defer r.Close()
	meta := r.MetaData()
	require.Equal(t, createdBy, meta.GetCreatedBy())

	root := meta.Schema.Root()
	require.Equal(t, len(dictionary), root.NumFields())
	for i, c := range dictionary {
		element, list := c.Type.element()
		field := root.Field(i)
		leaf := meta.Schema.Column(i)
		require.Equal(t, c.Name, field.Name())
		require.Equal(t, c.Null != "", field.RepetitionType() == parquet.Repetitions.Optional, c.Name)
		require.Equal(t, map[Type]string{
			Bool: "BOOLEAN None", Int32: "INT32 Int(bitWidth=32, isSigned=true)", Int64: "INT64 Int(bitWidth=64, isSigned=true)",
			Uint64: "INT64 Int(bitWidth=64, isSigned=false)", Double: "DOUBLE None", String: "BYTE_ARRAY String",
		}[element], fmt.Sprintf("%s %s", leaf.PhysicalType(), leaf.LogicalType()), c.Name)
		require.Equal(t, list, field.LogicalType().Equals(schema.ListLogicalType{}), c.Name)
		chunk, err := meta.RowGroup(0).ColumnChunk(i)
		require.NoError(t, err)
		require.Equal(t, "ZSTD", chunk.Compression().String())
	}
}

func TestDictionaryIsComplete(t *testing.T) {
	for _, dictionary := range [][]Column{Columns(), StepColumns(), DecisionColumns()} {
		seen := map[string]bool{}
		for _, c := range dictionary {
			require.False(t, seen[c.Name], c.Name)
			seen[c.Name] = true
			require.NotEmpty(t, c.Doc, c.Name)
			for _, unit := range []string{"ns", "tokens", "blocks"} {
				require.Equal(t, unit == c.Unit, strings.HasSuffix(c.Name, "_"+unit), c.Name)
			}
		}
	}
}

// foreign writes a Parquet file with the columns that keep keeps and this metadata.
func foreign(t *testing.T, meta string, keep func(string) bool) string {
	t.Helper()
	var fields schema.FieldList
	var kept []column[Record]
	for _, c := range cellTable.columns {
		if keep(c.Name) {
			fields, kept = append(fields, c.node()), append(kept, c)
		}
	}
	var buf bytes.Buffer
	options := []file.WriteOption{file.WithWriterProps(cellTable.properties())}
	if meta != "" {
		options = append(options, file.WithWriteMetadata(metadata.KeyValueMetadata{{Key: cellTable.key, Value: &meta}}))
	}
	w := file.NewParquetWriter(&buf, schema.MustGroup(schema.NewGroupNode("x", parquet.Repetitions.Required, fields, -1)), options...)
	g := w.AppendRowGroup()
	for _, c := range kept {
		chunk, err := g.NextColumn()
		require.NoError(t, err)
		require.NoError(t, c.codec.write(chunk, &Cell{}, load(2, 2)))
	}
	require.NoError(t, g.Close())
	require.NoError(t, w.FlushWithFooter())
	path := filepath.Join(t.TempDir(), "odd.parquet")
	require.NoError(t, os.WriteFile(path, buf.Bytes(), 0o644))
	return path
}

func TestReadRefuses(t *testing.T) {
	all := func(string) bool { return true }
	text := filepath.Join(t.TempDir(), "notes.parquet")
	require.NoError(t, os.WriteFile(text, []byte("these are not the bytes of a Parquet file"), 0o644))
	empty := filepath.Join(t.TempDir(), "empty.parquet")
	require.NoError(t, os.WriteFile(empty, nil, 0o644))

	for _, tt := range []struct{ path, want string }{
		{filepath.Join(t.TempDir(), "absent.parquet"), "no such file"},
		{text, "not a Parquet file, or a truncated one"},
		{empty, "not a Parquet file, or a truncated one"},
		{foreign(t, "", all), "a Parquet file, but not a cell"},
		{foreign(t, `{"schema":2,"rung":{}}`, all), "schema 2; this version of cadence-bench reads schema 1"},
		{foreign(t, `{"rung":"fifo"}`, all), "schema 0"},
		{foreign(t, `{"schema":1,"rung":3}`, all), "cadence.cell in its metadata"},
		{foreign(t, `{"schema":1}`, func(n string) bool { return n != "outcome" }), "no column outcome"},
	} {
		_, _, err := ReadCell(tt.path)
		require.ErrorContains(t, err, tt.want)
		require.ErrorContains(t, err, filepath.Base(tt.path))
		require.NotContains(t, err.Error(), "\n")
	}
}

// A column of another type is refused, never converted.
func TestReadRefusesOtherType(t *testing.T) {
	outcome := 10
	require.Equal(t, "outcome", cellTable.columns[outcome].Name)
	saved := cellTable.columns[outcome]
	cellTable.columns[outcome].Type, cellTable.columns[outcome].codec = Int32, derivedAlways(func(*Record) int32 { return 200 })
	path := foreign(t, `{"schema":1}`, func(string) bool { return true })
	cellTable.columns[outcome] = saved
	_, _, err := ReadCell(path)
	require.ErrorContains(t, err, "column outcome is not string")
}

// A file from before a nullable column existed reads as null; columns that are
// not ours are passed over.
func TestReadToleratesAddedColumns(t *testing.T) {
	path := foreign(t, `{"schema":1}`, func(n string) bool { return n != "stop_tokens" })
	_, got, err := ReadCell(path)
	require.NoError(t, err)
	want := load(2, 2)
	for i := range want {
		want[i].StopTokens = Opt[int32]{}
	}
	require.Equal(t, want, got)

	path = foreign(t, `{"schema":1}`, func(string) bool { return true })
	saved := cellTable.columns
	cellTable.columns = slices.DeleteFunc(slices.Clone(saved), func(c column[Record]) bool { return c.Name == "stop_tokens" })
	defer func() { cellTable.columns = saved }()
	_, got, err = ReadCell(path)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestTruncatedFilesAreRefused(t *testing.T) {
	data, err := cellTable.encode(testCell(), load(20, 5))
	require.NoError(t, err)
	for n := range len(data) {
		_, _, err := cellTable.decode(data[:n])
		require.Error(t, err, "%d of %d bytes", n, len(data))
	}
}

// A cell that was made before replicates and anchors had columns is read without them:
// it was the first measurement, and no anchor.
func TestCellsOfBeforeAreRead(t *testing.T) {
	before := cellTable
	before.columns = slices.DeleteFunc(slices.Clone(before.columns), func(c column[Record]) bool {
		return slices.Contains(before.added, c.Name)
	})
	require.Len(t, before.columns, len(cellTable.columns)-len(cellTable.added))
	data, err := before.encode(testCell(), load(3, 2))
	require.NoError(t, err)
	require.NotContains(t, string(data), "replicate")
	cell, got, err := cellTable.decode(data)
	require.NoError(t, err)
	require.Equal(t, testCell(), cell)
	require.Equal(t, load(3, 2), got)
}
