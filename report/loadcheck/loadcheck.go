// Package loadcheck makes the tables about the load generator itself: its arrival
// processes beside what they claim, its driver beside queueing theory, and what a tape
// holds.
package loadcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cadence-bench/cadence-bench/loadgen/ideal"
	"github.com/cadence-bench/cadence-bench/report"
)

// The files that the checks are kept in, as JSON; the tables stand beside them as
// Markdown.
const (
	ValidationFile = "validate.json"
	SelftestFile   = "selftest.json"
)

// Blocks are the tables of the checks that a folder keeps, by the names under which
// documents embed them. Checks that are not there give none.
func Blocks(dir string) (map[string]string, error) {
	blocks := map[string]string{}
	add := func(tables []report.Table, names ...string) {
		for i, t := range tables {
			blocks[names[i]] = t.Markdown()
		}
	}
	var v ideal.Validation
	if ok, err := read(filepath.Join(dir, ValidationFile), &v); err != nil {
		return nil, err
	} else if ok {
		add(Validation(v), "arrivals", "sweep-seeds", "stubs")
	}
	var s ideal.Selftest
	if ok, err := read(filepath.Join(dir, SelftestFile), &s); err != nil {
		return nil, err
	} else if ok {
		add(Selftest(s), "known-answers", "known-answers-wall")
	}
	return blocks, nil
}

// read decodes a file of JSON, if it is there.
func read(path string, into any) (ok bool, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	return true, nil
}

func opt(format string, v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}

// beside is a measured value and, in brackets, the one that is expected.
func beside(format string, measured float64, expected *float64) string {
	return fmt.Sprintf(format, measured) + " (" + opt(format, expected) + ")"
}

// Validation gives the tables arrivals, sweep-seeds and stubs.
func Validation(v ideal.Validation) []report.Table {
	processes := report.Table{
		Title: "The arrival processes against what they claim to be",
		Columns: []report.Column{{Name: "process", Left: true}, {Name: "offered (rps)"}, {Name: "KS rejects at 0.05"}, {Name: "median p"},
			{Name: "arrivals, mean (expected)"}, {Name: "SD (expected)"}, {Name: "CV of gaps (expected)"}, {Name: "lag-1"}, {Name: "dispersion"}},
		Notes: []string{"Gaps are in expected arrivals, so that a changing rate is taken out, and the dispersion is on the time scale on which the process is Poisson. " +
			"A right process is rejected 5% ± 1.5% of the time, with a median p of 0.5 ± 0.04, no correlation and a dispersion of 1. " +
			"Constant gaps have no distribution to test: each of them is compared with the rate. " +
			"ramp, step, spike and diurnal are the Poisson gaps at another pace, so that their rows say that the pace is undone to the same figures."},
	}
	sweep := report.Table{
		Title:   "The seeds that sweeps use, among these",
		Columns: []report.Column{{Name: "process", Left: true}, {Name: "offered (rps)"}, {Name: "seed"}, {Name: "arrivals"}, {Name: "KS p"}, {Name: "percentile of p"}},
		Notes: []string{"Arrivals of one seed are one realisation at every rate, seen for longer or shorter. A seed is used as it is: to choose another because its p is low " +
			"would be the selection that makes a p mean nothing."},
	}
	for _, s := range v.Studies {
		processes.Rows = append(processes.Rows, []string{s.Arrivals, fmt.Sprintf("%g", s.RPS), percentOrNull(s.Rejected), opt("%.3f", s.MedianP),
			beside("%.1f", s.CountMean, &s.ExpectCount), beside("%.1f", s.CountSD, s.ExpectSD), beside("%.3f", s.CV, &s.ExpectCV),
			opt("%.4f", s.Lag1), opt("%.3f", s.Dispersion)})
		if s.Arrivals != "poisson" {
			continue
		}
		for _, p := range s.Sweep {
			sweep.Rows = append(sweep.Rows, []string{s.Arrivals, fmt.Sprintf("%g", s.RPS), fmt.Sprint(p.Seed), fmt.Sprint(p.Count), opt("%.3f", p.P), opt("%.1f", p.Percentile)})
		}
	}
	if len(v.Studies) > 0 {
		processes.Caption = fmt.Sprintf("seeds 0–%d, %g s", v.Studies[0].Seeds-1, v.Studies[0].DurationS)
		sweep.Caption = processes.Caption
	}
	stubs := report.Table{
		Title: "The driver against servers of known capacity", Caption: "virtual time",
		Columns: []report.Column{{Name: "check", Left: true}, {Name: "expected"}, {Name: "measured"}, {Name: "holds", Left: true}},
	}
	for _, s := range v.Stubs {
		stubs.Rows = append(stubs.Rows, []string{s.What, s.Expected, s.Measured, holds(s.OK)})
	}
	return []report.Table{processes, sweep, stubs}
}

func percentOrNull(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100**v)
}

func holds(ok bool) string {
	if ok {
		return "yes"
	}
	return "NO"
}

// Selftest gives the tables known-answers and, of a run in wall time, known-answers-wall.
func Selftest(t ideal.Selftest) []report.Table {
	known := report.Table{
		Title:   "The driver and its records against queueing theory, in virtual time",
		Caption: fmt.Sprintf("waits in mean service times; %d replications; all intervals hold together with %.0f%% confidence", t.Plan.Replications, 100*t.Plan.Confidence),
		Columns: []report.Column{{Name: "queue", Left: true}, {Name: "ρ"}, {Name: "requests"}, {Name: "mean wait"}, {Name: "theory"}},
		Notes: []string{"p50, p90 and p99 are measured over all replications, with the theory's in brackets. An order statistic of dependent waits is biased, so the interval is for the share of waits up to the theory's quantile, which is not. " +
			"Of a queue that most do not wait in, the median is 0."},
	}
	for _, p := range []string{"p50", "p90", "p99"} {
		known.Columns = append(known.Columns, report.Column{Name: p + " (theory)"}, report.Column{Name: "share up to it (theory)"})
	}
	known.Columns = append(known.Columns, report.Column{Name: "all within", Left: true})
	for _, a := range t.Answers {
		row := []string{a.Queue, fmt.Sprintf("%g", a.Load), fmt.Sprint(a.Requests), fmt.Sprintf("%.4f ± %.4f", a.Mean.Measured, a.Mean.Half), fmt.Sprintf("%.4f", a.Mean.Theory)}
		for _, l := range a.Levels {
			row = append(row, beside("%.3f", l.Measured, &l.Theory), fmt.Sprintf("%.4f ± %.4f (%.4f)", l.Share.Measured, l.Share.Half, l.Share.Theory))
		}
		known.Rows = append(known.Rows, append(row, holds(a.OK())))
	}
	tables := []report.Table{known}
	if len(t.Wall) == 0 {
		return tables
	}
	wall := report.Table{
		Title:   "The same in wall time",
		Caption: fmt.Sprintf("ms; %d replications of %g s, all at once on one loop; %s, %d cores", t.WallRuns, t.WallLength, t.Host.CPU, t.Host.Cores),
		Columns: []report.Column{{Name: "queue", Left: true}, {Name: "ρ"}, {Name: "requests"}, {Name: "mean wait, wall"}, {Name: "virtual"}, {Name: "theory"}, {Name: "theory within", Left: true},
			{Name: "dispatch lag, mean"}, {Name: "|wall − virtual|, mean"}, {Name: "p99"}},
		Notes: []string{"Both have the same tapes and services, so that what differs is the driver's lateness alone. A late request waits from its intended arrival, so that up to the mean lag is in the wait: the interval, of 95% for each queue by itself over few and short runs that begin empty, is widened downwards by it."},
	}
	for _, a := range t.Wall {
		ms := func(v float64) string { return fmt.Sprintf("%.2f", 1e3*v) }
		wall.Rows = append(wall.Rows, []string{a.Queue, fmt.Sprintf("%g", a.Load), fmt.Sprint(a.Requests), ms(a.Mean.Measured) + " ± " + ms(a.Mean.Half), ms(a.Virtual), ms(a.Mean.Theory),
			holds(a.Mean.OK), fmt.Sprintf("%.3f", 1e3*a.Lag), fmt.Sprintf("%.3f", 1e3*a.DifferenceMean), fmt.Sprintf("%.3f", 1e3*a.DifferenceP99)})
	}
	return append(tables, wall)
}
