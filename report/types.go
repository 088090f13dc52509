package report

import "github.com/cadence-bench/cadence-bench/report/table"

// The words of package table, which every file here uses.
type (
	Table  = table.Table
	Column = table.Column
	Field  = table.Field
)
