package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// Admission tells of the rungs that have an admission policy: what they promise and
// keep, what they serve beside those that have none, whom they take, how wide their
// bounds are, and how evenly they take. There is none when no rung has one.
func Admission(s *analysis.Sweep, f Facts) []Table {
	points := s.Admissions()
	if len(points) == 0 {
		return nil
	}
	tables := []Table{goodputs(s, points, f), kept(s, points, f), lengthClasses(points, f), paces(points, f), reasons(points, f)}
	promised := slices.DeleteFunc(slices.Clone(points), func(a analysis.AdmissionPoint) bool { return !a.Alpha.OK })
	if len(promised) > 0 {
		tables = append([]Table{promises(promised, f), thetas(promised, f), bounds(promised, f)}, tables...)
	}
	return tables
}

// number is a column of a figure of each point.
func number(head, key, unit, doc string, points []analysis.AdmissionPoint, of func(*analysis.AdmissionPoint) results.Opt[float64], format func(float64) string) table.Col {
	return table.Number(head, key, unit, doc, points, func(a analysis.AdmissionPoint) results.Opt[float64] { return of(&a) }, format)
}

// shown is a column for people; machines have its figures elsewhere in the table.
func shown(head string, points []analysis.AdmissionPoint, of func(*analysis.AdmissionPoint) string) table.Col {
	cells := make([]string, len(points))
	for i := range points {
		cells[i] = of(&points[i])
	}
	return table.Right(head, cells)
}

// who are the columns that name a point.
func who(points []analysis.AdmissionPoint) []table.Col {
	return []table.Col{
		table.Text("rung", "rung", "name of the configuration", points, func(a analysis.AdmissionPoint) string { return a.Rung }),
		number("offered (rps)", "offered_rps", "1/s", "rate at which the tape offers requests", points,
			func(a *analysis.AdmissionPoint) results.Opt[float64] { return results.Some(a.OfferedRPS) }, short),
	}
}

// alpha is the column of what is promised.
func alpha(points []analysis.AdmissionPoint) table.Col {
	return number("α", "alpha", "", "share of violations that the policy promises not to pass", points,
		func(a *analysis.AdmissionPoint) results.Opt[float64] { return a.Alpha }, percent)
}

func inner(points []analysis.AdmissionPoint) []*analysis.Point {
	all := make([]*analysis.Point, len(points))
	for i := range points {
		all[i] = points[i].Point
	}
	return all
}

const promiseNote = "Three things that are not the same: *violated* is the share of the requests taken (those forced apart) that did not end well within the SLO, which the policy promises to keep to α; " +
	"attainment counts every arrival, refused ones too; p99 is a quantile of the E2E of those taken, those dropped before their start counting as slower than any. " +
	"Goodput of the upper bound: the optimum of a linear programme that knows every length and all arrivals to come; no policy can pass it."

func promises(points []analysis.AdmissionPoint, f Facts) Table {
	columns := append(who(points), alpha(points),
		shown("violated", points, func(a *analysis.AdmissionPoint) string { return proportion(a.Violated) }).
			With(proportionFields(points, "violated", "share of the requests taken and not forced that did not end well within the SLO", func(a *analysis.AdmissionPoint) stats.Proportion { return a.Violated })...),
		shown("of", points, func(a *analysis.AdmissionPoint) string { return strconv.Itoa(a.Violated.N) }),
		number("refused", "refused", "", "share of the arrivals that were refused on arrival", points, func(a *analysis.AdmissionPoint) results.Opt[float64] {
			all := arrivals(a)
			return shareOf(all-a.Sum(func(c *analysis.Promise) int { return c.Taken }), all)
		}, percent),
		number("forced", "forced", "", "share of the arrivals that were taken in spite of their bound", points, func(a *analysis.AdmissionPoint) results.Opt[float64] {
			return shareOf(a.Sum(func(c *analysis.Promise) int { return c.Forced }), arrivals(a))
		}, percent),
		metric(inner(points), analysis.Attainment, false), metric(inner(points), analysis.Goodput, true),
		number("of the upper bound", "goodput_of_upper_bound", "", "goodput over the most that any policy could have", points,
			func(a *analysis.AdmissionPoint) results.Opt[float64] { return a.OfUpper }, percent),
		metric(inner(points), analysis.E2EP99, true),
		number(fmt.Sprintf("worst %d in a row", analysis.WorstRun), fmt.Sprintf("worst_%d_in_a_row", analysis.WorstRun), "", "lowest attainment of so many requests taken, one after the other", points,
			func(a *analysis.AdmissionPoint) results.Opt[float64] { return a.Worst }, percent),
	)
	t := table.Of("What admission promises and keeps", f.Caption(), columns)
	t.Name, t.Notes = "admission", []string{promiseNote, intervalNote(points)}
	return t
}

func arrivals(a *analysis.AdmissionPoint) int {
	return a.Sum(func(c *analysis.Promise) int { return c.Arrivals })
}

func intervalNote(points []analysis.AdmissionPoint) string {
	if slices.ContainsFunc(points, func(a analysis.AdmissionPoint) bool { return a.Violated.N > 0 && !a.Violated.BySeeds }) {
		return "Intervals of 95%: of fewer than three seeds, as if requests were independent of one another; those of one queue are late together, so they are too narrow."
	}
	return "Intervals of 95%, over seeds."
}

// goodputs sets goodput side by side: every rung with a policy, and the highest without.
func goodputs(s *analysis.Sweep, points []analysis.AdmissionPoint, f Facts) Table {
	t := byRate(s, points, f, analysis.Goodput, sig3)
	t.Name, t.Title = "arms", "Goodput (rps) by policy and offered rate"
	t.Notes = []string{"Means over seeds. Goodput counts what ended within the SLO, whatever a policy promises: one that takes more than it can serve in time may have more of it, and breaks its word to those it took."}
	return t
}

// kept sets side by side what share of those that were taken was in time.
func kept(s *analysis.Sweep, points []analysis.AdmissionPoint, f Facts) Table {
	t := byRate(s, points, f, analysis.Admitted, percent)
	t.Name, t.Title = "arms-kept", "Share of those taken that was in time, by policy and offered rate"
	t.Notes = []string{"Means over seeds. What was dropped from the queue was taken."}
	return t
}

// byRate has a row for every rung with a policy and for the highest without, and a
// column for every rate.
func byRate(s *analysis.Sweep, points []analysis.AdmissionPoint, f Facts, m analysis.Metric, form func(float64) string) Table {
	t := Table{Caption: f.Caption(), Columns: []Column{{Name: "rung", Left: true}, {Name: "policy", Left: true}}}
	for _, rate := range s.Rates {
		t.Columns = append(t.Columns, Column{Name: short(rate)})
	}
	type entry struct {
		rung, policy string
		rate         float64
		value        results.Opt[float64]
	}
	var entries []entry
	for _, rung := range armsOf(s, points) {
		policy := policyOf(points, rung)
		row := []string{rung, policy}
		for _, rate := range s.Rates {
			e := entry{rung, strings.Trim(policy, table.Null), rate, results.Opt[float64]{}}
			text := table.Null
			if p := s.Find(rung, rate); p != nil && p.Range(m).N > 0 {
				e.value = results.Some(p.Range(m).Mean)
				text = form(e.value.V)
			}
			row, entries = append(row, text), append(entries, e)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Fields = []Field{
		table.NewField("rung", "", "name of the configuration", entries, func(e entry) any { return e.rung }),
		table.NewField("policy", "", "its admission policy; empty is none", entries, func(e entry) any { return table.TextIf(e.policy) }),
		table.NewField("offered_rps", "1/s", "rate at which requests were offered", entries, func(e entry) any { return e.rate }),
		table.NewField(m.Key, "", m.Label+", mean over seeds", entries, func(e entry) any { return table.Optional(e.value) }),
	}
	return t
}

// armsOf are the highest rung without a policy and those that have one.
func armsOf(s *analysis.Sweep, points []analysis.AdmissionPoint) []string {
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

func policyOf(points []analysis.AdmissionPoint, rung string) string {
	for i := range points {
		if points[i].Rung == rung {
			return points[i].Policy
		}
	}
	return table.Null
}

// lengthClasses tells whom the policies take: goodput above a cap comes partly from
// refusing those who ask for much.
func lengthClasses(points []analysis.AdmissionPoint, f Facts) Table {
	columns := who(points)
	for i, name := range analysis.LengthClasses {
		of := func(n func(analysis.Counts) int) func(a *analysis.AdmissionPoint) results.Opt[float64] {
			return func(a *analysis.AdmissionPoint) results.Opt[float64] {
				return shareOf(a.Sum(func(c *analysis.Promise) int { return n(c.Length[i]) }), a.Sum(func(c *analysis.Promise) int { return c.Length[i].Arrivals }))
			}
		}
		columns = append(columns,
			number(name+": taken", name+"_taken", "", "share of the arrivals of this third that were taken", points, of(func(c analysis.Counts) int { return c.Taken }), percent),
			number("in time", name+"_in_time", "", "share of the arrivals of this third that ended within the SLO", points, of(func(c analysis.Counts) int { return c.Good }), percent))
	}
	t := table.Of("Whom admission takes, by the answer asked for", f.Caption(), columns)
	t.Name = "admission-lengths"
	t.Notes = []string{"The arrivals in thirds by the longest answer that they asked for (max tokens); in time: of all arrivals of the third."}
	return t
}

func bounds(points []analysis.AdmissionPoint, f Facts) Table {
	columns := append(who(points),
		shown("bounded", points, func(a *analysis.AdmissionPoint) string { return strconv.Itoa(a.Covered.N) }),
		shown("within the bound", points, func(a *analysis.AdmissionPoint) string { return proportion(a.Covered) }).
			With(proportionFields(points, "covered", "share of the requests taken, not forced and given a bound that ended within it", func(a *analysis.AdmissionPoint) stats.Proportion { return a.Covered })...),
		number("bound over E2E, median", "bound_over_e2e_median", "", "median over cells of the median over requests", points, width, sig3),
	)
	t := table.Of("The bounds that admission gives", f.Caption(), columns)
	t.Name, t.Notes = "admission-bounds", []string{
		"Of the requests taken and not forced. A bound that is met more often than 1 − α is wider than it need be, which refuses work that would have been in time; " + intervalNote(points)}
	return t
}

// width is the median over cells of the median over requests.
func width(a *analysis.AdmissionPoint) results.Opt[float64] {
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

func paces(points []analysis.AdmissionPoint, f Facts) Table {
	columns := append(who(points),
		number("taken (1/s)", "taken_rps", "1/s", "requests taken per second of the steady window", points,
			func(a *analysis.AdmissionPoint) results.Opt[float64] { return results.Some(takenRate(a)) }, sig3),
		number("one second on", "autocorrelation_1s", "", "of the number taken per second with that of the next second", points,
			meanOver(func(c *analysis.Promise) results.Opt[float64] { return c.Pace.Next }), twoDecimals),
		number("lowest", "autocorrelation_lowest", "", "the lowest at 1 to 10 seconds", points,
			meanOver(func(c *analysis.Promise) results.Opt[float64] { return c.Pace.Lowest }), twoDecimals),
		number("by chance", "autocorrelation_by_chance", "", "how low the lowest is for one uncorrelated series in twenty", points,
			meanOver(func(c *analysis.Promise) results.Opt[float64] {
				return results.Opt[float64]{V: c.Pace.Noise, OK: c.Pace.Lowest.OK}
			}), twoDecimals),
		shown("chatters", points, func(a *analysis.AdmissionPoint) string { return chatters(a) }).With(
			table.NewField("chattering_cells", "", "cells whose lowest is below chance", points, func(a analysis.AdmissionPoint) any { low, _ := chattering(&a); return low }),
			table.NewField("chattering_of", "", "cells that were long enough to tell", points, func(a analysis.AdmissionPoint) any { _, of := chattering(&a); return of })),
	)
	t := table.Of("How evenly admission takes", f.Caption(), columns)
	t.Name, t.Notes = "admission-pace", []string{
		"Autocorrelation of the number of requests taken per second with that some seconds later: one second on, and the lowest of 1 to 10 seconds, means over cells. By chance: how low the lowest is for one uncorrelated series in twenty. " +
			"Chatters: in how many cells it is lower than that; a policy that takes many, then none, then many has it in most."}
	return t
}

func takenRate(a *analysis.AdmissionPoint) float64 {
	seconds := 0.0
	for _, c := range a.Used() {
		seconds += c.Window.Length()
	}
	if seconds == 0 {
		return 0
	}
	return float64(a.Sum(func(c *analysis.Promise) int { return c.Taken })) / seconds
}

func chatters(a *analysis.AdmissionPoint) string {
	low, of := chattering(a)
	if of == 0 {
		return table.Null
	}
	return fmt.Sprintf("%d of %d", low, of)
}

// chattering counts the cells whose autocorrelation is lower than by chance, of those that
// can tell.
func chattering(a *analysis.AdmissionPoint) (low, of int) {
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
func meanOver(of func(*analysis.Promise) results.Opt[float64]) func(*analysis.AdmissionPoint) results.Opt[float64] {
	return func(a *analysis.AdmissionPoint) results.Opt[float64] {
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
func reasons(points []analysis.AdmissionPoint, f Facts) Table {
	count := func(a *analysis.AdmissionPoint, reason string) (n int) {
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
	columns := who(points)
	for _, reason := range slices.Sorted(maps.Keys(seen)) {
		columns = append(columns, number(reason, strings.ReplaceAll(reason, "-", "_"), "", "share of the arrivals with this reason", points,
			func(a *analysis.AdmissionPoint) results.Opt[float64] { return shareOf(count(a, reason), arrivals(a)) }, percent))
	}
	t := table.Of("Why admission took and refused", f.Caption(), columns)
	t.Name, t.Notes = "admission-reasons", []string{"Shares of the arrivals. docs/admission.md says what each reason means."}
	return t
}
