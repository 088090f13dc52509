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
	"strings"

	"github.com/cadence-bench/cadence-bench/internal/regular"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/loadgen/ideal"
	"github.com/cadence-bench/cadence-bench/report/table"
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
	add := func(tables []table.Table, names ...string) {
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

// Write writes what a check found as JSON, and its tables as Markdown beside it.
func Write(file string, data any, tables []table.Table) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		return err
	}
	var parts []string
	for _, t := range tables {
		parts = append(parts, t.Markdown())
	}
	return os.WriteFile(strings.TrimSuffix(file, ".json")+".md", []byte(strings.Join(parts, "\n")), 0o644)
}

// read decodes a file of JSON, if it is there.
func read(path string, into any) (ok bool, err error) {
	data, err := regular.ReadFile(path)
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
func Validation(v ideal.Validation) []table.Table {
	type study = arrival.Study
	caption := ""
	if len(v.Studies) > 0 {
		caption = fmt.Sprintf("seeds 0–%d, %g s", v.Studies[0].Seeds-1, v.Studies[0].DurationS)
	}
	processes := table.New("The arrival processes against what they claim to be", caption, v.Studies,
		table.Show("process", func(s study) string { return s.Arrivals }).Left(),
		table.Show("offered (rps)", func(s study) string { return fmt.Sprintf("%g", s.RPS) }),
		table.Show("KS rejects at 0.05", func(s study) string { return percentOrNull(s.Rejected) }),
		table.Show("median p", func(s study) string { return opt("%.3f", s.MedianP) }),
		table.Show("arrivals, mean (expected)", func(s study) string { return beside("%.1f", s.CountMean, &s.ExpectCount) }),
		table.Show("SD (expected)", func(s study) string { return beside("%.1f", s.CountSD, s.ExpectSD) }),
		table.Show("CV of gaps (expected)", func(s study) string { return beside("%.3f", s.CV, &s.ExpectCV) }),
		table.Show("lag-1", func(s study) string { return opt("%.4f", s.Lag1) }),
		table.Show("dispersion", func(s study) string { return opt("%.3f", s.Dispersion) }))
	processes.Notes = []string{"Gaps are in expected arrivals, so that a changing rate is taken out, and the dispersion is on the time scale on which the process is Poisson. " +
		"A right process is rejected 5% ± 1.5% of the time, with a median p of 0.5 ± 0.04, no correlation and a dispersion of 1. " +
		"Constant gaps have no distribution to test: each of them is compared with the rate. " +
		"ramp, step, spike and diurnal are the Poisson gaps at another pace, so that their rows say that the pace is undone to the same figures."}
	type seed struct {
		study study
		arrival.SeedPlace
	}
	var seeds []seed
	for _, s := range v.Studies {
		for _, p := range s.Sweep {
			if s.Arrivals == "poisson" {
				seeds = append(seeds, seed{s, p})
			}
		}
	}
	sweep := table.New("The seeds that sweeps use, among these", caption, seeds,
		table.Show("process", func(s seed) string { return s.study.Arrivals }).Left(),
		table.Show("offered (rps)", func(s seed) string { return fmt.Sprintf("%g", s.study.RPS) }),
		table.Show("seed", func(s seed) string { return fmt.Sprint(s.Seed) }),
		table.Show("arrivals", func(s seed) string { return fmt.Sprint(s.Count) }),
		table.Show("KS p", func(s seed) string { return opt("%.3f", s.P) }),
		table.Show("percentile of p", func(s seed) string { return opt("%.1f", s.Percentile) }))
	sweep.Notes = []string{"Arrivals of one seed are one realisation at every rate, seen for longer or shorter. A seed is used as it is: to choose another because its p is low " +
		"would be the selection that makes a p mean nothing."}
	stubs := table.New("The driver against servers of known capacity", "virtual time", v.Stubs,
		table.Show("check", func(s ideal.Stub) string { return s.What }).Left(),
		table.Show("expected", func(s ideal.Stub) string { return s.Expected }),
		table.Show("measured", func(s ideal.Stub) string { return s.Measured }),
		table.Show("holds", func(s ideal.Stub) string { return holds(s.OK) }).Left())
	return []table.Table{processes, sweep, stubs}
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
func Selftest(t ideal.Selftest) []table.Table {
	columns := []table.Col[ideal.Answer]{
		table.Show("queue", func(a ideal.Answer) string { return a.Queue }).Left(),
		table.Show("ρ", func(a ideal.Answer) string { return fmt.Sprintf("%g", a.Load) }),
		table.Show("requests", func(a ideal.Answer) string { return fmt.Sprint(a.Requests) }),
		table.Show("mean wait", func(a ideal.Answer) string { return fmt.Sprintf("%.4f ± %.4f", a.Mean.Measured, a.Mean.Half) }),
		table.Show("theory", func(a ideal.Answer) string { return fmt.Sprintf("%.4f", a.Mean.Theory) }),
	}
	for i, p := range []string{"p50", "p90", "p99"} {
		columns = append(columns,
			table.Show(p+" (theory)", func(a ideal.Answer) string { return beside("%.3f", a.Levels[i].Measured, &a.Levels[i].Theory) }),
			table.Show("share up to it (theory)", func(a ideal.Answer) string {
				s := a.Levels[i].Share
				return fmt.Sprintf("%.4f ± %.4f (%.4f)", s.Measured, s.Half, s.Theory)
			}))
	}
	columns = append(columns, table.Show("all within", func(a ideal.Answer) string { return holds(a.OK()) }).Left())
	known := table.New("The driver and its records against queueing theory, in virtual time",
		fmt.Sprintf("waits in mean service times; %d replications; all intervals hold together with %.0f%% confidence", t.Plan.Replications, 100*t.Plan.Confidence),
		t.Answers, columns...)
	known.Notes = []string{"p50, p90 and p99 are measured over all replications, with the theory's in brackets. An order statistic of dependent waits is biased, so the interval is for the share of waits up to the theory's quantile, which is not. " +
		"Of a queue that most do not wait in, the median is 0."}
	if len(t.Wall) == 0 {
		return []table.Table{known}
	}
	type answer = ideal.WallAnswer
	ms := func(v float64) string { return fmt.Sprintf("%.2f", 1e3*v) }
	lag := func(heading string, of func(answer) float64) table.Col[answer] {
		return table.Show(heading, func(a answer) string { return fmt.Sprintf("%.3f", 1e3*of(a)) })
	}
	wall := table.New("The same in wall time",
		fmt.Sprintf("ms; %d replications of %g s, all at once on one loop; %s, %d cores", t.WallRuns, t.WallLength, t.Host.CPU, t.Host.Cores), t.Wall,
		table.Show("queue", func(a answer) string { return a.Queue }).Left(),
		table.Show("ρ", func(a answer) string { return fmt.Sprintf("%g", a.Load) }),
		table.Show("requests", func(a answer) string { return fmt.Sprint(a.Requests) }),
		table.Show("mean wait, wall", func(a answer) string { return ms(a.Mean.Measured) + " ± " + ms(a.Mean.Half) }),
		table.Show("virtual", func(a answer) string { return ms(a.Virtual) }),
		table.Show("theory", func(a answer) string { return ms(a.Mean.Theory) }),
		table.Show("theory within", func(a answer) string { return holds(a.Mean.OK) }).Left(),
		lag("dispatch lag, mean", func(a answer) float64 { return a.Lag }),
		lag("|wall − virtual|, mean", func(a answer) float64 { return a.DifferenceMean }),
		lag("p99", func(a answer) float64 { return a.DifferenceP99 }))
	wall.Notes = []string{"Both have the same tapes and services, so that what differs is the driver's lateness alone. A late request waits from its intended arrival, so that up to the mean lag is in the wait: the interval, of 95% for each queue by itself over few and short runs that begin empty, is widened downwards by it."}
	return []table.Table{known, wall}
}
