package gate

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Verdict is what a comparison says.
type Verdict string

const (
	Pass          Verdict = "pass"
	Regression    Verdict = "regression"
	NotMeasurable Verdict = "not measurable"
)

// The exit codes of the command. What went wrong before there was anything to compare is
// ExitNotMeasurable too, so that 1 is nothing but a regression.
const (
	ExitPass          = 0
	ExitRegression    = 1
	ExitNotMeasurable = 2
)

// Exit is the exit code that a verdict ends with.
func (v Verdict) Exit() int {
	switch v {
	case Pass:
		return ExitPass
	case Regression:
		return ExitRegression
	}
	return ExitNotMeasurable
}

// Row is one metric of a rung at a rate, before and now.
type Row struct {
	Rung          string
	RateRPS       float64 // 0: of the rung, whatever the rate
	Budget        Budget
	Baseline, Now *Figure // nil where the side has none
	// Change is that of the value, positive when it grew: a share of the baseline's for a
	// relative budget, else a difference; NaN when there is none.
	Change  float64
	Verdict Verdict
	Why     string // "" for a pass
}

// Result is a comparison.
type Result struct {
	// Verdict is a regression when any row is, else not measurable when any row is or
	// there are Obstacles, else a pass.
	Verdict Verdict
	// Obstacles say why a run could not be compared, or not all of it, in sentences
	// without their full stop.
	Obstacles []string
	// Rows are in the order of the baseline's rungs, by rate, in the budgets' order. There
	// are none when the two sides are of different things, or one contradicts itself.
	Rows []Row
}

// Compare holds a run against a baseline.
func Compare(baseline Baseline, now Measured, budgets []Budget) Result {
	var r Result
	if baseline.Schema != Schema {
		r.Obstacles = append(r.Obstacles, fmt.Sprintf("the baseline is of schema %d, this version's is %d", baseline.Schema, Schema))
	}
	r.Obstacles = append(r.Obstacles, differences(baseline.Provenance, now.Provenance)...)
	before, twice := byPlace(baseline.Figures, "the baseline")
	r.Obstacles = append(r.Obstacles, twice...)
	after, twice := byPlace(now.Figures, "the run")
	r.Obstacles = append(r.Obstacles, twice...)
	if len(r.Obstacles) > 0 {
		r.Verdict = NotMeasurable
		return r
	}
	for _, side := range []struct {
		name string
		void []Void
	}{{"the baseline's", baseline.Void}, {"the", now.Void}} {
		for _, v := range side.void {
			r.Obstacles = append(r.Obstacles, fmt.Sprintf("%s cell %s is void: %s", side.name, v.Cell, v.Why))
		}
	}
	places := expected(now.Provenance, budgets)
	for _, side := range []map[place]Figure{before, after} {
		for p := range side {
			places[p] = true
		}
	}
	sorted := slices.SortedFunc(maps.Keys(places), order(baseline.Provenance.Rungs, budgets))
	for _, p := range sorted {
		r.Rows = append(r.Rows, rowOf(p, before, after, budgets))
	}
	r.Verdict = r.verdict()
	return r
}

func (r *Result) verdict() Verdict {
	v := Pass
	if len(r.Obstacles) > 0 || len(r.Rows) == 0 {
		v = NotMeasurable
	}
	for _, row := range r.Rows {
		switch row.Verdict {
		case Regression:
			return Regression
		case NotMeasurable:
			v = NotMeasurable
		}
	}
	return v
}

// expected are the figures that a run of these rungs and rates must have.
func expected(p Provenance, budgets []Budget) map[place]bool {
	places := map[place]bool{}
	for _, b := range budgets {
		if !b.Everywhere {
			continue
		}
		for _, rung := range p.Rungs {
			for _, rate := range p.Load.Rates {
				places[place{rung, rate, b.Metric}] = true
			}
		}
	}
	return places
}

// byPlace arranges figures, and says which are there twice.
func byPlace(figures []Figure, side string) (by map[place]Figure, twice []string) {
	by = map[place]Figure{}
	for _, f := range figures {
		if _, there := by[f.place()]; there {
			twice = append(twice, fmt.Sprintf("%s has two figures for %s", side, f.name()))
		}
		by[f.place()] = f
	}
	slices.Sort(twice)
	return by, slices.Compact(twice)
}

func rowOf(p place, before, after map[place]Figure, budgets []Budget) Row {
	row := Row{Rung: p.rung, RateRPS: p.rate, Change: math.NaN(), Verdict: NotMeasurable}
	row.Baseline, row.Now = find(before, p), find(after, p)
	i := index(budgets, p.metric)
	if i == len(budgets) {
		row.Budget, row.Why = Budget{Metric: p.metric, Label: p.metric, OverPromise: none}, "no budget is set for it"
		return row
	}
	row.Budget = budgets[i]
	if row.Why = row.obstacle(); row.Why == "" {
		row.judge()
	}
	return row
}

func find(figures map[place]Figure, p place) *Figure {
	f, ok := figures[p]
	if !ok {
		return nil
	}
	return &f
}

// obstacle says why a row cannot be judged; "" when it can.
func (r *Row) obstacle() string {
	switch {
	case r.Baseline == nil && r.Now == nil:
		return "it was measured neither then nor now"
	case r.Baseline == nil:
		return "the baseline lacks it"
	case r.Now == nil:
		return "the run lacks it"
	}
	for _, side := range []struct {
		name string
		f    *Figure
	}{{"the baseline's", r.Baseline}, {"the", r.Now}} {
		switch {
		case math.IsNaN(side.f.Value) || math.IsInf(side.f.Value, 0):
			return fmt.Sprintf("%s value is %v", side.name, side.f.Value)
		case side.f.N < r.Budget.Least:
			return fmt.Sprintf("%s value is of %d requests, and it takes %d", side.name, side.f.N, r.Budget.Least)
		}
	}
	if a, b := r.Baseline.Promise, r.Now.Promise; (a == nil) != (b == nil) || a != nil && *a != *b {
		return "the two promise different things"
	}
	return ""
}

// judge compares two values. One that is only a lower bound is taken at both ends of
// where the truth may be, and says something only where these agree.
func (r *Row) judge() {
	was, is := r.Baseline.Value, r.Now.Value
	r.Change = r.Budget.change(was, is)
	at := func(value float64, bound, up bool) float64 {
		if bound && up {
			return math.Inf(1)
		}
		return value
	}
	// Less is better: the truth is at its worst for the run when the baseline's is low
	// and the run's is high. More is better: the other way round.
	low := r.Budget.Higher
	worst := r.Budget.judge(at(was, r.Baseline.Bound, low), at(is, r.Now.Bound, !low), r.Now.Promise)
	best := r.Budget.judge(at(was, r.Baseline.Bound, !low), at(is, r.Now.Bound, low), r.Now.Promise)
	switch {
	case best != worst:
		r.Why = "requests were given up, so that a value is only a bound"
	case worst:
		r.Verdict, r.Why = Regression, r.Budget.why(was, is, r.Now.Promise)
	default:
		r.Verdict = Pass
	}
}

func (b Budget) change(was, is float64) float64 {
	switch {
	case b.Kind != Relative:
		return is - was
	case was == is:
		return 0
	case was == 0:
		return math.NaN()
	}
	return (is - was) / math.Abs(was)
}

// why says what a regression broke.
func (b Budget) why(was, is float64, promise *float64) string {
	limit := b.Limit
	if b.Kind == Relative {
		limit *= math.Abs(was)
	}
	if worse := math.Abs(is - was); !(worse > limit) && b.overPromised(is, promise) {
		return fmt.Sprintf("more than %g above the promised %g", b.OverPromise, *promise)
	}
	return "worse than budgeted"
}

// Used is how much of its budget a row has used up: above 1 it is a regression, 0 or
// less is as good or better. NaN where nothing could be compared.
func (r *Row) Used() float64 {
	if r.Baseline == nil || r.Now == nil {
		return math.NaN()
	}
	b := r.Budget
	worse := r.Now.Value - r.Baseline.Value
	if b.Higher {
		worse = -worse
	}
	allowed := b.Limit
	if b.Kind == Relative {
		allowed *= math.Abs(r.Baseline.Value)
	}
	if allowed = max(allowed, b.Floor); worse == 0 || allowed > 0 {
		return worse / max(allowed, math.SmallestNonzeroFloat64)
	}
	return math.Copysign(math.Inf(1), worse)
}

// Worst returns of each metric the row that is nearest to failing or the furthest beyond,
// in the order in which metrics occur: a regression before what is not measurable before a pass.
func (r *Result) Worst() []Row {
	var worst []Row
	at := map[string]int{}
	for _, row := range r.Rows {
		i, there := at[row.Budget.Metric]
		switch {
		case !there:
			at[row.Budget.Metric] = len(worst)
			worst = append(worst, row)
		case row.worseThan(&worst[i]):
			worst[i] = row
		}
	}
	return worst
}

func (r *Row) worseThan(o *Row) bool {
	severity := map[Verdict]int{Pass: 0, NotMeasurable: 1, Regression: 2}
	if a, b := severity[r.Verdict], severity[o.Verdict]; a != b {
		return a > b
	}
	return r.Used() > o.Used()
}

// Count returns how many rows have a verdict.
func (r *Result) Count(v Verdict) int {
	n := 0
	for i := range r.Rows {
		if r.Rows[i].Verdict == v {
			n++
		}
	}
	return n
}

// Failed returns the rows that did not pass, regressions first.
func (r *Result) Failed() []Row {
	var failed []Row
	for _, v := range []Verdict{Regression, NotMeasurable} {
		for _, row := range r.Rows {
			if row.Verdict == v {
				failed = append(failed, row)
			}
		}
	}
	return failed
}
