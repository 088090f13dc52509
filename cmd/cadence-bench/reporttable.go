package main

import (
	"io"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// tableFormats are the forms in which a table can be printed.
var tableFormats = []string{"markdown", "csv", "json"}

// printTable prints one of the report's tables.
func printTable(out io.Writer, r *report.Report, name, format string) error {
	tables := r.Tables()
	i := slices.IndexFunc(tables, func(t table.Table) bool { return t.Name == name })
	if i < 0 {
		var names []string
		for _, t := range tables {
			names = append(names, t.Name)
		}
		return fault.Input.Errorf("this run has no table %q: want one of %s", name, strings.Join(names, ", "))
	}
	data := []byte(tables[i].Markdown())
	var err error
	switch format {
	case "csv":
		data = tables[i].CSV()
	case "json":
		if data, err = tables[i].JSON(); err != nil {
			return err
		}
	}
	_, err = out.Write(data)
	return fault.Write.Wrap(err)
}
