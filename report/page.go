package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's template, style and script
	"encoding/base64"
	"html/template"

	"github.com/cadence-bench/cadence-bench/report/chart"
)

var (
	//go:embed page.tmpl
	pageSource string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS       string
	pageTemplate = template.Must(template.New("page").Parse(pageSource))
)

// page is what the HTML page shows.
type page struct {
	Title     string
	Caption   string
	Simulated bool
	CSS       template.CSS
	JS        template.JS
	Policy    string
	// Events and Version are set on a page that follows a sweep under way.
	Events  string
	Version string

	Report     bool // the rest is there
	Words      []string
	Headline   htmlTable
	Warnings   []string
	Charts     []chart.Inline
	Absent     []string
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

// HTML renders the report as one page that needs nothing else: no network, no font, no
// file beside it. Its script sorts tables and answers to the pointer and the keyboard;
// without it everything is still there to read. Equal reports give equal bytes.
func (r *Report) HTML() ([]byte, error) { return r.html("", "") }

// LiveHTML is HTML for a sweep under way: it shows the states that the server at
// the path events pushes, and loads itself again when one of them has another version
// than its own.
func (r *Report) LiveHTML(events, version string) ([]byte, error) { return r.html(events, version) }

// WaitingHTML is the page of a sweep none of whose cells is finished.
func WaitingHTML(events, version string) ([]byte, error) {
	return page{Title: "The ladder", Events: events, Version: version}.render()
}

func (r *Report) html(events, version string) ([]byte, error) {
	p := page{
		Title: r.title(), Caption: r.Facts.Caption(), Simulated: r.simulated(), Events: events, Version: version,
		Report: true, Words: r.Words, Headline: htmlTable{r.Headline},
		Warnings: r.Warnings, Absent: r.Absent, Tables: htmlTables(append(r.tables(), r.CellChecks)),
		Provenance: htmlTables(r.Provenance),
	}
	for i := range r.Figures {
		p.Charts = append(p.Charts, r.Figures[i].Inline())
	}
	return p.render()
}

func (p page) render() ([]byte, error) {
	p.CSS, p.JS = template.CSS(pageCSS), template.JS(pageJS)
	p.Policy = "default-src 'none'; style-src " + sourceHash(pageCSS) + "; script-src " + sourceHash(pageJS) + "; base-uri 'none'; form-action 'none'"
	if p.Events != "" {
		p.Policy += "; connect-src 'self'"
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// sourceHash is how a content security policy names a text that is inline: nothing else
// runs.
func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
