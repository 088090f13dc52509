package report

import (
	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
)

const throughputNote = "Completed: arrivals of the steady window that were answered, whenever that was, and the tokens of their answers. Ready in the window: every output token that was ready during it, whoever's, which is what the engine did in that time. " +
	"Mean answer: scripted output tokens of the arrivals, and of those that completed; the same unless length decided who completed."

// Throughput sets token throughput beside request throughput, and what was offered
// beside what survived.
func Throughput(s *analysis.Sweep, f Facts) Table {
	points := pointsOf(s)
	notes := &footnotes{}
	columns := pointColumns(points, f)
	for _, m := range []analysis.Metric{analysis.Achieved, analysis.Throughput, analysis.CompletedTokens, analysis.Tokens} {
		columns = append(columns, metric(points, renamed(m), false))
	}
	columns = append(columns, table.Right("mean answer, completed / offered (tok)", each(points, func(p *analysis.Point) string {
		v, ok := p.Survivors()
		if !ok {
			return table.Null
		}
		if v.Completed == 0 {
			return table.Null + " / " + sig3(v.MeanOffered)
		}
		text := sig3(v.MeanCompleted) + " / " + sig3(v.MeanOffered)
		if v.Biased() {
			text += notes.mark("The completed answers are shorter than the offered ones by more than 5%, and a random choice of as many requests is so with less than 1% chance: requests per second counts the short ones. Tokens per second does not.")
		}
		return text
	})))
	for _, m := range []analysis.Metric{analysis.Shed, analysis.Timeouts, analysis.Failures} {
		if occurs(points, m) {
			columns = append(columns, total(points, m))
		}
	}
	if occurs(points, analysis.HitRate) {
		columns = append(columns, metric(points, analysis.HitRate, false))
	}
	columns = append(columns, metric(points, analysis.ITLP50, false), metric(points, analysis.LagP99, false))
	t := table.Of(f.title("What was offered and what was done"), f.Caption(), columns)
	t.Fields = throughputFields(points)
	t.Notes = append([]string{throughputNote}, notes.all()...)
	return t
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

func throughputFields(points []*analysis.Point) []Field {
	survivors := func(of func(analysis.Survivors) any) func(*analysis.Point) any {
		return func(p *analysis.Point) any {
			v, ok := p.Survivors()
			if !ok {
				return nil
			}
			return of(v)
		}
	}
	fields := pointFields(points)
	for _, m := range []analysis.Metric{analysis.Completed, analysis.Shed, analysis.Timeouts, analysis.Failures} {
		fields = append(fields, totalField(points, m))
	}
	fields = append(fields, rangesOf(points, analysis.Achieved, analysis.Throughput, analysis.CompletedTokens, analysis.Tokens, analysis.HitRate, analysis.ITLP50, analysis.LagP99)...)
	return append(fields,
		table.NewField("offered_mean_tokens", "tokens", "mean scripted length of the arrivals; null where none is scripted", points, survivors(func(v analysis.Survivors) any { return table.NumberIf(v.MeanOffered, true) })),
		table.NewField("completed_mean_tokens", "tokens", "that of the arrivals that completed", points, survivors(func(v analysis.Survivors) any { return table.NumberIf(v.MeanCompleted, v.Completed > 0) })),
		table.NewField("survivorship_p", "", "chance that a random choice of as many arrivals is as short on average", points, survivors(func(v analysis.Survivors) any { return table.NumberIf(v.P, true) })),
		table.NewField("survivorship", "", "whether completed answers are shorter, beyond chance and by more than 5%", points, survivors(func(v analysis.Survivors) any { return v.Biased() })))
}
