package report

import (
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// TableFormats are the forms in which Table gives a table.
func TableFormats() []string { return []string{"markdown", "csv", "json"} }

// Table renders one of the report's tables.
func (r *Report) Table(name, format string) ([]byte, error) {
	tables := r.Tables()
	i := slices.IndexFunc(tables, func(t table.Table) bool { return t.Name == name })
	if i < 0 {
		var names []string
		for _, t := range tables {
			names = append(names, t.Name)
		}
		return nil, fault.Input.Errorf("this run has no table %q: want one of %s", name, strings.Join(names, ", "))
	}
	switch format {
	case "csv":
		return tables[i].CSV(), nil
	case "json":
		return tables[i].JSON()
	}
	return []byte(tables[i].Markdown()), nil
}
