// Package verdict renders what the gate found as text, Markdown, JSON and JUnit XML: the
// verdict on a change, why a figure changed, and the proof that the gate finds mistakes.
package verdict

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Gate is what `cadence-bench gate` says. It holds no time and no folder, so that two runs
// of the same source say the same to the byte.
type Gate struct {
	Baseline gate.Baseline
	Now      gate.Measured
	Result   gate.Result
	// All shows every figure, not only each metric's worst and those that failed.
	All bool
	// Why says what was decided otherwise where a figure failed.
	Why Why
}

// Formats are the formats that Format knows.
func Formats() []string { return []string{"text", "markdown", "json", "junit"} }

// Format renders the gate.
func (g *Gate) Format(name string) ([]byte, error) {
	switch name {
	case "text":
		return g.text()
	case "markdown":
		return g.markdown(), nil
	case "json":
		return g.json()
	case "junit":
		return g.junit()
	}
	return nil, fmt.Errorf("unknown format %q", name)
}

// Summary says in one sentence, without its full stop, how the gate ended.
func (g *Gate) Summary() string {
	r := &g.Result
	if len(r.Rows) == 0 {
		return strings.Join(r.Obstacles, "; ")
	}
	words := []string{fmt.Sprintf("%d of %d figures are worse than budgeted", r.Count(gate.Regression), len(r.Rows))}
	if n := r.Count(gate.NotMeasurable); n > 0 {
		words = append(words, fmt.Sprintf("%d cannot be compared", n))
	}
	return strings.Join(append(words, r.Obstacles...), "; ")
}

// Err is nil where the gate passes.
func (g *Gate) Err() error {
	switch g.Result.Verdict {
	case gate.Pass:
		return nil
	case gate.Regression:
		return fault.Regression.Errorf("regression: %s", g.Summary())
	}
	return fault.Unmeasurable.Errorf("not measurable: %s", g.Summary())
}

// what says what was run.
func (g *Gate) what() string {
	p := &g.Now.Provenance
	return fmt.Sprintf("ladder %s on the twin: %s, %s, %s, %g s of arrivals each, SLO %g s",
		p.Ladder, format.Plural(len(p.Rungs), "rung"), format.Plural(len(p.Load.Rates), "rate"), format.Plural(len(p.Load.Seeds), "seed"), p.Load.DurationS, p.Load.SLOS)
}

// against says what it was compared with.
func (g *Gate) against() string {
	n := len(g.Baseline.History)
	if n == 0 {
		return "the baseline has no history"
	}
	last := g.Baseline.History[n-1]
	engine := "the engine's source is the same"
	if g.Baseline.Provenance.EngineSource != g.Now.Provenance.EngineSource {
		engine = "the engine's source has changed"
	}
	return fmt.Sprintf("baseline of %s (%s); %s", last.Date, last.Reason, engine)
}

// tables are those to show: the worst of each metric, or all, and what failed.
func (g *Gate) tables() []table.Table {
	if len(g.Result.Rows) == 0 {
		return nil
	}
	if g.All {
		return []table.Table{gateTable("Every figure", g.Result.Rows)}
	}
	tables := []table.Table{gateTable("Each metric where it is worst", g.Result.Worst())}
	if failed := g.Result.Failed(); len(failed) > 0 {
		tables = append(tables, gateTable("What did not pass", failed))
	}
	return tables
}

func (g *Gate) text() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "gate: %s\n%s\n", g.what(), g.against())
	for _, t := range g.tables() {
		b.WriteByte('\n')
		if err := t.Text(&b); err != nil {
			return nil, err
		}
	}
	b.WriteByte('\n')
	if why := g.Why.text(); why != "" {
		b.WriteString(why + "\n")
	}
	if said := g.decisions(); said != "" {
		fmt.Fprintf(&b, "decisions: %s\n", said)
	}
	for _, o := range g.Result.Obstacles {
		fmt.Fprintf(&b, "not comparable: %s\n", o)
	}
	fmt.Fprintf(&b, "%s: %s\n", strings.ToUpper(string(g.Result.Verdict)), g.Summary())
	return b.Bytes(), nil
}

func (g *Gate) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### Gate: %s\n\n%s.\n\n%s; %s.\n", g.Result.Verdict, format.Capital(g.Summary()), format.Capital(g.what()), g.against())
	for _, o := range g.Result.Obstacles {
		fmt.Fprintf(&b, "\n- %s\n", table.Escape(o))
	}
	for _, t := range g.tables() {
		b.WriteByte('\n')
		b.WriteString(t.Markdown())
	}
	if why := g.Why.Markdown(); why != "" {
		b.WriteString("\n" + why)
	}
	if said := g.decisions(); said != "" {
		fmt.Fprintf(&b, "\nDecisions: %s.\n", said)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// decisions says how many cells decide as the baseline's do; "" where that is not known.
func (g *Gate) decisions() string {
	if len(g.Result.Rows) == 0 {
		return ""
	}
	of, differ := gate.Partings(g.Baseline, g.Now)
	if of == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s decide as in the baseline", of-len(differ), format.Plural(of, "cell"))
}

func gateTable(title string, rows []gate.Row) table.Table {
	t := table.New(title, "", rows,
		table.Show("metric", func(r gate.Row) string { return gateLabel(r.Budget) }).Left(),
		table.Show("rung", func(r gate.Row) string { return r.Rung }).Left(),
		table.Show("rate (rps)", func(r gate.Row) string {
			if r.RateRPS == 0 {
				return table.Null
			}
			return format.Short(r.RateRPS)
		}),
		table.Show("baseline", func(r gate.Row) string { return gateValue(r.Budget, r.Baseline) }),
		table.Show("now", func(r gate.Row) string { return gateValue(r.Budget, r.Now) }),
		table.Show("change", func(r gate.Row) string { return gateChange(&r) }),
		table.Show("budget", func(r gate.Row) string { return gateBudget(r.Budget) }),
		table.Show("verdict", func(r gate.Row) string {
			if r.Why != "" {
				return string(r.Verdict) + ": " + r.Why
			}
			return string(r.Verdict)
		}).Left())
	t.Name = "gate"
	return t
}

func gateLabel(b gate.Budget) string {
	switch b.Unit {
	case "s":
		return b.Label + " (s)"
	case "1/s":
		return b.Label + " (rps)"
	}
	return b.Label
}

func gateValue(b gate.Budget, f *gate.Figure) string {
	if f == nil {
		return table.Null
	}
	s := format.Scale{Factor: 1}
	switch b.Unit {
	case "share":
		s = format.Scale{Factor: 100, Suffix: "%"}
	case "":
		s = format.Scale{Factor: 1, Whole: true}
	}
	return s.Bounded(f.Value, f.Bound)
}

// gateChange is the change with its sign.
func gateChange(r *gate.Row) string {
	sign := "+"
	if r.Change < 0 {
		sign = "−"
	}
	change := math.Abs(r.Change)
	switch {
	case math.IsNaN(change):
		return table.Null
	case change == 0:
		return "0"
	case r.Budget.Kind == gate.Relative:
		return fmt.Sprintf("%s%.1f%%", sign, change*100)
	case r.Budget.Kind == gate.Points:
		return fmt.Sprintf("%s%.1f points", sign, change*100)
	}
	return fmt.Sprintf("%s%g", sign, change)
}

func gateBudget(b gate.Budget) string {
	sign := "+"
	if b.Higher {
		sign = "−"
	}
	limit := strconv.FormatFloat(b.Limit, 'g', -1, 64)
	switch b.Kind {
	case gate.Relative:
		return sign + format.Short(b.Limit*100) + "%"
	case gate.Points:
		return sign + format.Short(b.Limit*100) + " points"
	case "":
		return table.Null
	}
	return sign + limit
}
