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
	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/ladder/artifact"
	"github.com/cadence-bench/cadence-bench/report/table"
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
func Tables(of *artifact.Record) []table.Table {
	r := record{of}
	all := []table.Table{r.coverage(), r.regimes()}
	if len(r.ByRate) > 0 {
		all = append(all, r.rates())
	}
	return append(all, r.importance())
}

func inPercent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) }

func twoDigits(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

func intervalOf(j *fit.Judgement) string {
	if !j.Low.OK {
		return table.Null
	}
	return inPercent(j.Low.V) + "–" + inPercent(j.High.V)
}

func (r record) coverage() table.Table {
	var js []*fit.Judgement
	for i := range r.Judgements {
		if j := &r.Judgements[i]; j.Regime == "all" {
			js = append(js, j)
		}
	}
	type judged = *fit.Judgement
	t := table.New("Coverage of bounds off-line", r.caption(r.HeldOut), js,
		table.Text("predictor", "predictor", "what made the bounds", func(j judged) string { return j.Subject }),
		table.Number("promised (%)", "promised", "", "share of requests that end within their bounds, as promised", func(j judged) float64 { return j.Level },
			func(v float64) string { return fmt.Sprintf("%g", 100*v) }),
		table.Optional("delivered (%)", "delivered", "", "share that did", func(j judged) results.Opt[float64] { return j.Coverage }, inPercent),
		table.Show("95% interval", intervalOf,
			table.Value("delivered_low", "", "lower end of its interval of 95%", func(j judged) any { return j.Low }),
			table.Value("delivered_high", "", "upper end", func(j judged) any { return j.High })),
		table.Optional("bound / actual, median", "bound_over_actual_median", "", "median of bound over actual E2E", func(j judged) results.Opt[float64] { return j.Width }, twoDigits),
		table.Optional("pinball loss (s)", "pinball_s", "s", "mean pinball loss of the bound at its level", func(j judged) results.Opt[float64] { return j.Pinball }, twoDigits),
		table.Count("requests", "requests", "that were judged", func(j judged) int { return j.Requests }),
		table.Count("without a bound", "without_a_bound", "requests that had too few scores", func(j judged) int { return j.Unbounded }),
	)
	t.Name = "fit-coverage"
	t.Notes = []string{
		"The interval draws whole blocks again. Requests without a bound had too few scores to promise anything; they are not judged.",
		"static-conformal is the predecessor's bound: the trees' upper quantile and what calibration missed, in seconds, of all regimes together.",
	}
	return t
}

func (r record) regimes() table.Table {
	t := across("fit-regimes", "Coverage of bounds off-line by regime", r.caption(r.HeldOut), r.Judgements,
		append([]string{"all"}, regimeNames()...))
	t.Notes = []string{"Delivered (%) at each promised level, by how loaded the engine was when the request arrived."}
	return t
}

func (r record) rates() table.Table {
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

// delivery is a subject in a regime, with what its bounds delivered at each level.
type delivery struct {
	subject, regime string
	requests        int
	at              []results.Opt[float64]
}

// across has a row for each subject and regime and a column for each level.
func across(name, title, caption string, all []fit.Judgement, regimes []string) table.Table {
	var rows []delivery
	for _, s := range fit.Subjects() {
		for _, regime := range regimes {
			d := delivery{subject: s.Name, regime: regime}
			for i := range all {
				if j := &all[i]; j.Subject == s.Name && j.Regime == regime {
					d.at, d.requests = append(d.at, j.Coverage), max(d.requests, j.Requests+j.Unbounded)
				}
			}
			rows = append(rows, d)
		}
	}
	columns := []table.Col[delivery]{
		table.Text("predictor", "predictor", "what made the bounds", func(d delivery) string { return d.subject }),
		table.Text("regime", "regime", "how loaded the engine was when the request arrived", func(d delivery) string { return d.regime }),
		table.Count("requests", "requests", "of the regime", func(d delivery) int { return d.requests }),
	}
	for i, level := range fit.Levels() {
		percent := fmt.Sprintf("%g", 100*level)
		columns = append(columns, table.Optional(percent+"%", "delivered_at_"+percent, "", "share within their bounds where so many percent were promised",
			func(d delivery) results.Opt[float64] { return d.at[i] }, inPercent))
	}
	t := table.New(title, caption, rows, columns...)
	t.Name = name
	return t
}

func (r record) importance() table.Table {
	share := func(v float64) string { return fmt.Sprintf("%.1f", 100*v) }
	t := table.New("What the trees of the gbm predictor look at", r.caption(r.HeldOut), r.Importance,
		table.Text("feature", "feature", "what splits look at", func(f artifact.Importance) string { return f.Feature }),
		table.Number("median (%)", "median", "", "share of the gain in the model of the median", func(f artifact.Importance) float64 { return f.Median }, share),
		table.Number("upper quantile (%)", "upper_quantile", "", "share of the gain in the model of the upper quantile", func(f artifact.Importance) float64 { return f.Upper }, share),
	)
	t.Name = "fit-importance"
	t.Notes = []string{"Share of what splits on the feature lowered the squared error of the gradient by, in the models of the artifact."}
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
	data, err := regular.ReadFile(filepath.Join(dir, File))
	if err != nil {
		return nil, err
	}
	var r artifact.Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return &r, nil
}
