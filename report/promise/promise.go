// Package promise makes the tables of rungs that have an admission policy: what they promise
// and keep, whom they take, and how wide their bounds are.
package promise

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/claims"
	"github.com/cadence-bench/cadence-bench/analysis/promise"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

type point = *claims.Admission

// Tables tell of the rungs that have an admission policy: what they promise and
// keep, what they serve beside those that have none, whom they take, how wide their
// bounds are, and how evenly they take. There is none when no rung has one.
func Tables(s *analysis.Sweep, f caption.Facts) []table.Table {
	all := claims.Admissions(s)
	if len(all) == 0 {
		return nil
	}
	points := make([]point, len(all))
	for i := range all {
		points[i] = &all[i]
	}
	tables := []table.Table{goodputs(s, points, f), kept(s, points, f), lengthClasses(points, f), paces(points, f), reasons(points, f)}
	promised := slices.DeleteFunc(slices.Clone(points), func(a point) bool { return !a.Alpha.OK })
	if len(promised) > 0 {
		tables = append([]table.Table{promises(promised, f), thetas(promised, f), bounds(promised, f)}, tables...)
	}
	return tables
}

// who are the columns that name a point.
func who() []table.Col[point] {
	return []table.Col[point]{column.Rung(func(a point) string { return a.Rung }), column.Offered(func(a point) float64 { return a.OfferedRPS })}
}

// alpha is the column of what is promised.
func alpha() table.Col[point] {
	return table.Optional("α", "alpha", "", "share of violations that the policy promises not to pass", func(a point) results.Opt[float64] { return a.Alpha }, percent)
}

func pointOf(a point) *analysis.Point { return a.Point }

const promiseNote = "Three things that are not the same: *violated* is the share of the requests taken (those forced apart) that did not end well within the SLO, which the policy promises to keep to α; " +
	"attainment counts every arrival, refused ones too; p99 is a quantile of the E2E of those taken, those dropped before their start counting as slower than any. " +
	"Goodput of the upper bound: the optimum of a linear programme that knows every length and all arrivals to come; no policy can pass it."

func promises(points []point, f caption.Facts) table.Table {
	columns := append(who(), alpha(),
		table.Show("violated", func(a point) string { return proportion(a.Violated) },
			proportionValues("violated", "share of the requests taken and not forced that did not end well within the SLO", func(a point) stats.Proportion { return a.Violated })...),
		table.Show("of", func(a point) string { return strconv.Itoa(a.Violated.N) }),
		table.Optional("refused", "refused", "", "share of the arrivals that were refused on arrival", func(a point) results.Opt[float64] {
			all := arrivals(a)
			return shareOf(all-a.Sum(func(c *promise.Outcome) int { return c.Taken }), all)
		}, percent),
		table.Optional("forced", "forced", "", "share of the arrivals that were taken in spite of their bound", func(a point) results.Opt[float64] {
			return shareOf(a.Sum(func(c *promise.Outcome) int { return c.Forced }), arrivals(a))
		}, percent),
		column.MetricOf(points, analysis.Attainment, false, pointOf), column.MetricOf(points, analysis.Goodput, true, pointOf),
		table.Optional("of the upper bound", "goodput_of_upper_bound", "", "goodput over the most that any policy could have",
			func(a point) results.Opt[float64] { return a.OfUpper }, percent),
		column.MetricOf(points, analysis.E2EP99, true, pointOf),
		table.Optional(fmt.Sprintf("worst %d in a row", promise.WorstRun), fmt.Sprintf("worst_%d_in_a_row", promise.WorstRun), "", "lowest attainment of so many requests taken, one after the other",
			func(a point) results.Opt[float64] { return a.Worst }, percent),
	)
	t := table.New("What admission promises and keeps", f.Caption(), points, columns...)
	t.Name, t.Notes = "admission", []string{promiseNote, intervalNote(points)}
	return t
}

func arrivals(a point) int {
	return a.Sum(func(c *promise.Outcome) int { return c.Arrivals })
}

func intervalNote(points []point) string {
	if slices.ContainsFunc(points, func(a point) bool { return a.Violated.N > 0 && !a.Violated.BySeeds }) {
		return "Intervals of 95%: of fewer than three seeds, as if requests were independent of one another; those of one queue are late together, so they are too narrow."
	}
	return "Intervals of 95%, over seeds."
}

// goodputs sets goodput side by side: every rung with a policy, and the highest without.
func goodputs(s *analysis.Sweep, points []point, f caption.Facts) table.Table {
	t := byRate(s, points, "Goodput (rps) by policy and offered rate", f, analysis.Goodput, format.Sig3)
	t.Name = "arms"
	t.Notes = []string{"Means over seeds. Goodput counts what ended within the SLO, whatever a policy promises: one that takes more than it can serve in time may have more of it, and breaks its word to those it took."}
	return t
}

// kept sets side by side what share of those that were taken was in time.
func kept(s *analysis.Sweep, points []point, f caption.Facts) table.Table {
	t := byRate(s, points, "Share of those taken that was in time, by policy and offered rate", f, analysis.Admitted, percent)
	t.Name = "arms-kept"
	t.Notes = []string{"Means over seeds. What was dropped from the queue was taken."}
	return t
}

// byRate has a row for every rung with a policy and for the highest without, and a
// column for every rate.
func byRate(s *analysis.Sweep, points []point, title string, f caption.Facts, m analysis.Metric, form func(float64) string) table.Table {
	type entry struct {
		rung, policy string
		rate         float64
		value        results.Opt[float64]
	}
	var entries []entry
	var rows [][]entry
	for _, rung := range armsOf(s, points) {
		var row []entry
		for _, rate := range s.Rates {
			e := entry{rung: rung, policy: policyOf(points, rung), rate: rate}
			if p := s.Find(rung, rate); p != nil && p.Range(m).N > 0 {
				e.value = results.Some(p.Range(m).Mean)
			}
			row = append(row, e)
		}
		entries, rows = append(entries, row...), append(rows, row)
	}
	columns := []table.Col[entry]{
		column.Rung(func(e entry) string { return e.rung }),
		table.Text("policy", "policy", "its admission policy; empty is none", func(e entry) string { return e.policy }),
		table.Value("offered_rps", "1/s", "rate at which requests were offered", func(e entry) any { return e.rate }),
		table.Value(m.Key, "", m.Label+", mean over seeds", func(e entry) any { return e.value }),
	}
	for i, rate := range s.Rates {
		columns = append(columns, table.Across(format.Short(rate), func(row []entry) string {
			if v := row[i].value; v.OK {
				return form(v.V)
			}
			return table.Null
		}))
	}
	return table.Grouped(title, f.Caption(), entries, rows, columns...)
}

// armsOf are the highest rung without a policy and those that have one.
func armsOf(s *analysis.Sweep, points []point) []string {
	var rungs []string
	for _, p := range points {
		if !slices.Contains(rungs, p.Rung) {
			rungs = append(rungs, p.Rung)
		}
	}
	for i := len(s.Rungs) - 1; i >= 0; i-- {
		if !slices.Contains(rungs, s.Rungs[i]) {
			return append([]string{s.Rungs[i]}, rungs...)
		}
	}
	return rungs
}

// policyOf is the policy of a rung, "" without one.
func policyOf(points []point, rung string) string {
	for _, a := range points {
		if a.Rung == rung {
			return a.Policy
		}
	}
	return ""
}

// lengthClasses tells whom the policies take: goodput above a cap comes partly from
// refusing those who ask for much.
func lengthClasses(points []point, f caption.Facts) table.Table {
	columns := who()
	for i, name := range promise.LengthClasses {
		of := func(n func(promise.Counts) int) func(a point) results.Opt[float64] {
			return func(a point) results.Opt[float64] {
				return shareOf(a.Sum(func(c *promise.Outcome) int { return n(c.Length[i]) }), a.Sum(func(c *promise.Outcome) int { return c.Length[i].Arrivals }))
			}
		}
		columns = append(columns,
			table.Optional(name+": taken", name+"_taken", "", "share of the arrivals of this third that were taken", of(func(c promise.Counts) int { return c.Taken }), percent),
			table.Optional("in time", name+"_in_time", "", "share of the arrivals of this third that ended within the SLO", of(func(c promise.Counts) int { return c.Good }), percent))
	}
	t := table.New("Whom admission takes, by the answer asked for", f.Caption(), points, columns...)
	t.Name = "admission-lengths"
	t.Notes = []string{"The arrivals in thirds by the longest answer that they asked for (max tokens); in time: of all arrivals of the third."}
	return t
}

func bounds(points []point, f caption.Facts) table.Table {
	columns := append(who(),
		table.Show("bounded", func(a point) string { return strconv.Itoa(a.Covered.N) }),
		table.Show("within the bound", func(a point) string { return proportion(a.Covered) },
			proportionValues("covered", "share of the requests taken, not forced and given a bound that ended within it", func(a point) stats.Proportion { return a.Covered })...),
		table.Optional("bound over E2E, median", "bound_over_e2e_median", "", "median over cells of the median over requests", width, format.Sig3),
	)
	t := table.New("The bounds that admission gives", f.Caption(), points, columns...)
	t.Name, t.Notes = "admission-bounds", []string{
		"Of the requests taken and not forced. A bound that is met more often than 1 − α is wider than it need be, which refuses work that would have been in time; " + intervalNote(points)}
	return t
}

// width is the median over cells of the median over requests.
func width(a point) results.Opt[float64] {
	var all []float64
	for _, c := range a.Cells {
		if c.Width.OK {
			all = append(all, c.Width.V)
		}
	}
	if len(all) == 0 {
		return results.Opt[float64]{}
	}
	slices.Sort(all)
	return results.Some(all[len(all)/2])
}

func paces(points []point, f caption.Facts) table.Table {
	columns := append(who(),
		table.Number("taken (1/s)", "taken_rps", "1/s", "requests taken per second of the steady window", takenRate, format.Sig3),
		table.Optional("one second on", "autocorrelation_1s", "", "of the number taken per second with that of the next second",
			meanOver(func(c *promise.Outcome) results.Opt[float64] { return c.Pace.Next }), twoDecimals),
		table.Optional("lowest", "autocorrelation_lowest", "", "the lowest at 1 to 10 seconds",
			meanOver(func(c *promise.Outcome) results.Opt[float64] { return c.Pace.Lowest }), twoDecimals),
		table.Optional("by chance", "autocorrelation_by_chance", "", "how low the lowest is for one uncorrelated series in twenty",
			meanOver(func(c *promise.Outcome) results.Opt[float64] {
				return results.Opt[float64]{V: c.Pace.Noise, OK: c.Pace.Lowest.OK}
			}), twoDecimals),
		table.Show("chatters", chatters,
			table.Value("chattering_cells", "", "cells whose lowest is below chance", func(a point) any { low, _ := chattering(a); return low }),
			table.Value("chattering_of", "", "cells that were long enough to tell", func(a point) any { _, of := chattering(a); return of })),
	)
	t := table.New("How evenly admission takes", f.Caption(), points, columns...)
	t.Name, t.Notes = "admission-pace", []string{
		"Autocorrelation of the number of requests taken per second with that some seconds later: one second on, and the lowest of 1 to 10 seconds, means over cells. By chance: how low the lowest is for one uncorrelated series in twenty. " +
			"Chatters: in how many cells it is lower than that; a policy that takes many, then none, then many has it in most."}
	return t
}

func takenRate(a point) float64 {
	seconds := 0.0
	for _, c := range a.Used() {
		seconds += c.Window.Length()
	}
	if seconds == 0 {
		return 0
	}
	return float64(a.Sum(func(c *promise.Outcome) int { return c.Taken })) / seconds
}

func chatters(a point) string {
	low, of := chattering(a)
	if of == 0 {
		return table.Null
	}
	return fmt.Sprintf("%d of %d", low, of)
}

// chattering counts the cells whose autocorrelation is lower than by chance, of those that
// can tell.
func chattering(a point) (low, of int) {
	for _, c := range a.Cells {
		if c.Pace.Lowest.OK {
			of++
			if c.Pace.Lowest.V < c.Pace.Noise {
				low++
			}
		}
	}
	return low, of
}

// meanOver is a mean over cells.
func meanOver(of func(*promise.Outcome) results.Opt[float64]) func(point) results.Opt[float64] {
	return func(a point) results.Opt[float64] {
		sum, n := 0.0, 0
		for _, c := range a.Cells {
			if v := of(c); v.OK {
				sum, n = sum+v.V, n+1
			}
		}
		if n == 0 {
			return results.Opt[float64]{}
		}
		return results.Some(sum / float64(n))
	}
}

func twoDecimals(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// reasons counts the policies' reasons.
func reasons(points []point, f caption.Facts) table.Table {
	count := func(a point, reason string) (n int) {
		for _, c := range a.Cells {
			for _, r := range c.Reasons {
				if r.Reason == reason {
					n += r.N
				}
			}
		}
		return n
	}
	seen := map[string]bool{}
	for i := range points {
		for _, c := range points[i].Cells {
			for _, r := range c.Reasons {
				seen[r.Reason] = true
			}
		}
	}
	columns := who()
	for _, reason := range slices.Sorted(maps.Keys(seen)) {
		columns = append(columns, table.Optional(reason, strings.ReplaceAll(reason, "-", "_"), "", "share of the arrivals with this reason",
			func(a point) results.Opt[float64] { return shareOf(count(a, reason), arrivals(a)) }, percent))
	}
	t := table.New("Why admission took and refused", f.Caption(), points, columns...)
	t.Name, t.Notes = "admission-reasons", []string{"Shares of the arrivals. docs/admission.md says what each reason means."}
	return t
}
