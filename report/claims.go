package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Claims is what is said of such ladders, and what this run says to it.
func Claims(s *analysis.Sweep, f Facts) Table {
	claims := s.Claims()
	t := table.Of(f.title("The claims, on this machine"), f.Caption(), []table.Col{
		table.Left("", textsOf(claims, func(c analysis.Claim) string { return c.Key })),
		table.Left("claim", textsOf(claims, func(c analysis.Claim) string { return c.Text })),
		table.Left("figures", textsOf(claims, figureTexts)),
		table.Left("verdict", textsOf(claims, func(c analysis.Claim) string { return "**" + string(c.Verdict) + "**" })),
	})
	t.Fields = claimFields(claims)
	t.Notes = []string{"Claims a to e are those of the predecessor's report, f and g are of admission control. [lo, hi]: 95%. “>”: a lower bound. A verdict follows from the figures by the rule below, and from nothing else."}
	var told []string
	for _, c := range claims {
		if !slices.Contains(told, c.Key) {
			told = append(told, c.Key)
			t.Notes = append(t.Notes, fmt.Sprintf("%s. Figures: %s. %s", c.Key, c.What, c.Rule))
		}
	}
	if len(claims) > 0 && claims[0].Reason != "" {
		t.Notes = append(t.Notes, claims[0].Reason+", so there is no verdict.")
	}
	return t
}

func figureTexts(c analysis.Claim) string {
	return strings.Join(textsOf(c.Evidence, func(e analysis.Evidence) string { return evidenceText(c, e) }), "; ")
}

func evidenceText(c analysis.Claim, e analysis.Evidence) string {
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
			return sig3(v)
		}
		return scaleOf(c.Unit, 0).format(v)
	}
	text := show(e.Value)
	if c.Ratio {
		text = "× " + text
	}
	if e.Interval {
		text += fmt.Sprintf(" [%s, %s]", show(e.Lo), show(e.Hi))
	}
	if c.Unit == analysis.Count && !c.Ratio {
		return text + " " + e.Where
	}
	return where + text
}

func claimFields(claims []analysis.Claim) []Field {
	type line struct {
		claim    analysis.Claim
		evidence analysis.Evidence
	}
	var lines []line
	for _, c := range claims {
		for _, e := range c.Evidence {
			lines = append(lines, line{c, e})
		}
	}
	known := func(of func(analysis.Evidence) float64, ok func(analysis.Evidence) bool) func(line) any {
		return func(l line) any { return table.NumberIf(of(l.evidence), !l.evidence.Missing && ok(l.evidence)) }
	}
	always := func(analysis.Evidence) bool { return true }
	interval := func(e analysis.Evidence) bool { return e.Interval }
	return []Field{
		table.NewField("claim", "", "its letter", lines, func(l line) any { return l.claim.Key }),
		table.NewField("text", "", "what is claimed", lines, func(l line) any { return l.claim.Text }),
		table.NewField("verdict", "", "holds, does not hold or cannot tell", lines, func(l line) any { return string(l.claim.Verdict) }),
		table.NewField("figure_of", "", "what the figures are", lines, func(l line) any { return l.claim.What }),
		table.NewField("evidence_where", "", "what is compared, or at which rate", lines, func(l line) any { return table.TextIf(l.evidence.Where) }),
		table.NewField("figure", "", "a ratio, a share, a count or requests per second, as figure_of says", lines, known(func(e analysis.Evidence) float64 { return e.Value }, always)),
		table.NewField("figure_ci95_lo", "", "its 95% interval", lines, known(func(e analysis.Evidence) float64 { return e.Lo }, interval)),
		table.NewField("figure_ci95_hi", "", "its upper end", lines, known(func(e analysis.Evidence) float64 { return e.Hi }, interval)),
		table.NewField("evidence_verdict", "", "the verdict by this figure alone", lines, func(l line) any { return string(l.evidence.Verdict) }),
		table.NewField("rule", "", "by which the verdict is given", lines, func(l line) any { return l.claim.Rule }),
	}
}
