package sweep

import (
	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

const throughputNote = "Completed: arrivals of the steady window that were answered, whenever that was, and the tokens of their answers. Ready in the window: every output token that was ready during it, whoever's, which is what the engine did in that time. " +
	"Mean answer: scripted output tokens of the arrivals, and of those that completed; the same unless length decided who completed."

// throughput sets token throughput beside request throughput, and what was offered
// beside what survived.
func throughput(s *analysis.Sweep, f caption.Facts) table.Table {
	points := column.PointsOf(s)
	notes := &footnotes{}
	answers := map[*analysis.Point]string{}
	for _, p := range points {
		answers[p] = meanAnswer(p, notes)
	}
	survivors := func(of func(cautions.Survivors) any) func(*analysis.Point) any {
		return func(p *analysis.Point) any {
			if v, ok := cautions.SurvivorsOf(p); ok {
				return of(v)
			}
			return nil
		}
	}
	columns := append(column.Points(nil), column.Outcomes()...)
	for _, m := range []analysis.Metric{analysis.Achieved, analysis.Throughput, analysis.CompletedTokens, analysis.Tokens} {
		columns = append(columns, column.Metric(points, renamed(m), false))
	}
	columns = append(columns, column.Metrics(points, analysis.HitRate, analysis.ITLP50, analysis.LagP99)...)
	columns = append(columns, table.Show("mean answer, completed / offered (tok)", func(p *analysis.Point) string { return answers[p] },
		table.Value("offered_mean_tokens", "tokens", "mean scripted length of the arrivals; null where none is scripted", survivors(func(v cautions.Survivors) any { return v.MeanOffered })),
		table.Value("completed_mean_tokens", "tokens", "that of the arrivals that completed", survivors(func(v cautions.Survivors) any { return results.Opt[float64]{V: v.MeanCompleted, OK: v.Completed > 0} })),
		table.Value("survivorship_p", "", "chance that a random choice of as many arrivals is as short on average", survivors(func(v cautions.Survivors) any { return v.P })),
		table.Value("survivorship", "", "whether completed answers are shorter, beyond chance and by more than 5%", survivors(func(v cautions.Survivors) any { return v.Biased() }))))

	shown := append(column.PointKeys(f), "achieved_rps", "throughput_rps", "completed_tokens_per_s", "throughput_tokens_per_s", "offered_mean_tokens")
	shown = append(shown, column.Occurring(points, analysis.Shed, analysis.Timeouts, analysis.Failures, analysis.HitRate)...)
	t := table.New(f.Title("What was offered and what was done"), f.Caption(), points, columns...).Shown(append(shown, "itl_p50_s", "dispatch_lag_p99_s")...)
	t.Notes = append([]string{throughputNote}, notes.all()...)
	return t
}

// meanAnswer sets the mean answer of the arrivals that completed beside that of all.
func meanAnswer(p *analysis.Point, notes *footnotes) string {
	v, ok := cautions.SurvivorsOf(p)
	if !ok {
		return table.Null
	}
	if v.Completed == 0 {
		return table.Null + " / " + format.Sig3(v.MeanOffered)
	}
	text := format.Sig3(v.MeanCompleted) + " / " + format.Sig3(v.MeanOffered)
	if v.Biased() {
		text += notes.mark("The completed answers are shorter than the offered ones by more than 5%, and a random choice of as many requests is so with less than 1% chance: requests per second counts the short ones. Tokens per second does not.")
	}
	return text
}

// renamed heads a metric's column by what sets it apart from its neighbours here.
func renamed(m analysis.Metric) analysis.Metric {
	labels := map[string]string{
		analysis.Achieved.Key: "sent", analysis.Throughput.Key: "completed",
		analysis.CompletedTokens.Key: "completed", analysis.Tokens.Key: "ready in the window",
	}
	if label, ok := labels[m.Key]; ok {
		m.Label = label
	}
	return m
}
