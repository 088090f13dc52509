package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis/gate"
	"github.com/cadence-bench/cadence-bench/internal/fault"
	"github.com/cadence-bench/cadence-bench/report/format"
	"github.com/cadence-bench/cadence-bench/report/table"
)

// Proof is what `cadence-bench gate --prove` says. It holds no time and no folder.
type Proof struct {
	Baseline gate.Baseline
	gate.Proof
}

// Format renders the proof as "text", "markdown" or "json".
func (p *Proof) Format(name string) ([]byte, error) {
	switch name {
	case "text":
		return p.text()
	case "markdown":
		return p.markdown(), nil
	case "json":
		return p.json()
	}
	return nil, fmt.Errorf("unknown format %q", name)
}

// Summary says in one sentence, without its full stop, what came of it.
func (p *Proof) Summary() string {
	if problems := p.Problems(gate.Budgets()); len(problems) > 0 {
		return strings.Join(problems, "; ")
	}
	red := 0
	for i := range p.Trials {
		if p.Trials[i].Want != 0 {
			red++
		}
	}
	return fmt.Sprintf("the gate passes without a mistake and is red with each of %d, and every metric with a budget catches one", red)
}

// Err is nil where the gate is proved.
func (p *Proof) Err() error {
	if len(p.Problems(gate.Budgets())) == 0 {
		return nil
	}
	return fault.Regression.Errorf("the gate is not proved: %s", p.Summary())
}

func (p *Proof) verdict() string {
	if len(p.Problems(gate.Budgets())) > 0 {
		return "not proved"
	}
	return "proved"
}

func (p *Proof) tables() []table.Table {
	trials := table.New("The gate with a mistake in it, one at a time", "", p.Trials,
		table.Show("what", func(t gate.Trial) string { return t.Name }).Left(),
		table.Show("mistake", func(t gate.Trial) string { return table.OrNull(t.Mistake) }).Left(),
		table.Show("on rung", func(t gate.Trial) string { return table.OrNull(t.Rung) }).Left(),
		table.Show("exit", func(t gate.Trial) string { return fmt.Sprint(t.Exit) }),
		table.Show("caught by", func(t gate.Trial) string { return table.OrNull(strings.Join(caughtBy(&t), ", ")) }).Left(),
		table.Show("furthest beyond its budget", func(t gate.Trial) string { return furthest(&t) }).Left(),
		table.Show("as it should be", func(t gate.Trial) string {
			if problem := t.Problem(gate.Budgets()); problem != "" {
				return "no: " + problem
			}
			return "yes"
		}).Left())
	trials.Name = "gate-proof"
	catchers := table.New("What each metric catches", "", p.Catchers(gate.Budgets()),
		table.Show("metric", func(c gate.Catcher) string { return c.Budget.Label }).Left(),
		table.Show("budget", func(c gate.Catcher) string { return gateBudget(c.Budget) }),
		table.Show("is there for", func(c gate.Catcher) string { return table.OrNull(strings.Join(c.Named, ", ")) }).Left(),
		table.Show("catches besides", func(c gate.Catcher) string { return table.OrNull(strings.Join(without(c.Caught, c.Named), ", ")) }).Left())
	return []table.Table{trials, catchers}
}

// caughtBy are the labels of the metrics that caught a mistake, the furthest beyond its
// budget first.
func caughtBy(t *gate.Trial) []string {
	var labels []string
	for _, r := range t.Caught() {
		labels = append(labels, r.Budget.Label)
	}
	return labels
}

// furthest is the row that is furthest beyond its budget.
func furthest(t *gate.Trial) string {
	rows := t.Caught()
	if len(rows) == 0 {
		return table.Null
	}
	r := &rows[0]
	change := gateChange(r)
	if change == table.Null {
		change = fmt.Sprintf("from %s to %s", gateValue(r.Budget, r.Baseline), gateValue(r.Budget, r.Now))
	}
	at := ""
	if r.RateRPS != 0 {
		at = fmt.Sprintf(" at %s rps", format.Short(r.RateRPS))
	}
	return fmt.Sprintf("%s%s: %s (budget %s)", r.Budget.Label, at, change, gateBudget(r.Budget))
}

func without(all, some []string) []string {
	var rest []string
	for _, s := range all {
		if !slices.Contains(some, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

func (p *Proof) text() ([]byte, error) {
	var b bytes.Buffer
	for _, t := range p.tables() {
		if err := t.Text(&b); err != nil {
			return nil, err
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s: %s\n", strings.ToUpper(p.verdict()), p.Summary())
	return b.Bytes(), nil
}

func (p *Proof) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### Gate: %s\n\n%s.\n", p.verdict(), format.Capital(p.Summary()))
	for _, t := range p.tables() {
		b.WriteByte('\n')
		b.WriteString(t.Markdown())
	}
	return b.Bytes()
}

// gateProofRecord is the proof for machines.
type gateProofRecord struct {
	Schema   int               `json:"schema"`
	Proved   bool              `json:"proved"`
	Problems []string          `json:"problems"`
	Baseline gate.Provenance   `json:"baseline"`
	Trials   []gateTrial       `json:"trials"`
	Metrics  []gateCatchRecord `json:"metrics"`
}

type gateTrial struct {
	Name    string      `json:"name"`
	Mistake string      `json:"mistake"`
	Rung    string      `json:"rung"` // "": all
	Want    int         `json:"exit_wanted"`
	Exit    int         `json:"exit"`
	Named   []string    `json:"must_be_caught_by"`
	Caught  []gateCatch `json:"caught_by"`
	Problem string      `json:"problem,omitempty"`
}

type gateCatch struct {
	gateRow
	Used *float64 `json:"budget_used"` // above 1 is beyond it; null where the budget is 0
}

type gateCatchRecord struct {
	Metric string   `json:"metric"`
	Named  []string `json:"is_there_for"`
	Caught []string `json:"catches"`
}

func (p *Proof) json() ([]byte, error) {
	problems := p.Problems(gate.Budgets())
	rec := gateProofRecord{
		Schema: gate.Schema, Proved: len(problems) == 0, Problems: append([]string{}, problems...), Baseline: p.Baseline.Provenance,
	}
	for i := range p.Trials {
		t := &p.Trials[i]
		row := gateTrial{
			Name: t.Name, Mistake: t.Mistake, Rung: t.Rung, Want: t.Want, Exit: t.Exit,
			Named: append([]string{}, t.Catch...), Caught: []gateCatch{}, Problem: t.Problem(gate.Budgets()),
		}
		for _, r := range t.Caught() {
			c := gateCatch{gateRow: gateRowOf(&r)}
			if used := r.Used(); !math.IsInf(used, 0) {
				c.Used = &used
			}
			row.Caught = append(row.Caught, c)
		}
		rec.Trials = append(rec.Trials, row)
	}
	for _, c := range p.Catchers(gate.Budgets()) {
		rec.Metrics = append(rec.Metrics, gateCatchRecord{c.Budget.Metric, append([]string{}, c.Named...), append([]string{}, c.Caught...)})
	}
	data, err := json.MarshalIndent(rec, "", "  ")
	return append(data, '\n'), err
}
