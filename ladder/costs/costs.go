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
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Tables are calibration-speeds, calibration-costs and calibration-error.
func Tables(c *results.Calibration) []table.Table {
	return []table.Table{speeds(c), terms(c), errors(c)}
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

func speeds(c *results.Calibration) table.Table {
	t := table.New("Speeds", measuredOn(c), c.Speeds,
		table.Show("what", func(s results.Speed) string { return s.Name }).Left(),
		table.Show("measured", func(s results.Speed) string {
			if s.Value >= 100 {
				return fmt.Sprintf("%.0f", s.Value)
			}
			return fmt.Sprintf("%.3g", s.Value)
		}),
		table.Show("unit", func(s results.Speed) string { return s.Unit }).Left())
	t.Name = "calibration-speeds"
	return t
}

// terms has a row for each term and a column for each setting.
func terms(c *results.Calibration) table.Table {
	columns := []table.Col[string]{table.Show("term", func(term string) string { return term }).Left()}
	for _, cost := range c.Costs {
		columns = append(columns, table.Show(shortSetting(cost.Setting), func(term string) string { return fmt.Sprintf("%.3g", 1e6*cost.Terms[term].Seconds) }))
	}
	var names []string
	for term := range twin.NumTerms {
		names = append(names, twin.Term(term).String())
	}
	t := table.New("Cost of a step, µs per unit", measuredOn(c), names, columns...)
	t.Name = "calibration-costs"
	return t
}

func shortSetting(s results.Setting) string {
	threads := strconv.Itoa(s.Threads)
	if s.ThreadsBatch != s.Threads {
		threads += "/" + strconv.Itoa(s.ThreadsBatch)
	}
	return fmt.Sprintf("%s, flash %s, threads %s", s.KVLayout, s.FlashAttn, threads)
}

func errors(c *results.Calibration) table.Table {
	type row struct {
		setting, of string
		results.FitError
	}
	var rows []row
	notes := []string{"Median and p90 of |predicted/measured − 1|; total time is predicted over measured, all steps together."}
	for _, cost := range c.Costs {
		setting := shortSetting(cost.Setting)
		rows = append(rows, row{setting, "all", cost.Error}, row{setting, "scheduled", cost.Scheduled})
		notes = append(notes, fmt.Sprintf("%s: what is left has a standard deviation of %s and a correlation of %.2f from step to step.",
			setting, percent(cost.Noise.Sigma), cost.Noise.Rho))
	}
	slices.Sort(notes[1:])
	t := table.New("Error on steps that the fit did not see", measuredOn(c), rows,
		table.Show("setting", func(r row) string { return r.setting }).Left(),
		table.Show("steps", func(r row) string { return r.of }).Left(),
		table.Show("n", func(r row) string { return strconv.Itoa(r.RowsHeldOut) }),
		table.Show("median", func(r row) string { return percent(r.HeldOutMedianAbsRel) }),
		table.Show("p90", func(r row) string { return percent(r.HeldOutP90AbsRel) }),
		table.Show("R²", func(r row) string { return fmt.Sprintf("%.3f", r.R2) }),
		table.Show("total time", func(r row) string { return fmt.Sprintf("%+.1f%%", 100*r.Bias) }))
	t.Name, t.Notes = "calibration-error", notes
	return t
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
