// Package fitting tells how well the bounds of predictors held off-line.
package fitting

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/admission/fit"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/results"
)

// File has every number of the tables, as JSON.
const File = "fit.json"

// record is an artifact.Record that makes its tables.
type record struct{ *artifact.Record }

// caption says what was measured.
func (r record) caption(held string) string {
	rates := make([]string, len(r.Rates))
	for i, x := range r.Rates {
		rates[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	text := fmt.Sprintf("%s, %s, %s; %d requests in %d blocks (%s/s, %d seeds); each %s held out in turn, half of the others to fit on and half to calibrate on",
		r.Backend, r.Model, r.Workload, r.Requests, r.Blocks, strings.Join(rates, ", "), len(r.Seeds), held)
	if r.NotEnded > 0 {
		text += fmt.Sprintf("; %d requests that did not end are left out", r.NotEnded)
	}
	return text
}

// Tables are those of a record.
func Tables(of *artifact.Record) []report.Table {
	r := record{of}
	all := []report.Table{r.coverage(), r.regimes()}
	if len(r.ByRate) > 0 {
		all = append(all, r.rates())
	}
	return append(all, r.importance())
}

func inPercent(o results.Opt[float64]) string {
	if !o.OK {
		return "–"
	}
	return strconv.FormatFloat(100*o.V, 'f', 1, 64)
}

func twoDigits(o results.Opt[float64]) string {
	if !o.OK {
		return "–"
	}
	return strconv.FormatFloat(o.V, 'f', 2, 64)
}

func intervalOf(j *artifact.Judgement) string {
	if !j.Low.OK {
		return "–"
	}
	return inPercent(j.Low) + "–" + inPercent(j.High)
}

func (r record) coverage() report.Table {
	t := report.Table{
		Name: "fit-coverage", Title: "Coverage of bounds off-line", Caption: r.caption(r.HeldOut),
		Columns: []report.Column{{Name: "predictor", Left: true}, {Name: "promised (%)"}, {Name: "delivered (%)"}, {Name: "95% interval"},
			{Name: "bound / actual, median"}, {Name: "pinball loss (s)"}, {Name: "requests"}, {Name: "without a bound"}},
		Notes: []string{
			"The interval draws whole blocks again. Requests without a bound had too few scores to promise anything; they are not judged.",
			"static-conformal is the predecessor's bound: the trees' upper quantile and what calibration missed, in seconds, of all regimes together.",
		},
	}
	for i := range r.Judgements {
		if j := &r.Judgements[i]; j.Regime == "all" {
			t.Rows = append(t.Rows, []string{j.Subject, fmt.Sprintf("%g", 100*j.Level), inPercent(j.Coverage), intervalOf(j), twoDigits(j.Width), twoDigits(j.Pinball), fmt.Sprint(j.Requests), fmt.Sprint(j.Unbounded)})
		}
	}
	return t
}

func (r record) regimes() report.Table {
	t := across("fit-regimes", "Coverage of bounds off-line by regime", r.caption(r.HeldOut), r.Judgements,
		append([]string{"all"}, regimeNames()...))
	t.Notes = []string{"Delivered (%) at each promised level, by how loaded the engine was when the request arrived."}
	return t
}

func (r record) rates() report.Table {
	t := across("fit-rates", "Coverage of bounds off-line at rates that were held out", r.caption("rate"), r.ByRate, []string{"all"})
	t.Notes = []string{"Delivered (%) at each promised level. A bound that was made at other loads promises nothing here: what it still delivers shows how far it carries."}
	return t
}

func regimeNames() (names []string) {
	for r := range admission.Regime(admission.Regimes) {
		names = append(names, r.String())
	}
	return names
}

// across has a row for each subject and regime and a column for each level.
func across(name, title, caption string, all []artifact.Judgement, regimes []string) report.Table {
	t := report.Table{Name: name, Title: title, Caption: caption, Columns: []report.Column{{Name: "predictor", Left: true}, {Name: "regime", Left: true}, {Name: "requests"}}}
	for _, level := range fit.Levels() {
		t.Columns = append(t.Columns, report.Column{Name: fmt.Sprintf("%g%%", 100*level)})
	}
	for _, s := range fit.Subjects() {
		for _, regime := range regimes {
			row, requests := []string{s.Name, regime}, 0
			for i := range all {
				if j := &all[i]; j.Subject == s.Name && j.Regime == regime {
					row, requests = append(row, inPercent(j.Coverage)), max(requests, j.Requests+j.Unbounded)
				}
			}
			t.Rows = append(t.Rows, append([]string{row[0], row[1], fmt.Sprint(requests)}, row[2:]...))
		}
	}
	return t
}

func (r record) importance() report.Table {
	t := report.Table{
		Name: "fit-importance", Title: "What the trees of the gbm predictor look at", Caption: r.caption(r.HeldOut),
		Columns: []report.Column{{Name: "feature", Left: true}, {Name: "median (%)"}, {Name: "upper quantile (%)"}},
		Notes:   []string{"Share of what splits on the feature lowered the squared error of the gradient by, in the models of the artifact."},
	}
	for _, f := range r.Importance {
		t.Rows = append(t.Rows, []string{f.Feature, fmt.Sprintf("%.1f", 100*f.Median), fmt.Sprintf("%.1f", 100*f.Upper)})
	}
	return t
}

// Write writes the record and its tables into a folder.
func Write(dir string, r *artifact.Record) error {
	if err := results.WriteJSON(filepath.Join(dir, File), r); err != nil {
		return err
	}
	for _, t := range Tables(r) {
		j, err := t.JSON()
		if err != nil {
			return err
		}
		for ext, data := range map[string][]byte{"md": []byte(t.Markdown()), "csv": t.CSV(), "json": j} {
			if err := os.WriteFile(filepath.Join(dir, t.Name+"."+ext), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// Read reads the record that Write wrote into a folder.
func Read(dir string) (*artifact.Record, error) {
	data, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		return nil, err
	}
	var r artifact.Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return &r, nil
}
