// Package costs makes the tables of a calibration: the speeds of the machine, what the
// cost model of the twin gives for each term of a step, and how far it is from steps that
// its fit did not see.
package costs

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/engine/twin"
	"github.com/cadence-bench/cadence-bench/report"
	"github.com/cadence-bench/cadence-bench/results"
)

// Tables are calibration-speeds, calibration-costs and calibration-error.
func Tables(c *results.Calibration) []report.Table {
	return []report.Table{speeds(c), terms(c), errors(c)}
}

// Text writes the tables for a terminal, and what the calibration led to.
func Text(out io.Writer, c *results.Calibration) error {
	for i, t := range Tables(c) {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := t.Text(out); err != nil {
			return err
		}
	}
	var rates []string
	for _, r := range c.Chosen.Rates {
		rates = append(rates, strconv.FormatFloat(r, 'g', -1, 64))
	}
	_, err := fmt.Fprintf(out, "\nchosen: %v\nrates that bracket every rung's knee: %s requests/s\nSLO, 1.5 times what 99%% of the requests stay within on the idle engine: %g s\n",
		c.Chosen.Setting, strings.Join(rates, ","), c.Chosen.SLOS)
	return err
}

func measuredOn(c *results.Calibration) string {
	return fmt.Sprintf("%s, %d cores, %s, %s", c.Host.CPU, c.Host.Cores, c.Model.Description, c.Library.Version)
}

func speeds(c *results.Calibration) report.Table {
	t := report.Table{
		Name: "calibration-speeds", Title: "Speeds", Caption: measuredOn(c),
		Columns: []report.Column{{Name: "what", Left: true}, {Name: "measured"}, {Name: "unit", Left: true}},
	}
	for _, s := range c.Speeds {
		t.Rows = append(t.Rows, []string{s.Name, fmt.Sprintf("%.3g", s.Value), s.Unit})
		if s.Value >= 100 {
			t.Rows[len(t.Rows)-1][1] = fmt.Sprintf("%.0f", s.Value)
		}
	}
	return t
}

// terms has a row for each term and a column for each setting.
func terms(c *results.Calibration) report.Table {
	t := report.Table{Name: "calibration-costs", Title: "Cost of a step, µs per unit", Caption: measuredOn(c), Columns: []report.Column{{Name: "term", Left: true}}}
	for _, cost := range c.Costs {
		t.Columns = append(t.Columns, report.Column{Name: shortSetting(cost.Setting)})
	}
	for term := range twin.NumTerms {
		row := []string{twin.Term(term).String()}
		for _, cost := range c.Costs {
			row = append(row, fmt.Sprintf("%.3g", 1e6*cost.Terms[row[0]].Seconds))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func shortSetting(s results.Setting) string {
	threads := strconv.Itoa(s.Threads)
	if s.ThreadsBatch != s.Threads {
		threads += "/" + strconv.Itoa(s.ThreadsBatch)
	}
	return fmt.Sprintf("%s, flash %s, threads %s", s.KVLayout, s.FlashAttn, threads)
}

func errors(c *results.Calibration) report.Table {
	t := report.Table{
		Name: "calibration-error", Title: "Error on steps that the fit did not see", Caption: measuredOn(c),
		Columns: []report.Column{
			{Name: "setting", Left: true}, {Name: "steps", Left: true}, {Name: "n"}, {Name: "median"}, {Name: "p90"}, {Name: "R²"}, {Name: "total time"},
		},
		Notes: []string{"Median and p90 of |predicted/measured − 1|; total time is predicted over measured, all steps together."},
	}
	for _, cost := range c.Costs {
		for _, e := range []struct {
			of string
			results.FitError
		}{{"all", cost.Error}, {"scheduled", cost.Scheduled}} {
			t.Rows = append(t.Rows, []string{
				shortSetting(cost.Setting), e.of, strconv.Itoa(e.RowsHeldOut), percent(e.HeldOutMedianAbsRel), percent(e.HeldOutP90AbsRel),
				fmt.Sprintf("%.3f", e.R2), fmt.Sprintf("%+.1f%%", 100*e.Bias),
			})
		}
		t.Notes = append(t.Notes, fmt.Sprintf("%s: what is left has a standard deviation of %s and a correlation of %.2f from step to step.",
			shortSetting(cost.Setting), percent(cost.Noise.Sigma), cost.Noise.Rho))
	}
	slices.Sort(t.Notes[1:])
	return t
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
