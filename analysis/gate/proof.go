package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Trial is a run of the gate on a ladder with a mistake in it, or on the ladder as it is.
type Trial struct {
	Name    string
	Mistake string // what is wrong; "" is nothing
	Rung    string // that has the mistake, and alone was run; "": all were, as they are
	// Want is the exit code that there should be, Exit the one that there was.
	Want, Exit int
	// Catch are the metrics that should each be beyond their budget.
	Catch []string
	// Failure is why there is no Result; "" when there is one.
	Failure string
	Result  Result
}

// Caught returns of each metric that is beyond its budget the row that is furthest, and
// of these the furthest first.
func (t *Trial) Caught() []Row {
	rows := slices.DeleteFunc(t.Result.Worst(), func(r Row) bool { return r.Verdict != Regression })
	slices.SortStableFunc(rows, func(a, b Row) int { return -cmp.Compare(a.Used(), b.Used()) })
	return rows
}

func (t *Trial) catches(metric string) bool {
	return slices.ContainsFunc(t.Caught(), func(r Row) bool { return r.Budget.Metric == metric })
}

// Problem says what is not as it should be; "" when all is.
func (t *Trial) Problem(budgets []Budget) string {
	var missed []string
	for _, metric := range t.Catch {
		if !t.catches(metric) {
			missed = append(missed, label(budgets, metric))
		}
	}
	switch {
	case t.Failure != "":
		return t.Failure
	case t.Exit != t.Want:
		return fmt.Sprintf("the gate exits with %d, not %d", t.Exit, t.Want)
	case len(missed) > 0:
		return strings.Join(missed, " and ") + " did not catch it"
	}
	return ""
}

// Catcher is a metric, with the names of the trials that it caught.
type Catcher struct {
	Budget Budget
	Caught []string
	Named  []string // those of Caught whose Catch has it
}

// Proof shows that the gate catches mistakes, and passes without any.
type Proof struct{ Trials []Trial }

// Catchers are the budgeted metrics, in the budgets' order.
func (p *Proof) Catchers(budgets []Budget) []Catcher {
	var all []Catcher
	for _, b := range budgets {
		c := Catcher{Budget: b}
		for i := range p.Trials {
			t := &p.Trials[i]
			if !t.catches(b.Metric) {
				continue
			}
			c.Caught = append(c.Caught, t.Name)
			if slices.Contains(t.Catch, b.Metric) {
				c.Named = append(c.Named, t.Name)
			}
		}
		all = append(all, c)
	}
	return all
}

// Problems says in sentences, without their full stop, what is not as it should be: a
// trial, or a metric with a budget that catches no mistake which is there for it. There
// are none when the gate is proved.
func (p *Proof) Problems(budgets []Budget) []string {
	var all []string
	for i := range p.Trials {
		if why := p.Trials[i].Problem(budgets); why != "" {
			all = append(all, fmt.Sprintf("%s: %s", p.Trials[i].Name, why))
		}
	}
	for _, c := range p.Catchers(budgets) {
		if len(c.Named) == 0 {
			all = append(all, c.Budget.Label+" catches no mistake that is there for it")
		}
	}
	return all
}

func label(budgets []Budget, metric string) string {
	if i := index(budgets, metric); i < len(budgets) {
		return budgets[i].Label
	}
	return metric
}
