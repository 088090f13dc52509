package results

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ColumnsMarkdown returns the column dictionary of cell files as a Markdown table,
// for docs/schema.md.
func ColumnsMarkdown() string { return columnsMarkdown(Columns()) }

func columnsMarkdown(columns []Column) string {
	var b strings.Builder
	b.WriteString("| column | type | unit | what it is | null means |\n|---|---|---|---|---|\n")
	for _, c := range columns {
		row(&b, c.Name, string(c.Type), c.Unit, c.Doc, c.Null)
	}
	return b.String()
}

// SummaryMarkdown returns the keys of summary.json as a Markdown table.
func SummaryMarkdown() string {
	var b strings.Builder
	b.WriteString("| key | type | unit | what it is | null means |\n|---|---|---|---|---|\n")
	for _, c := range SummaryKeys() {
		row(&b, c.Name, string(c.Type), c.Unit, c.Doc, c.Null)
	}
	return b.String()
}

// SummaryKeys returns the keys of summary.json, in its order.
func SummaryKeys() []Column {
	var keys []Column
	for _, f := range summaryFields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, Column{key, Type(jsonType(f.Type)), f.Tag.Get("unit"), f.Tag.Get("null"), f.Tag.Get("doc")})
	}
	return keys
}

// RulesMarkdown returns what no row may show as a Markdown list. A cell with a row
// that does is invalid.
func RulesMarkdown() string {
	var b strings.Builder
	for _, r := range slices.Concat(rules, cellRules(nil)) {
		fmt.Fprintf(&b, "- %s\n", r.text)
	}
	return b.String()
}

func row(b *strings.Builder, name, kind, unit, doc, null string) {
	if null == "" {
		null = "never null"
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", name, kind, unit, doc, null)
}

// jsonType names the JSON type of a field of CellSummary.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			return "array of objects"
		}
		return "array of strings"
	}
	return "number"
}
