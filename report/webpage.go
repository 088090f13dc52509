package report

import "github.com/cadence-bench/cadence-bench/report/page"

// Page is the report as a web page.
func (r *Report) Page() page.Page {
	p := page.Page{Title: r.title(), Caption: r.Facts.Caption(), Simulated: r.simulated(), Report: &page.Report{
		Words: r.Words, Headline: r.Headline, Warnings: r.Warnings, Absent: r.Absent,
		Tables: append(r.tables(), r.CellChecks), Provenance: r.Provenance,
	}}
	for i := range r.Figures {
		p.Charts = append(p.Charts, r.Figures[i].Inline())
	}
	return p
}
