package report

import (
	"bytes"
	_ "embed" // the template of a table
	"html/template"

	"github.com/cadence-bench/cadence-bench/report/page"
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

// Page is the report as a web page.
func (r *Report) Page() (page.Page, error) {
	p := page.Page{Title: r.title(), Caption: r.Facts.Caption(), Simulated: r.simulated(), Report: &page.Report{
		Words: r.Words, Warnings: r.Warnings, Absent: r.Absent,
	}}
	for i := range r.Figures {
		p.Charts = append(p.Charts, r.Figures[i].Inline())
	}
	for _, part := range []struct {
		to     *[]template.HTML
		tables []Table
	}{
		{&p.Tables, append(r.tables(), r.CellChecks)},
		{&p.Provenance, r.Provenance},
	} {
		for _, t := range part.tables {
			html, err := t.HTML()
			if err != nil {
				return p, err
			}
			*part.to = append(*part.to, html)
		}
	}
	var err error
	p.Headline, err = r.Headline.HTML()
	return p, err
}
