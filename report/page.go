package report

import (
	"bytes"
	_ "embed" // the page's template and style
	"html/template"
)

var (
	//go:embed page.tmpl
	pageSource string
	//go:embed page.css
	pageCSS      string
	pageTemplate = template.Must(template.New("page").Parse(pageSource))
)

// page is what the HTML page shows.
type page struct {
	Title      string
	Caption    string
	Simulated  bool
	CSS        template.CSS
	Words      []string
	Headline   htmlTable
	Warnings   []string
	Charts     []template.HTML
	Tables     []htmlTable
	Provenance []htmlTable
}

// htmlTable answers what the template asks of a table.
type htmlTable struct{ Table }

// IsLeft reports whether a column is set flush left.
func (t htmlTable) IsLeft(i int) bool { return t.Columns[i].Left }

// Heads reports whether a column heads its row: the first one that is flush left.
func (t htmlTable) Heads(i int) bool {
	for j := range i {
		if t.Columns[j].Left {
			return false
		}
	}
	return t.Columns[i].Left
}

// Named reports whether the columns have names.
func (t htmlTable) Named() bool { return t.Columns[0].Name != "" }

func htmlTables(ts []Table) []htmlTable {
	hs := make([]htmlTable, len(ts))
	for i, t := range ts {
		hs[i] = htmlTable{t}
	}
	return hs
}

// HTML renders the report as one page that needs nothing else: no network, no
// script, no font.
func (r *Report) HTML() ([]byte, error) {
	p := page{
		Title: r.title(), Caption: r.Facts.Caption(), Simulated: r.simulated(),
		CSS: template.CSS(pageCSS), Words: r.Words, Headline: htmlTable{r.Headline},
		Warnings: r.Warnings, Tables: htmlTables(append(r.tables(), r.CellChecks)),
		Provenance: htmlTables(r.Provenance),
	}
	for i := range r.Figures {
		svg, err := r.Figures[i].SVG()
		if err != nil {
			return nil, err
		}
		p.Charts = append(p.Charts, template.HTML(svg)) // made by SVG, which escapes its texts
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
