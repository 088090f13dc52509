package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Worse is what became worse from each rung to the next, at the rate where it is worst.
func Worse(s *analysis.Sweep, f Facts) Table {
	all := s.Worse()
	text := func(of func(analysis.Worsening) string) []string { return textsOf(all, of) }
	t := table.Of(f.title("What became worse"), f.Caption(), []table.Col{
		table.Left("step", text(func(w analysis.Worsening) string { return w.Below + " → " + w.Rung })),
		table.Left("metric", text(func(w analysis.Worsening) string { return w.Label })),
		table.Right("worst at (rps)", text(func(w analysis.Worsening) string { return short(w.OfferedRPS) })),
		table.Right("before", text(func(w analysis.Worsening) string { return worseFigure(w, w.Before) })),
		table.Right("after", text(func(w analysis.Worsening) string { return worseFigure(w, w.After) })),
		table.Right("change", text(worseChange)),
		table.Right("floor there", text(func(w analysis.Worsening) string { return short(100*w.Floor) + "%" })),
		table.Right("rates", text(func(w analysis.Worsening) string { return fmt.Sprintf("%d of %d", w.Rates, w.Of) })),
		table.Right("seeds", text(func(w analysis.Worsening) string { return strconv.Itoa(w.Seeds) })),
	})
	if len(all) == 0 {
		t.Columns = t.Columns[:1]
	}
	t.Fields = worseFields(all)
	t.Notes = []string{"Generated, not chosen: every metric of " + metricNames(analysis.WorseMetrics()) + " that is worse at some rate by more than the floor there, and in every seed, as both rungs replay each seed's requests. Rates: at how many of those compared; a latency that is only a lower bound before is not."}
	if n := s.Repeats(); n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Floor: the largest relative difference between measurements of one cell (replicates and anchors, %d pairs) at that rate, or where there were none the median of the rates that have some; at least 5%%.", n))
	} else {
		t.Notes = append(t.Notes, "Floor: 5%, as this run measured no cell twice. What the machine itself changes in between is not in it: see the probes.")
	}
	if nothing := untouched(s, all); nothing != "" {
		t.Notes = append(t.Notes, nothing)
	}
	if slices.ContainsFunc(all, func(w analysis.Worsening) bool { return w.Before.Thin || w.After.Thin }) {
		t.Notes = append(t.Notes, thinNote())
	}
	if f.Seeds < analysis.MinSeeds {
		t.Notes = append(t.Notes, "1 seed: what the machine did to a whole cell cannot be told from what the rung did.")
	}
	return t
}

// untouched names the steps at which nothing became worse.
func untouched(s *analysis.Sweep, all []analysis.Worsening) string {
	worse := map[analysis.Step]bool{}
	for _, w := range all {
		worse[w.Step] = true
	}
	var steps []string
	for _, step := range s.Steps() {
		if !worse[step] {
			steps = append(steps, step.Below+" → "+step.Rung)
		}
	}
	if steps == nil {
		return ""
	}
	return "Nothing became worse by more than the floor from " + strings.Join(steps, ", ") + "."
}

func metricNames(ms []analysis.Metric) string {
	return strings.Join(textsOf(ms, func(m analysis.Metric) string { return m.Label }), ", ")
}

// worseFigure is a number with its unit, as the column's rows have different ones.
func worseFigure(w analysis.Worsening, r analysis.Range) string {
	sc := scaleOf(w.Unit, max(w.Before.Max, w.After.Max))
	text := sc.mean(r)
	if sc.unit != "" {
		text += " " + sc.unit
	}
	if r.Thin {
		text += thin
	}
	return text
}

// worseChange is after over before, as a share or, from three times on, as a factor.
func worseChange(w analysis.Worsening) string {
	more := ""
	if w.After.Bounds > 0 {
		more = ">"
	}
	if w.Change >= 2 {
		return more + "× " + sig3(1+w.Change)
	}
	return more + growthText(w.Change)
}

func worseFields(all []analysis.Worsening) []Field {
	unitOf := func(w analysis.Worsening) any {
		return table.TextIf(map[analysis.Unit]string{analysis.PerSecond: "1/s", analysis.TokensPerS: "tokens/s", analysis.Seconds: "s"}[w.Unit])
	}
	return []Field{
		table.NewField("below", "", "the rung below", all, func(w analysis.Worsening) any { return w.Below }),
		table.NewField("rung", "", "the rung", all, func(w analysis.Worsening) any { return w.Rung }),
		table.NewField("metric", "", "key of summary.json", all, func(w analysis.Worsening) any { return w.Key }),
		table.NewField("offered_rps", "1/s", "rate at which it became worst", all, func(w analysis.Worsening) any { return w.OfferedRPS }),
		table.NewField("before", "", "the metric of the rung below there, in figure_unit, mean over seeds", all, func(w analysis.Worsening) any { return table.NumberIf(w.Before.Mean, true) }),
		table.NewField("after", "", "that of the rung", all, func(w analysis.Worsening) any { return table.NumberIf(w.After.Mean, true) }),
		table.NewField("after_is_lower_bound", "", "whether the true one is above it", all, func(w analysis.Worsening) any { return w.After.Bounds > 0 }),
		table.NewField("figure_unit", "", "null for a share", all, unitOf),
		table.NewField("change", "", "after over before, less one", all, func(w analysis.Worsening) any { return table.NumberIf(w.Change, true) }),
		table.NewField("floor", "", "the change that would have been none", all, func(w analysis.Worsening) any { return w.Floor }),
		table.NewField("rates_worse", "", "rates at which it became worse", all, func(w analysis.Worsening) any { return w.Rates }),
		table.NewField("rates_compared", "", "rates at which it was compared", all, func(w analysis.Worsening) any { return w.Of }),
		table.NewField("seeds", "", "seeds there, in all of which it became worse", all, func(w analysis.Worsening) any { return w.Seeds }),
	}
}
