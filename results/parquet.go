package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"

	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

const (
	// cellKey is the file metadata key of the Cell, as JSON.
	cellKey = "cadence.cell"
	// groupRows and groupTokens close a row group. They bound what a reader holds
	// beside the records, and keep each column chunk in one page.
	groupRows   = 1 << 16
	groupTokens = 1 << 22
)

// WriteCell writes a cell and its rows as one Parquet file, which appears whole
// or not at all; equal arguments give equal bytes.
//
// Nothing measured is lost here: a row that breaks a rule (see Violations) and a
// number in cell that is not finite are written all the same, and named in the
// file's Cell.Violations, which make the cell invalid in reports. An error means
// that the disk refused; errors.Is finds syscall.ENOSPC in it.
func WriteCell(path string, cell Cell, records []Record) error {
	data, err := encodeCell(cell, records)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeBytes(path, data)
}

// ReadCell reads a file of WriteCell. Columns that it does not know are ignored,
// and a nullable column that is missing is null. The rows' violations are taken
// anew and added to those in the file. A file that is not a whole cell of this
// schema is an error that names it.
func ReadCell(path string) (Cell, []Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Cell{}, nil, err
	}
	cell, records, err := decodeCell(data)
	if err != nil {
		return Cell{}, nil, fmt.Errorf("read %s: %w", path, err)
	}
	return cell, records, nil
}

// encodeCell builds the file in memory: the Parquet library drops or panics on
// errors of its sink, and a bytes.Buffer has none.
func encodeCell(cell Cell, records []Record) (data []byte, err error) {
	defer recovered(&err, "encode")
	cell.Schema = SchemaVersion
	cell.Violations = merge(cell.Violations, madeFinite(&cell))
	cell.Violations = merge(cell.Violations, Violations(records))
	meta, err := json.Marshal(cell)
	if err != nil {
		return nil, err
	}

	var buf bytes.Buffer
	w := file.NewParquetWriter(&buf, cellSchema(),
		file.WithWriterProps(writerProperties()),
		file.WithWriteMetadata(metadata.KeyValueMetadata{{Key: cellKey, Value: ptr(string(meta))}}))
	for rows := range groups(records) {
		if err := writeGroup(w.AppendRowGroup(), &cell, rows); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.FlushWithFooter(), w.Close()); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func writeGroup(g file.SerialRowGroupWriter, cell *Cell, rows []Record) error {
	for _, c := range columns {
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

// groups cuts records into row groups.
func groups(records []Record) iter.Seq[[]Record] {
	return func(yield func([]Record) bool) {
		start, tokens := 0, 0
		for i := range records {
			tokens += len(records[i].Tokens)
			if i+1 == len(records) || i+1-start == groupRows || tokens >= groupTokens {
				if !yield(records[start : i+1]) {
					return
				}
				start, tokens = i+1, 0
			}
		}
	}
}

func decodeCell(data []byte) (cell Cell, records []Record, err error) {
	defer recovered(&err, "damaged")
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		return Cell{}, nil, fmt.Errorf("not a Parquet file, or a truncated one: %w", err)
	}
	if cell, err = decodeMeta(r.MetaData()); err != nil {
		return Cell{}, nil, err
	}
	index, err := chunkIndex(r.MetaData().Schema)
	if err != nil {
		return Cell{}, nil, err
	}
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		if n := group.NumRows(); n < 1 || n > groupRows {
			return Cell{}, nil, fmt.Errorf("damaged: a row group of %d rows; a cell's have 1 to %d", n, groupRows)
		}
		rows := make([]Record, group.NumRows())
		for i, c := range columns {
			if index[i] < 0 {
				continue
			}
			chunk, err := group.Column(index[i])
			if err == nil {
				err = c.codec.read(chunk, rows)
			}
			if err != nil {
				return Cell{}, nil, fmt.Errorf("damaged: column %s: %w", c.Name, err)
			}
		}
		records = append(records, rows...)
	}
	if int64(len(records)) != r.NumRows() {
		return Cell{}, nil, fmt.Errorf("damaged: %d rows of %d", len(records), r.NumRows())
	}
	cell.Violations = merge(cell.Violations, Violations(records))
	return cell, records, nil
}

func decodeMeta(m *metadata.FileMetaData) (Cell, error) {
	meta := m.KeyValueMetadata().FindValue(cellKey)
	if meta == nil {
		return Cell{}, fmt.Errorf("a Parquet file, but not a cell: it has no %s in its metadata", cellKey)
	}
	if err := checkSchema([]byte(*meta)); err != nil {
		return Cell{}, err
	}
	var cell Cell
	if err := json.Unmarshal([]byte(*meta), &cell); err != nil {
		return Cell{}, fmt.Errorf("%s in its metadata: %w", cellKey, err)
	}
	return cell, nil
}

// checkSchema refuses JSON whose "schema" is not ours, before anything else in
// it is given a meaning.
func checkSchema(data []byte) error {
	var v struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if v.Schema != SchemaVersion {
		return fmt.Errorf("schema %d; this version of cadence-bench reads schema %d", v.Schema, SchemaVersion)
	}
	return nil
}

// madeFinite replaces what JSON cannot hold and says so: a probe becomes null,
// any other number 0.
func madeFinite(c *Cell) (violations []string) {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	for _, p := range []struct {
		name  string
		probe *Opt[Probe]
	}{{"probe_before", &c.ProbeBefore}, {"probe_after", &c.ProbeAfter}} {
		if v := p.probe.V; p.probe.OK && !(finite(v.PrefillTokensPerS) && finite(v.DecodeTokensPerS)) {
			violations = append(violations, fmt.Sprintf("%s was not finite (%v); stored as null", p.name, v))
			*p.probe = Opt[Probe]{}
		}
	}
	for _, n := range []struct {
		name  string
		value *float64
	}{
		{"offered_rps", &c.OfferedRPS}, {"duration_s", &c.DurationS}, {"warmup_s", &c.WarmupS},
		{"timeout_s", &c.TimeoutS}, {"slo_s", &c.SLOS}, {"ended_s", &c.EndedS},
		{"steps.model_s", &c.Steps.ModelS}, {"steps.host_s", &c.Steps.HostS}, {"steps.schedule_s", &c.Steps.ScheduleS},
	} {
		if !finite(*n.value) {
			violations = append(violations, fmt.Sprintf("%s was %v; stored as 0", n.name, *n.value))
			*n.value = 0
		}
	}
	return violations
}

// merge returns a, then what of b is not in a. It does not change a.
func merge(a, b []string) []string {
	a = slices.Clip(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// recovered turns a panic of the Parquet library into an error.
func recovered(err *error, doing string) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: %v", doing, p)
	}
}

func ptr[T any](v T) *T { return &v }
