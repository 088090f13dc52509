package table

import (
	"bytes"
	_ "embed" // the template of a table
	"html/template"
)

//go:embed table.tmpl
var tableSource string

var tableTemplate = template.Must(template.New("table").Parse(tableSource))

// HTML renders the table for the page.
func (t Table) HTML() (template.HTML, error) {
	heads := 0 // the first column that is flush left heads its row
	for heads < len(t.Columns) && !t.Columns[heads].Left {
		heads++
	}
	var b bytes.Buffer
	err := tableTemplate.Execute(&b, struct {
		Table
		Heads int
		Named bool
	}{t, heads, t.Columns[0].Name != ""})
	return template.HTML(b.String()), err
}
