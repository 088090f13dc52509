package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
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

// admissionColumn makes a column with one cell for each point.
func admissionColumn(name string, points []analysis.AdmissionPoint, of func(*analysis.AdmissionPoint) string) column {
	cells := make([]string, len(points))
	for i := range points {
		cells[i] = of(&points[i])
	}
	return right(name, cells)
}

// who are the columns that name a point.
func who(points []analysis.AdmissionPoint) []column {
	rung := admissionColumn("rung", points, func(a *analysis.AdmissionPoint) string { return a.Rung })
	rung.Left = true
	return []column{rung, admissionColumn("offered (rps)", points, func(a *analysis.AdmissionPoint) string { return short(a.OfferedRPS) })}
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
	columns := append(who(points),
		admissionColumn("α", points, func(a *analysis.AdmissionPoint) string { return percentIf(a.Alpha) }),
		admissionColumn("violated", points, func(a *analysis.AdmissionPoint) string { return proportion(a.Violated) }).
			with(proportionFields(points, "violated", "share of the requests taken and not forced that did not end well within the SLO", func(a *analysis.AdmissionPoint) analysis.Proportion { return a.Violated })...),
		admissionColumn("of", points, func(a *analysis.AdmissionPoint) string { return strconv.Itoa(a.Violated.N) }),
		admissionColumn("refused", points, func(a *analysis.AdmissionPoint) string { return percentOf(refused(a)) }),
		admissionColumn("forced", points, func(a *analysis.AdmissionPoint) string {
			return percentOf(a.Sum(func(c *analysis.Promise) int { return c.Forced }), arrivals(a))
		}),
		metric(inner(points), analysis.Attainment, false), metric(inner(points), analysis.Goodput, true),
		admissionColumn("of the upper bound", points, func(a *analysis.AdmissionPoint) string { return percentIf(a.OfUpper) }),
		metric(inner(points), analysis.E2EP99, true),
		admissionColumn(fmt.Sprintf("worst %d in a row", analysis.WorstRun), points, func(a *analysis.AdmissionPoint) string { return percentIf(a.Worst) }),
	)
	t := assemble("What admission promises and keeps", f.Caption(), columns)
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
	t := Table{Caption: f.Caption(), Columns: []Column{{"rung", true}, {"policy", true}}}
	for _, rate := range s.Rates {
		t.Columns = append(t.Columns, Column{Name: short(rate)})
	}
	t.Fields = []Field{
		{Name: "rung", Doc: "name of the configuration"}, {Name: "policy", Doc: "its admission policy; empty is none"},
		{Name: "offered_rps", Unit: "1/s", Doc: "rate at which requests were offered"}, {Name: m.Key, Doc: m.Label + ", mean over seeds"},
	}
	for _, rung := range armsOf(s, points) {
		row := []string{rung, policyOf(points, rung)}
		for _, rate := range s.Rates {
			text, value := null, any(nil)
			if p := s.Find(rung, rate); p != nil && p.Range(m).N > 0 {
				text, value = form(p.Range(m).Mean), p.Range(m).Mean
			}
			row = append(row, text)
			for k, v := range []any{rung, textIf(strings.Trim(row[1], null)), rate, value} {
				t.Fields[k].values = append(t.Fields[k].values, v)
			}
		}
		t.Rows = append(t.Rows, row)
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
	return null
}

// lengthClasses tells whom the policies take: goodput above a cap comes partly from
// refusing those who ask for much.
func lengthClasses(points []analysis.AdmissionPoint, f Facts) Table {
	columns := who(points)
	for i, name := range analysis.LengthClasses {
		columns = append(columns,
			admissionColumn(name+": taken", points, func(a *analysis.AdmissionPoint) string {
				return percentOf(a.Sum(func(c *analysis.Promise) int { return c.Length[i].Taken }), a.Sum(func(c *analysis.Promise) int { return c.Length[i].Arrivals }))
			}),
			admissionColumn("in time", points, func(a *analysis.AdmissionPoint) string {
				return percentOf(a.Sum(func(c *analysis.Promise) int { return c.Length[i].Good }), a.Sum(func(c *analysis.Promise) int { return c.Length[i].Arrivals }))
			}))
	}
	t := assemble("Whom admission takes, by the answer asked for", f.Caption(), columns)
	t.Name = "admission-lengths"
	t.Notes = []string{"The arrivals in thirds by the longest answer that they asked for (max tokens); in time: of all arrivals of the third."}
	return t
}

func bounds(points []analysis.AdmissionPoint, f Facts) Table {
	columns := append(who(points),
		admissionColumn("bounded", points, func(a *analysis.AdmissionPoint) string { return strconv.Itoa(a.Covered.N) }),
		admissionColumn("within the bound", points, func(a *analysis.AdmissionPoint) string { return proportion(a.Covered) }).
			with(proportionFields(points, "covered", "share of the requests taken, not forced and given a bound that ended within it", func(a *analysis.AdmissionPoint) analysis.Proportion { return a.Covered })...),
		admissionColumn("bound over E2E, median", points, func(a *analysis.AdmissionPoint) string { return width(a) }),
	)
	t := assemble("The bounds that admission gives", f.Caption(), columns)
	t.Name, t.Notes = "admission-bounds", []string{
		"Of the requests taken and not forced. A bound that is met more often than 1 − α is wider than it need be, which refuses work that would have been in time; " + intervalNote(points)}
	return t
}

// width is the median over cells of the median over requests.
func width(a *analysis.AdmissionPoint) string {
	var all []float64
	for _, c := range a.Cells {
		if c.Width.OK {
			all = append(all, c.Width.V)
		}
	}
	if len(all) == 0 {
		return null
	}
	slices.Sort(all)
	return sig3(all[len(all)/2])
}

func paces(points []analysis.AdmissionPoint, f Facts) Table {
	columns := append(who(points),
		admissionColumn("taken (1/s)", points, func(a *analysis.AdmissionPoint) string { return sig3(takenRate(a)) }),
		admissionColumn("one second on", points, func(a *analysis.AdmissionPoint) string {
			return meanOver(a, func(c *analysis.Promise) results.Opt[float64] { return c.Pace.Next })
		}),
		admissionColumn("lowest", points, func(a *analysis.AdmissionPoint) string {
			return meanOver(a, func(c *analysis.Promise) results.Opt[float64] { return c.Pace.Lowest })
		}),
		admissionColumn("by chance", points, func(a *analysis.AdmissionPoint) string {
			return meanOver(a, func(c *analysis.Promise) results.Opt[float64] {
				return results.Opt[float64]{V: c.Pace.Noise, OK: c.Pace.Lowest.OK}
			})
		}),
		admissionColumn("chatters", points, func(a *analysis.AdmissionPoint) string { return chatters(a) }),
	)
	t := assemble("How evenly admission takes", f.Caption(), columns)
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
	known, low := 0, 0
	for _, c := range a.Cells {
		if c.Pace.Lowest.OK {
			known++
			if c.Pace.Lowest.V < c.Pace.Noise {
				low++
			}
		}
	}
	if known == 0 {
		return null
	}
	return fmt.Sprintf("%d of %d", low, known)
}

// meanOver is a mean over cells.
func meanOver(a *analysis.AdmissionPoint, of func(*analysis.Promise) results.Opt[float64]) string {
	sum, n := 0.0, 0
	for _, c := range a.Cells {
		if v := of(c); v.OK {
			sum, n = sum+v.V, n+1
		}
	}
	if n == 0 {
		return null
	}
	return strconv.FormatFloat(sum/float64(n), 'f', 2, 64)
}

// reasons counts the policies' reasons.
func reasons(points []analysis.AdmissionPoint, f Facts) Table {
	counts := make([]map[string]int, len(points))
	seen := map[string]bool{}
	for i := range points {
		counts[i] = map[string]int{}
		for _, c := range points[i].Cells {
			for _, r := range c.Reasons {
				counts[i][r.Reason] += r.N
				seen[r.Reason] = true
			}
		}
	}
	columns := who(points)
	for _, reason := range slices.Sorted(maps.Keys(seen)) {
		cells := make([]string, len(points))
		for i := range points {
			cells[i] = percentOf(counts[i][reason], arrivals(&points[i]))
		}
		columns = append(columns, right(reason, cells))
	}
	t := assemble("Why admission took and refused", f.Caption(), columns)
	t.Name, t.Notes = "admission-reasons", []string{"Shares of the arrivals. docs/admission.md says what each reason means."}
	return t
}
