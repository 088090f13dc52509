package compared

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
)

// Write writes a comparison of parts of two runs as text, markdown, json or csv.
// The tables say what the runs warn of.
func Write(out io.Writer, format string, c *compare.Comparison, a, b *analysis.Run) error {
	switch format {
	case "json":
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(RecordOf(c, a.Manifest, b.Manifest))
	case "csv":
		_, err := out.Write(Of(c, a.Manifest, b.Manifest).Deltas.CSV())
		return err
	}
	warnings := slices.Clone(a.Warnings)
	if b != a {
		warnings = append(warnings, b.Warnings...)
	}
	tables := Of(c, a.Manifest, b.Manifest).All()
	for _, w := range warnings {
		tables[0].Notes = append(tables[0].Notes, w+".")
	}
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(out)
		}
		var err error
		if format == "markdown" {
			_, err = io.WriteString(out, t.Markdown())
		} else {
			err = t.Text(out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
