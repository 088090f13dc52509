package table

import (
	"bytes"
	_ "embed" // the template of a table
	"html/template"
	"slices"
)

//go:embed table.tmpl
var tableSource string

var tableTemplate = template.Must(template.New("table").Parse(tableSource))

// HTML renders the table for the page. The first column that is flush left heads its row.
func (t Table) HTML() (template.HTML, error) {
	columns := t.readable()
	var b bytes.Buffer
	err := tableTemplate.Execute(&b, struct {
		Table
		Columns []Column
		Heads   int
		Named   bool
	}{t, columns, slices.IndexFunc(columns, func(c Column) bool { return c.Left }), columns[0].Heading != ""})
	return template.HTML(b.String()), err
}
