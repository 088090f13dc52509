package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/chart"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/knob"
	"github.com/cadence-bench/cadence-bench/report/promise"
	"github.com/cadence-bench/cadence-bench/report/sweep"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Report is everything that is said about one run.
type Report struct {
	Facts      caption.Facts
	Words      []string
	Headline   table.Table
	Summary    table.Table
	Brief      table.Table   // Summary for a terminal
	Hits       []table.Table // one, or none when no rung has a prefix cache
	Admission  []table.Table // none when no rung has an admission policy
	Extra      []table.Table // those that only some runs have, by name: anchors, knobs
	Cells      table.Table
	Probes     table.Table
	Checks     table.Table   // the worst figure of each check
	CellChecks table.Table   // every figure of every cell
	Findings   []table.Table // what the run as a whole says, each with its name
	Provenance []table.Table
	Figures    []chart.Figure
	Absent     []string // the charts that there are none of, and why
	Warnings   []string

	summaries []results.CellSummary
}

// Of makes the report of a run that analysis.Load read.
func Of(run *analysis.Run) (*Report, error) {
	r, err := of(run.Sweep, run.Manifest, chartdata.Source{Records: run.Records, Steps: run.Steps})
	if err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, run.Warnings...)
	if note := failedNote(run.Failed); note != "" {
		for _, t := range []*table.Table{&r.Headline, &r.Summary, &r.Brief} {
			t.Notes = append(t.Notes, note)
		}
	}
	return r, nil
}

func of(s *analysis.Sweep, m results.Manifest, src chartdata.Source) (*Report, error) {
	f := caption.Of(s, caption.Model(m))
	summary := sweep.Summary(s, f)
	r := &Report{
		Facts: f, Words: Words(s), Headline: sweep.Headline(s, f), Summary: summary, Brief: sweep.Brief(summary),
		Cells: sweep.Cells(s, f), Probes: sweep.Probes(s, f),
		Checks: sweep.Checks(s, f), CellChecks: sweep.CellChecks(s, f), Provenance: Provenance(m),
		Findings:  sweep.Findings(s, f),
		summaries: cautions.Summaries(s),
	}
	if text := sweep.Voided(s); text != "" {
		r.Warnings = append(r.Warnings, text)
	}
	if hits, ok := sweep.Hits(s, f); ok {
		r.Hits = []table.Table{hits}
	}
	r.Admission = promise.Tables(s, f)
	study, err := results.StudyOf(m.Params)
	if err != nil {
		return nil, err
	}
	if study != nil {
		r.Extra = append(r.Extra, knob.Tables(s, study, f)...)
		r.Words = []string{"A study of knobs: every other rung is " + study.Base + " with one setting changed. The rungs are in no order, and none is a step above another."}
		r.Headline = r.Headline.Hidden("gain")
		r.Findings = slices.DeleteFunc(r.Findings, func(t table.Table) bool { return slices.Contains(stepTables, t.Name) })
	}
	if anchors, ok := sweep.Anchors(s, f); ok {
		r.Extra = append(r.Extra, anchors)
	}
	r.Figures, r.Absent, err = charts(s, f, src)
	return r, err
}

// stepTables are the findings about the steps of a ladder, which a study has not.
var stepTables = []string{"worse", "claims"}

// Blocks returns what documents can embed, by name: the tables of the run, its words and
// its provenance.
func (r *Report) Blocks() map[string]string {
	blocks := map[string]string{}
	for _, t := range r.named() {
		blocks[t.Name] = t.Markdown()
	}
	blocks["words"] = list(r.Words)
	var provenance []string
	for _, t := range r.Provenance {
		provenance = append(provenance, t.Markdown())
	}
	blocks["provenance"] = strings.Join(provenance, "\n")
	return blocks
}

// named are the tables of the run that have a block and files each, by name: all of
// them but the provenance, whose tables share a block. A table that is added here is
// embedded, written and exported.
func (r *Report) named() []table.Table {
	tables := []table.Table{r.Headline, r.Summary, r.Cells, r.Probes, r.Checks, r.CellChecks}
	for i, name := range []string{"headline", "summary", "cells", "probes", "checks", "cell-checks"} {
		tables[i].Name = name
	}
	for _, t := range r.Hits {
		t.Name = "hits"
		tables = append(tables, t)
	}
	return slices.Concat(tables, r.Admission, r.Extra, r.Findings)
}

// Tables returns every table of the run, each with its name.
func (r *Report) Tables() []table.Table { return append(r.named(), r.Provenance...) }

// Markdown renders the report as one document that stands beside its charts.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", r.title(), r.Facts.Caption())
	if r.simulated() {
		b.WriteString("These figures are simulated: the twin's cost model stood in for the engine.\n\n")
	}
	b.WriteString(list(r.Words) + "\n")
	b.WriteString(r.Headline.Markdown() + "\n")
	if len(r.Warnings) > 0 {
		b.WriteString("## Warnings\n\n" + list(r.Warnings) + "\n")
	}
	b.WriteString("## Charts\n\n")
	for _, f := range r.Figures {
		fmt.Fprintf(&b, "![%s](charts/%s.svg)\n\n", strings.NewReplacer("[", "(", "]", ")").Replace(f.Summary), f.Name)
	}
	if len(r.Absent) > 0 {
		b.WriteString(list(r.Absent) + "\n")
	}
	b.WriteString("## Tables\n\n")
	for _, t := range r.tables() {
		b.WriteString(t.Markdown() + "\n")
	}
	b.WriteString("## Provenance\n\n" + r.Blocks()["provenance"])
	return b.String()
}

// tables are those below the charts.
func (r *Report) tables() []table.Table {
	return slices.Concat([]table.Table{r.Summary}, r.Extra, r.Admission, r.Hits, r.Findings, []table.Table{r.Cells, r.Checks, r.Probes})
}

func (r *Report) title() string {
	if r.Facts.Model == "" {
		return r.Facts.Title("The ladder")
	}
	return r.Facts.Title("The ladder on " + r.Facts.Model)
}

func (r *Report) simulated() bool { return strings.Contains(r.Facts.Backend, caption.Backend("twin")) }

// failedNote names the cells that could not be measured; "" when there is none.
func failedNote(failed []results.Entry) string {
	if len(failed) == 0 {
		return ""
	}
	var parts []string
	for _, e := range failed {
		parts = append(parts, fmt.Sprintf("%s (%s)", e.Name(), e.Reason))
	}
	return fmt.Sprintf("%s could not be measured, each tried twice: %s.", format.Plural(len(failed), "cell"), strings.Join(parts, ", "))
}

func list(items []string) string {
	var b strings.Builder
	for _, s := range items {
		fmt.Fprintf(&b, "- %s\n", table.Escape(s))
	}
	return b.String()
}
