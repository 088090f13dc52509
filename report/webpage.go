package report

import (
	"html/template"

	"github.com/cadence-bench/cadence-bench/report/page"
)

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
