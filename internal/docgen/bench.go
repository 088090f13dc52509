package docgen

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/cadence-bench/cadence-bench/report"
)

// benchmarks are the tables of what `make bench` printed: bench-NAME for NAME.txt.
func benchmarks() (map[string]string, error) {
	files, err := filepath.Glob(benchOutputs)
	if err != nil {
		return nil, err
	}
	blocks := map[string]string{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		t, err := benchTable(f, file)
		f.Close()
		if err != nil {
			return nil, err
		}
		blocks["bench-"+strings.TrimSuffix(filepath.Base(file), ".txt")] = t.Markdown()
	}
	return blocks, nil
}

// benchTable reads the output of `go test -bench`: a row for each benchmark, a column for
// each unit.
func benchTable(r io.Reader, file string) (report.Table, error) {
	t := report.Table{Columns: []report.Column{{Name: "benchmark", Left: true}}}
	reader := benchfmt.NewReader(r, file)
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		row := make([]string, len(t.Columns))
		row[0] = benchName(result.Name)
		for _, v := range result.Values {
			unit, value := v.Unit, v.Value
			if v.OrigUnit != "" { // benchfmt turns ns into s
				unit, value = v.OrigUnit, v.OrigValue
			}
			i := slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Name == unit })
			if i < 0 {
				i = len(t.Columns)
				t.Columns = append(t.Columns, report.Column{Name: unit})
				row = append(row, "")
			}
			row[i] = fmt.Sprintf("%.4g", value)
		}
		t.Rows = append(t.Rows, row)
	}
	for i, row := range t.Rows {
		t.Rows[i] = append(row, make([]string, len(t.Columns)-len(row))...)
	}
	return t, reader.Err()
}

// benchName is a benchmark's name without the number of cores, which testing appends.
func benchName(n benchfmt.Name) string {
	base, parts := n.Parts()
	if last := len(parts) - 1; last >= 0 && parts[last][0] == '-' {
		parts = parts[:last]
	}
	return string(base) + string(slices.Concat(parts...))
}
