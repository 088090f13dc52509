package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/claims"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// worse is what became worse from each rung to the next, at the rate where it is worst.
func worse(s *analysis.Sweep, f caption.Facts) table.Table {
	all := claims.Worse(s)
	type worsening = claims.Worsening
	t := table.New(f.Title("What became worse"), f.Caption(), all,
		table.Show("step", func(w worsening) string { return w.Below + " → " + w.Rung },
			table.Value("below", "", "the rung below", func(w worsening) any { return w.Below }),
			table.Value("rung", "", "the rung", func(w worsening) any { return w.Rung })).Left(),
		table.Show("metric", func(w worsening) string { return w.Label }, table.Value("metric", "", "key of summary.json", func(w worsening) any { return w.Key })).Left(),
		table.Number("worst at (rps)", "offered_rps", "1/s", "rate at which it became worst", func(w worsening) float64 { return w.OfferedRPS }, format.Short),
		table.Show("before", func(w worsening) string { return worseFigure(w, w.Before) },
			table.Value("before", "", "the metric of the rung below there, in figure_unit, mean over seeds", func(w worsening) any { return w.Before.Mean })),
		table.Show("after", func(w worsening) string { return worseFigure(w, w.After) },
			table.Value("after", "", "that of the rung", func(w worsening) any { return w.After.Mean }),
			table.Value("after_is_lower_bound", "", "whether the true one is above it", func(w worsening) any { return w.After.Bounds > 0 })),
		table.Value("figure_unit", "", "null for a share", func(w worsening) any { return unitNames[w.Unit] }),
		table.Show("change", worseChange, table.Value("change", "", "after over before, less one", func(w worsening) any { return w.Change })),
		table.Number("floor there", "floor", "", "the change that would have been none", func(w worsening) float64 { return w.Floor },
			func(floor float64) string { return format.Short(100*floor) + "%" }),
		table.Show("rates", func(w worsening) string { return fmt.Sprintf("%d of %d", w.Rates, w.Of) },
			table.Value("rates_worse", "", "rates at which it became worse", func(w worsening) any { return w.Rates }),
			table.Value("rates_compared", "", "rates at which it was compared", func(w worsening) any { return w.Of })),
		table.Count("seeds", "seeds", "seeds there, in all of which it became worse", func(w worsening) int { return w.Seeds }),
	)
	if len(all) == 0 {
		t = t.Shown("below")
	}
	t.Notes = []string{"Generated, not chosen: every metric of " + metricNames(claims.WorseMetrics()) + " that is worse at some rate by more than the floor there, and in every seed, as both rungs replay each seed's requests. Rates: at how many of those compared; a latency that is only a lower bound before is not."}
	if n := claims.Repeats(s); n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Floor: the largest relative difference between measurements of one cell (replicates and anchors, %d pairs) at that rate, or where there were none the median of the rates that have some; at least 5%%.", n))
	} else {
		t.Notes = append(t.Notes, "Floor: 5%, as this run measured no cell twice. What the machine itself changes in between is not in it: see the probes.")
	}
	if nothing := untouched(s, all); nothing != "" {
		t.Notes = append(t.Notes, nothing)
	}
	if slices.ContainsFunc(all, func(w claims.Worsening) bool { return w.Before.Thin || w.After.Thin }) {
		t.Notes = append(t.Notes, thinNote())
	}
	if f.Seeds < compare.MinSeeds {
		t.Notes = append(t.Notes, "1 seed: what the machine did to a whole cell cannot be told from what the rung did.")
	}
	return t
}

// untouched names the steps at which nothing became worse.
func untouched(s *analysis.Sweep, all []claims.Worsening) string {
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
	return strings.Join(column.Each(ms, func(m analysis.Metric) string { return m.Label }), ", ")
}

// worseFigure is a number with its unit, as the column's rows have different ones.
func worseFigure(w claims.Worsening, r analysis.Range) string {
	sc := format.ScaleOf(w.Unit, max(w.Before.Max, w.After.Max))
	text := sc.Mean(r)
	if sc.Unit != "" {
		text += " " + sc.Unit
	}
	if r.Thin {
		text += thin
	}
	return text
}

// worseChange is after over before, as a share or, from three times on, as a factor.
func worseChange(w claims.Worsening) string {
	more := ""
	if w.After.Bounds > 0 {
		more = ">"
	}
	if w.Change >= 2 {
		return more + "× " + format.Sig3(1+w.Change)
	}
	return more + format.Growth(w.Change)
}
