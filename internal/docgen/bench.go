package docgen

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/cadence-bench/cadence-bench/report/table"
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
func benchTable(r io.Reader, file string) (table.Table, error) {
	type benchmark struct {
		name   string
		values map[string]float64 // by unit
	}
	var all []benchmark
	columns := []table.Col[benchmark]{table.Show("benchmark", func(b benchmark) string { return b.name }).Left()}
	units := map[string]bool{}
	reader := benchfmt.NewReader(r, file)
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		b := benchmark{benchName(result.Name), map[string]float64{}}
		for _, v := range result.Values {
			unit, value := v.Unit, v.Value
			if v.OrigUnit != "" { // benchfmt turns ns into s
				unit, value = v.OrigUnit, v.OrigValue
			}
			b.values[unit] = value
			if units[unit] {
				continue
			}
			units[unit] = true
			columns = append(columns, table.Show(unit, func(b benchmark) string {
				if v, ok := b.values[unit]; ok {
					return fmt.Sprintf("%.4g", v)
				}
				return ""
			}))
		}
		all = append(all, b)
	}
	return table.New("", "", all, columns...), reader.Err()
}

// benchName is a benchmark's name without the number of cores, which testing appends.
func benchName(n benchfmt.Name) string {
	base, parts := n.Parts()
	if last := len(parts) - 1; last >= 0 && parts[last][0] == '-' {
		parts = parts[:last]
	}
	return string(base) + string(slices.Concat(parts...))
}
