// Package knob makes the tables of a study, in which every rung is one rung with one setting
// changed.
package knob

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/analysis/study"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// withinNoise is the verdict of a change that the noise could have made.
const withinNoise = "within the noise"

// Tables are those of a study of knobs: "knobs" with a verdict for each change, and
// "knob-NAME" with the figures of each knob.
func Tables(s *analysis.Sweep, planned *results.Study, f caption.Facts) []table.Table {
	r := study.Of(s, planned)
	tables := []table.Table{verdicts(s, r, f)}
	var knobs []string
	for _, a := range planned.Arms {
		if !slices.Contains(knobs, a.Knob) {
			knobs = append(knobs, a.Knob)
		}
	}
	for _, knob := range knobs {
		arms := slices.DeleteFunc(slices.Clone(r.Arms), func(a study.ArmResult) bool { return a.Knob != knob })
		if len(arms) > 0 {
			tables = append(tables, knobTable(s, r.Base, knob, arms, f))
		}
	}
	return tables
}

// verdicts is one row per arm, with what became of it at each rate.
func verdicts(s *analysis.Sweep, r study.Result, f caption.Facts) table.Table {
	columns := effectColumns(r.Base)
	shown := []string{"knob", "value"}
	for _, rate := range s.Rates {
		at := "at " + format.Short(rate) + " rps"
		shown = append(shown, at)
		columns = append(columns, table.Across(at, func(row []armEffect) string {
			i := slices.IndexFunc(row, func(l armEffect) bool { return l.arm.OfferedRPS == rate })
			if i < 0 {
				return table.Null
			}
			return verdictOf(row[i].arm)
		}).Left())
	}
	var rows [][]armEffect
	lines := effectsOf(r.Arms)
	for i, l := range lines {
		if i == 0 || l.arm.Knob != lines[i-1].arm.Knob || l.arm.Value != lines[i-1].arm.Value {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], l)
	}
	t := table.Grouped(f.Title("What each knob changes of "+r.Base), f.Caption(), lines, rows, columns...).Shown(shown...)
	t.Name = "knobs"
	t.Notes = []string{noiseNote(r), chanceNote(r)}
	if strings.Contains(f.Backend, caption.Backend("twin")) {
		t.Notes = append(t.Notes, "The twin's replicates differ by the noise that it is given. Without --twin-noise they are the same, so that any difference, however small, is the knob's.")
	}
	return t
}

func noiseNote(r study.Result) string {
	n := fmt.Sprint(r.Replicates[0])
	if r.Replicates[0] != r.Replicates[1] {
		n = fmt.Sprintf("%d to %d", r.Replicates[0], r.Replicates[1])
	}
	return fmt.Sprintf("Against the mean of %s measurement(s) of the unchanged %s on the same tape, averaged over seeds. A difference counts when it exceeds the noise floor: "+
		"the largest of the half-width of its 95%% t interval, with the spread of the unchanged measurements within a tape (pooled over tapes) as that of a single one; "+
		"the largest difference between two of them on one tape; and, for goodput, one request. Latencies are compared as ratios. It is the noise of measuring, so a verdict is of these tapes; where they disagree on its sign, there is none.", n, r.Base)
}

func chanceNote(r study.Result) string {
	return fmt.Sprintf("%d of %d differences are beyond the noise. Were no knob to matter, up to 5%% of them (%s) might be by chance: one that stands alone wants another run.",
		r.Beyond, r.Judged, format.Short(math.Round(0.05*float64(r.Judged))))
}

// verdictOf sums up an arm at one rate: the metrics that became better and worse.
func verdictOf(a study.ArmResult) string {
	named := map[compare.Finding][]string{}
	for _, e := range a.Effects {
		named[e.Finding] = append(named[e.Finding], e.Label)
	}
	var parts []string
	for _, f := range []compare.Finding{compare.BetterThan, compare.WorseThan} {
		if len(named[f]) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", f, strings.Join(named[f], ", ")))
		}
	}
	switch {
	case parts != nil:
		return strings.Join(parts, "; ")
	case len(named[compare.NoDifference]) > 0:
		return withinNoise
	}
	return string(compare.CannotTell)
}

// knobTable is one row per value and rate of a knob, and one for the unchanged rung.
func knobTable(s *analysis.Sweep, base, knob string, arms []study.ArmResult, f caption.Facts) table.Table {
	columns, shown := effectColumns(base), []string{"offered_rps", "value"}
	for i, m := range study.Metrics() {
		sc := format.ScaleOf(m.Unit, column.Largest(arms, func(a study.ArmResult) float64 { return max(a.Effects[i].Base.Max, a.Effects[i].Arm.Max) }))
		columns = append(columns,
			table.Show(sc.Name(m.Label), func(l armEffect) string {
				if l.unchanged != nil {
					return sc.Spread(l.arm.Effects[i].Base)
				}
				return sc.Spread(l.arm.Effects[i].Arm)
			}).Named(m.Key),
			table.Show("change", func(l armEffect) string {
				if l.unchanged != nil {
					return floorText(l.unchanged, i, sc)
				}
				return differenceText(l.arm.Effects[i], sc)
			}).Named(m.Key+"_change"))
		shown = append(shown, m.Key, m.Key+"_change")
	}
	var rows [][]armEffect
	for _, rate := range s.Rates {
		there := slices.DeleteFunc(slices.Clone(arms), func(a study.ArmResult) bool { return a.OfferedRPS != rate })
		if len(there) > 0 {
			rows = append(rows, []armEffect{{arm: there[0], unchanged: there}})
		}
		for _, a := range there {
			rows = append(rows, []armEffect{{arm: a}})
		}
	}
	t := table.Grouped(f.Title("Knob "+knob), f.Caption(), effectsOf(arms), rows, columns...).Shown(append(shown, "verdict")...)
	t.Name = "knob-" + knob
	t.Notes = []string{"In the unchanged row, ± is the noise floor of a change of that metric; how it is set, and how many verdicts may be by chance, is under the table of all knobs."}
	return t
}

// floorText is the largest floor of a metric that arms face.
func floorText(arms []study.ArmResult, metric int, sc format.Scale) string {
	floor, most := table.Null, -1.0
	for _, a := range arms {
		if e := a.Effects[metric]; e.Finding != compare.CannotTell && e.Floor > most {
			floor, most = effectText(e, e.Floor, sc, "±%"), e.Floor
		}
	}
	return floor
}

func differenceText(e study.Effect, sc format.Scale) string {
	text := effectText(e, e.Difference, sc, "%+")
	if e.AtLeast && text != table.Null {
		return ">" + text
	}
	return text
}

// effectText formats a difference in the scale of an effect: relative ones as per cent, the
// others in the column's unit. form begins a verb for a number.
func effectText(e study.Effect, d float64, sc format.Scale, form string) string {
	switch {
	case e.Finding == compare.CannotTell:
		return table.Null
	case e.Relative:
		return fmt.Sprintf(form+".1f%%", 100*math.Expm1(d))
	}
	return fmt.Sprintf(form+".3g", d*sc.Factor) + sc.Suffix
}

// armEffect is the effect of an arm on one metric.
type armEffect struct {
	arm       study.ArmResult
	e         study.Effect
	unchanged []study.ArmResult // in the row of the unchanged rung: the arms at its rate
}

func effectsOf(arms []study.ArmResult) (all []armEffect) {
	for _, a := range arms {
		for _, e := range a.Effects {
			all = append(all, armEffect{arm: a, e: e})
		}
	}
	return all
}

// effectColumns are what machines get of every metric of every arm at every rate.
func effectColumns(base string) []table.Col[armEffect] {
	judged := func(l armEffect) bool { return l.e.Finding != compare.CannotTell }
	columns := []table.Col[armEffect]{
		table.Text("knob", "knob", "the setting that was changed, alone", func(l armEffect) string { return l.arm.Knob }),
		table.Show("value", func(l armEffect) string {
			if l.unchanged != nil {
				return "unchanged (" + base + ")"
			}
			return l.arm.Value
		}, table.Value("value", "", "to this", func(l armEffect) any { return l.arm.Value })).Left(),
		column.Offered(func(l armEffect) float64 { return l.arm.OfferedRPS }),
		table.Value("metric", "", "key of the metric", func(l armEffect) any { return l.e.Key }),
	}
	columns = append(columns, column.Span("unchanged", "", "the metric of the unchanged rung, in the unit of its key", "seeds", true, func(l armEffect) analysis.Range { return l.e.Base })...)
	columns = append(columns, column.Span("changed", "", "the metric with the change", "seeds", true, func(l armEffect) analysis.Range { return l.e.Arm })...)
	return append(columns,
		table.Value("relative", "", "whether difference and floor are natural logarithms of a ratio; else they are in the unit of the metric's key", func(l armEffect) any { return l.e.Relative }),
		table.Value("difference", "", "changed against unchanged, by tape, mean over seeds; null when nobody can tell", func(l armEffect) any { return l.e.Difference }).Where(judged),
		table.Value("difference_is_lower_bound", "", "whether the true difference is above the one given", func(l armEffect) any { return l.e.AtLeast }),
		table.Value("floor", "", "the noise that it must exceed", func(l armEffect) any { return l.e.Floor }).Where(judged),
		table.Show("verdict", func(l armEffect) string {
			if l.unchanged != nil {
				return ""
			}
			return verdictOf(l.arm)
		}, table.Value("verdict", "", "better, worse, within the noise or cannot tell", func(l armEffect) any {
			if l.e.Finding == compare.NoDifference {
				return withinNoise
			}
			return string(l.e.Finding)
		})).Left(),
		table.Value("reason", "", "why nobody can tell", func(l armEffect) any { return l.e.Reason }))
}
