package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// withinNoise is the verdict of a change that the noise could have made.
const withinNoise = "within the noise"

// Study is the tables of a study of knobs: "knobs" with a verdict for each change, and
// "knob-NAME" with the figures of each knob.
func Study(s *analysis.Sweep, study *results.Study, f Facts) []Table {
	r := s.StudyOf(study)
	tables := []Table{verdicts(s, r, f)}
	var knobs []string
	for _, a := range study.Arms {
		if !slices.Contains(knobs, a.Knob) {
			knobs = append(knobs, a.Knob)
		}
	}
	for _, knob := range knobs {
		arms := slices.DeleteFunc(slices.Clone(r.Arms), func(a analysis.ArmResult) bool { return a.Knob != knob })
		if len(arms) > 0 {
			tables = append(tables, knobTable(s, r.Base, knob, arms, f))
		}
	}
	return tables
}

// verdicts is one row per arm, with what became of it at each rate.
func verdicts(s *analysis.Sweep, r analysis.StudyResult, f Facts) Table {
	t := Table{Name: "knobs", Title: f.title("What each knob changes of " + r.Base), Caption: f.Caption(), Columns: []Column{{Name: "knob", Left: true}, {Name: "value", Left: true}}}
	for _, rate := range s.Rates {
		t.Columns = append(t.Columns, Column{Name: "at " + short(rate) + " rps", Left: true})
	}
	var rows [][]string
	for _, a := range r.Arms {
		if last := len(rows) - 1; last < 0 || rows[last][0] != a.Knob || rows[last][1] != a.Value {
			rows = append(rows, append([]string{a.Knob, a.Value}, slices.Repeat([]string{table.Null}, len(s.Rates))...))
		}
		rows[len(rows)-1][2+slices.Index(s.Rates, a.OfferedRPS)] = verdictOf(a)
	}
	t.Rows, t.Fields = rows, effectFields(r.Arms)
	t.Notes = []string{noiseNote(r), chanceNote(r)}
	if strings.Contains(f.Backend, backend("twin")) {
		t.Notes = append(t.Notes, "The twin's replicates differ by the noise that it is given. Without --twin-noise they are the same, so that any difference, however small, is the knob's.")
	}
	return t
}

func noiseNote(r analysis.StudyResult) string {
	n := fmt.Sprint(r.Replicates[0])
	if r.Replicates[0] != r.Replicates[1] {
		n = fmt.Sprintf("%d to %d", r.Replicates[0], r.Replicates[1])
	}
	return fmt.Sprintf("Against the mean of %s measurement(s) of the unchanged %s on the same tape, averaged over seeds. A difference counts when it exceeds the noise floor: "+
		"the largest of the half-width of its 95%% t interval, with the spread of the unchanged measurements within a tape (pooled over tapes) as that of a single one; "+
		"the largest difference between two of them on one tape; and, for goodput, one request. Latencies are compared as ratios. It is the noise of measuring, so a verdict is of these tapes; where they disagree on its sign, there is none.", n, r.Base)
}

func chanceNote(r analysis.StudyResult) string {
	return fmt.Sprintf("%d of %d differences are beyond the noise. Were no knob to matter, up to 5%% of them (%s) might be by chance: one that stands alone wants another run.",
		r.Beyond, r.Judged, short(math.Round(0.05*float64(r.Judged))))
}

// verdictOf sums up an arm at one rate: the metrics that became better and worse.
func verdictOf(a analysis.ArmResult) string {
	named := map[analysis.Finding][]string{}
	for _, e := range a.Effects {
		named[e.Finding] = append(named[e.Finding], e.Label)
	}
	var parts []string
	for _, f := range []analysis.Finding{analysis.BetterThan, analysis.WorseThan} {
		if len(named[f]) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", f, strings.Join(named[f], ", ")))
		}
	}
	switch {
	case parts != nil:
		return strings.Join(parts, "; ")
	case len(named[analysis.NoDifference]) > 0:
		return withinNoise
	}
	return string(analysis.CannotTell)
}

// knobTable is one row per value and rate of a knob, and one for the unchanged rung.
func knobTable(s *analysis.Sweep, base, knob string, arms []analysis.ArmResult, f Facts) Table {
	t := Table{Name: "knob-" + knob, Title: f.title("Knob " + knob), Caption: f.Caption(), Columns: []Column{{Name: "offered (rps)"}, {Name: "value", Left: true}}}
	scales := make([]scale, len(analysis.StudyMetrics()))
	for i, m := range analysis.StudyMetrics() {
		most := 0.0
		for _, a := range arms {
			most = max(most, a.Effects[i].Base.Max, a.Effects[i].Arm.Max)
		}
		scales[i] = scaleOf(m.Unit, most)
		t.Columns = append(t.Columns, Column{Name: scales[i].name(m.Label)}, Column{Name: "change"})
	}
	t.Columns = append(t.Columns, Column{Name: "verdict", Left: true})
	for _, rate := range s.Rates {
		there := slices.DeleteFunc(slices.Clone(arms), func(a analysis.ArmResult) bool { return a.OfferedRPS != rate })
		if len(there) > 0 {
			t.Rows = append(t.Rows, baseRow(base, there, scales))
		}
		for _, a := range there {
			row := []string{short(rate), a.Value}
			for i, e := range a.Effects {
				row = append(row, scales[i].spread(e.Arm), differenceText(e, scales[i]))
			}
			t.Rows = append(t.Rows, append(row, verdictOf(a)))
		}
	}
	t.Fields = effectFields(arms)
	t.Notes = []string{"In the unchanged row, ± is the noise floor of a change of that metric; how it is set, and how many verdicts may be by chance, is under the table of all knobs."}
	return t
}

// baseRow is the unchanged rung at the rate of arms, with the largest floors that they face.
func baseRow(base string, arms []analysis.ArmResult, scales []scale) []string {
	row := []string{short(arms[0].OfferedRPS), "unchanged (" + base + ")"}
	for i, sc := range scales {
		floor, most := table.Null, -1.0
		for _, a := range arms {
			if e := a.Effects[i]; e.Finding != analysis.CannotTell && e.Floor > most {
				floor, most = effectText(e, e.Floor, sc, "±%"), e.Floor
			}
		}
		row = append(row, sc.spread(arms[0].Effects[i].Base), floor)
	}
	return append(row, "")
}

func differenceText(e analysis.Effect, sc scale) string {
	text := effectText(e, e.Difference, sc, "%+")
	if e.AtLeast && text != table.Null {
		return ">" + text
	}
	return text
}

// effectText formats a difference in the scale of an effect: relative ones as per cent, the
// others in the column's unit. form begins a verb for a number.
func effectText(e analysis.Effect, d float64, sc scale, form string) string {
	switch {
	case e.Finding == analysis.CannotTell:
		return table.Null
	case e.Relative:
		return fmt.Sprintf(form+".1f%%", 100*math.Expm1(d))
	}
	return fmt.Sprintf(form+".3g", d*sc.factor) + sc.suffix
}

// effectFields have a row for every metric of every arm at every rate.
func effectFields(arms []analysis.ArmResult) []Field {
	type row struct {
		arm analysis.ArmResult
		e   analysis.Effect
	}
	var rows []row
	for _, a := range arms {
		for _, e := range a.Effects {
			rows = append(rows, row{a, e})
		}
	}
	judged := func(of func(row) float64) func(row) any {
		return func(r row) any { return table.NumberIf(of(r), r.e.Finding != analysis.CannotTell) }
	}
	fields := []Field{
		table.NewField("knob", "", "the setting that was changed, alone", rows, func(r row) any { return r.arm.Knob }),
		table.NewField("value", "", "to this", rows, func(r row) any { return r.arm.Value }),
		table.NewField("offered_rps", "1/s", "rate at which the tape offers requests", rows, func(r row) any { return r.arm.OfferedRPS }),
		table.NewField("metric", "", "key of the metric", rows, func(r row) any { return r.e.Key }),
	}
	fields = append(fields, spanFields("unchanged", "", "the metric of the unchanged rung, in the unit of its key", "seeds", true, rows, func(r row) analysis.Range { return r.e.Base })...)
	fields = append(fields, spanFields("changed", "", "the metric with the change", "seeds", true, rows, func(r row) analysis.Range { return r.e.Arm })...)
	return append(fields,
		table.NewField("relative", "", "whether difference and floor are natural logarithms of a ratio; else they are in the unit of the metric's key", rows, func(r row) any { return r.e.Relative }),
		table.NewField("difference", "", "changed against unchanged, by tape, mean over seeds; null when nobody can tell", rows, judged(func(r row) float64 { return r.e.Difference })),
		table.NewField("difference_is_lower_bound", "", "whether the true difference is above the one given", rows, func(r row) any { return r.e.AtLeast }),
		table.NewField("floor", "", "the noise that it must exceed", rows, judged(func(r row) float64 { return r.e.Floor })),
		table.NewField("verdict", "", "better, worse, within the noise or cannot tell", rows, func(r row) any {
			if r.e.Finding == analysis.NoDifference {
				return withinNoise
			}
			return string(r.e.Finding)
		}),
		table.NewField("reason", "", "why nobody can tell", rows, func(r row) any { return table.TextIf(r.e.Reason) }))
}
