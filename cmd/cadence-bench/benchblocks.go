package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/cadence-bench/cadence-bench/report"
)

// benchFolder holds what `make bench` printed, a file for each table of
// docs/performance.md, and profileTable what `profile` wrote.
const (
	benchFolder  = "results/runs/bench"
	profileTable = "results/runs/profile/profile.md"
)

// benchBlocks are the tables of the kept benchmark outputs: bench-NAME for
// NAME.txt, and profile for the kept profile.
func benchBlocks() (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(benchFolder, "*.txt"))
	if err != nil {
		return nil, err
	}
	blocks := map[string]string{}
	for _, file := range files {
		t, err := benchTable(file)
		if err != nil {
			return nil, err
		}
		blocks["bench-"+strings.TrimSuffix(filepath.Base(file), ".txt")] = t.Markdown()
	}
	profile, err := os.ReadFile(profileTable)
	if errors.Is(err, fs.ErrNotExist) {
		return blocks, nil
	}
	// The table and its notes; the document has its own link to the flame graph.
	table, _, _ := strings.Cut(string(profile), "\n![")
	blocks["profile"] = table
	return blocks, err
}

// benchTable reads the output of `go test -bench`: a row for each benchmark, a
// column for each unit that is not only zeros.
func benchTable(file string) (report.Table, error) {
	f, err := os.Open(file)
	if err != nil {
		return report.Table{}, err
	}
	defer f.Close()
	var results []*benchfmt.Result
	var units []string
	reader := benchfmt.NewReader(f, file)
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		r = r.Clone()
		results = append(results, r)
		for _, v := range r.Values {
			unit, _ := asWritten(v)
			if !slices.Contains(units, unit) {
				units = append(units, unit)
			}
		}
	}
	if err := reader.Err(); err != nil {
		return report.Table{}, err
	}
	t := report.Table{Columns: []report.Column{{Name: "benchmark", Left: true}}}
	for _, u := range units {
		t.Columns = append(t.Columns, report.Column{Name: u})
	}
	for _, r := range results {
		name, _, _ := strings.Cut(string(r.Name.Full()), "-2")
		row := []string{name}
		for _, u := range units {
			row = append(row, valueIn(r, u))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// asWritten undoes benchfmt's tidying of units, which turns ns into s.
func asWritten(v benchfmt.Value) (unit string, value float64) {
	if v.OrigUnit != "" {
		return v.OrigUnit, v.OrigValue
	}
	return v.Unit, v.Value
}

func valueIn(r *benchfmt.Result, unit string) string {
	for _, v := range r.Values {
		if u, value := asWritten(v); u == unit {
			return fmt.Sprintf("%.4g", value)
		}
	}
	return ""
}
