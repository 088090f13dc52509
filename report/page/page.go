// Package page renders a report as one HTML page that needs nothing else: no network, no
// font, no file beside it.
//
// Its script sorts tables, answers to the pointer and the keyboard, and follows a sweep
// under way; without it everything is still there to read. The page's policy lets no other
// script or style run.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's template, style and script
	"encoding/base64"
	"html/template"

	"github.com/cadence-bench/cadence-bench/report/chart"
	"github.com/cadence-bench/cadence-bench/report/table"
)

var (
	//go:embed page.tmpl
	source string
	//go:embed page.css
	style string
	//go:embed page.js
	script string

	page = template.Must(template.New("page").Parse(source))
)

// Page is what the page shows.
type Page struct {
	Title     string
	Caption   string
	Simulated bool
	// Events, on the page of a sweep under way, is the path at which the server pushes the
	// sweep's states. The page loads itself again when one has another version than Version.
	Events  string
	Version string

	*Report // nil while no cell is finished
}

// Report is the page's content.
type Report struct {
	Words      []string
	Headline   table.Table
	Warnings   []string
	Charts     []chart.Inline
	Absent     []string // the charts that there are none of, and why
	Tables     []table.Table
	Provenance []table.Table
}

// Render writes the page. Equal pages give equal bytes.
func (p Page) Render() ([]byte, error) {
	policy := "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'"
	if p.Events != "" {
		policy += "; connect-src 'self'"
	}
	var b bytes.Buffer
	err := page.Execute(&b, struct {
		Page
		CSS    template.CSS
		JS     template.JS
		Policy string
	}{p, template.CSS(style), template.JS(script), policy})
	return b.Bytes(), err
}

// hash is how a content security policy names a text that is inline.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
