package sweep

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/claims"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/report/caption"
	"github.com/cadence-bench/cadence-bench/report/column"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
	"github.com/cadence-bench/cadence-bench/results"
)

// claimed is what is said of such ladders, and what this run says to it.
func claimed(s *analysis.Sweep, f caption.Facts) table.Table {
	all := claims.Of(s)
	type line struct {
		claims.Claim
		claims.Evidence
	}
	var lines []line
	rows := make([][]line, len(all))
	for i, c := range all {
		rows[i] = []line{{Claim: c}} // for a claim without evidence
		for j, e := range c.Evidence {
			lines = append(lines, line{c, e})
			rows[i] = append(rows[i][:j], line{c, e})
		}
	}
	figure := func(of func(claims.Evidence) float64, ok func(claims.Evidence) bool) func(line) any {
		return func(l line) any { return results.Opt[float64]{V: of(l.Evidence), OK: !l.Missing && ok(l.Evidence)} }
	}
	interval := func(e claims.Evidence) bool { return e.Interval }
	t := table.Grouped(f.Title("The claims, on this machine"), f.Caption(), lines, rows,
		table.Text("", "claim", "its letter", func(l line) string { return l.Key }),
		table.Text("claim", "text", "what is claimed", func(l line) string { return l.Text }),
		table.Show("figures", func(l line) string { return figureTexts(l.Claim) }).Left(),
		table.Show("verdict", func(l line) string { return "**" + string(l.Claim.Verdict) + "**" },
			table.Value("verdict", "", "holds, does not hold, cannot tell or not asked", func(l line) any { return string(l.Claim.Verdict) })).Left(),
		table.Value("figure_of", "", "what the figures are", func(l line) any { return l.What }),
		table.Value("evidence_where", "", "what is compared, or at which rate", func(l line) any { return l.Where }),
		table.Value("figure", "", "a ratio, a share, a count or requests per second, as figure_of says",
			figure(func(e claims.Evidence) float64 { return e.Value }, func(claims.Evidence) bool { return true })),
		table.Value("figure_ci95_lo", "", "its 95% interval", figure(func(e claims.Evidence) float64 { return e.Lo }, interval)),
		table.Value("figure_ci95_hi", "", "its upper end", figure(func(e claims.Evidence) float64 { return e.Hi }, interval)),
		table.Value("evidence_verdict", "", "the verdict by this figure alone", func(l line) any { return string(l.Evidence.Verdict) }),
		table.Value("rule", "", "by which the verdict is given", func(l line) any { return l.Rule }),
	)
	t.Notes = []string{"Claims a to e and i are those of the predecessor's report, f to h are of admission control. [lo, hi]: 95%. “>”: a lower bound. A verdict follows from the figures by the rule below, and from nothing else."}
	var told []string
	for _, c := range all {
		if !slices.Contains(told, c.Key) {
			told = append(told, c.Key)
			t.Notes = append(t.Notes, fmt.Sprintf("%s. Figures: %s. %s", c.Key, c.What, c.Rule))
		}
	}
	told = nil
	for _, c := range all {
		switch {
		case c.Reason == "":
		case c.Verdict == claims.Withdrawn:
			t.Notes = append(t.Notes, fmt.Sprintf("%s is not asked of this run: %s.", c.Key, c.Reason))
		case !slices.Contains(told, c.Reason):
			told = append(told, c.Reason)
			t.Notes = append(t.Notes, c.Reason+", so there is no verdict.")
		}
	}
	return t
}

func figureTexts(c claims.Claim) string {
	return strings.Join(column.Each(c.Evidence, func(e claims.Evidence) string { return evidenceText(c, e) }), "; ")
}

func evidenceText(c claims.Claim, e claims.Evidence) string {
	where := e.Where
	if where != "" {
		where += " "
	}
	if e.Missing {
		return where + table.Null
	}
	show := func(v float64) string {
		switch {
		case math.IsInf(v, 1):
			return "∞"
		case math.IsInf(v, -1):
			return "−∞"
		case c.Ratio:
			return format.Sig3(v)
		}
		return format.ScaleOf(c.Unit, 0).Format(v)
	}
	text := show(e.Value)
	if c.Ratio {
		text = "× " + text
	}
	if e.Interval {
		text += fmt.Sprintf(" [%s, %s]", show(e.Lo), show(e.Hi))
	}
	if c.Unit == unit.Count && !c.Ratio {
		return text + " " + e.Where
	}
	return where + text
}
