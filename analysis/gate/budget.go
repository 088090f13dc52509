package gate

import (
	"cmp"
	"math"
	"slices"
)

// Kind is how a budget's limit is meant.
type Kind string

const (
	Relative Kind = "relative" // a share of the baseline's value
	Points   Kind = "points"   // a difference of two shares
	Absolute Kind = "absolute" // a difference in the metric's unit
)

// Budget says how much worse a metric may become. It is data: docs/gate.md has the table.
type Budget struct {
	Metric string // key
	Label  string // for tables
	Unit   string // s, 1/s, share, or "" for a count
	// Higher says that more is better; otherwise less is.
	Higher bool
	Kind   Kind
	Limit  float64
	// Floor is the difference, in the metric's unit, up to which nothing is judged:
	// a share of next to nothing is no regression.
	Floor float64
	// OverPromise is how far above what is promised (Figure.Promise) the value may be,
	// for a metric that less is better of; negative for one that is not promised.
	OverPromise float64
	// Least is how many requests must stand behind a figure; 0 for a count.
	Least int
	// Everywhere says that every rung must have the metric at every rate; else a figure
	// that both sides lack is not asked for.
	Everywhere bool
}

// LeastTail is how many requests a p99 takes: of fewer than 100 it is merely the largest.
const LeastTail = 100

// leastShare is how many requests a share takes to move by a point with one of them.
const leastShare = 100

// none is OverPromise of what nobody promises.
const none = -1

// The metrics' keys. Those that cells have too are called as in summary.json.
const (
	E2EP99     = "e2e_p99_s"
	TTFTP99    = "ttft_p99_s"
	ITLP99     = "itl_p99_s"
	Goodput    = "goodput_rps"
	HitRate    = "hit_rate"
	Violations = "violation_rate"
	Steps      = "steps"
	Recomputed = "recomputed_tokens"
	Evicted    = "evicted_tokens"
	Copies     = "copies"
	Allocs     = "allocs_per_step"
)

// Budgets are those of `cadence-bench gate`. The limits of latency and goodput are about
// what a reader of the ladder's report would call a difference; those of counters are
// narrower, since nothing but a decision changes them. A floor is what one request, one
// step more at the end or one prompt can move.
func Budgets() []Budget {
	return []Budget{
		{Metric: E2EP99, Label: "p99 E2E", Unit: "s", Kind: Relative, Limit: 0.15, Floor: 0.010, OverPromise: none, Least: LeastTail, Everywhere: true},
		{Metric: TTFTP99, Label: "p99 TTFT", Unit: "s", Kind: Relative, Limit: 0.15, Floor: 0.010, OverPromise: none, Least: LeastTail, Everywhere: true},
		{Metric: ITLP99, Label: "p99 ITL", Unit: "s", Kind: Relative, Limit: 0.15, Floor: 0.005, OverPromise: none, Least: LeastTail, Everywhere: true},
		{Metric: Goodput, Label: "goodput", Unit: "1/s", Higher: true, Kind: Relative, Limit: 0.10, Floor: 0.02, OverPromise: none, Least: leastShare, Everywhere: true},
		{Metric: HitRate, Label: "prefix hits", Unit: "share", Higher: true, Kind: Points, Limit: 0.02, OverPromise: none, Least: leastShare},
		{Metric: Violations, Label: "late, admitted", Unit: "share", Kind: Points, Limit: 0.02, OverPromise: 0.02, Least: leastShare},
		{Metric: Steps, Label: "steps", Kind: Relative, Limit: 0.10, Floor: 20, OverPromise: none, Everywhere: true},
		{Metric: Recomputed, Label: "tokens recomputed", Kind: Relative, Limit: 0.10, Floor: 512, OverPromise: none, Everywhere: true},
		{Metric: Evicted, Label: "tokens evicted", Kind: Relative, Limit: 0.10, Floor: 512, OverPromise: none, Everywhere: true},
		{Metric: Copies, Label: "KV copies", Kind: Relative, Limit: 0.10, Floor: 10, OverPromise: none, Everywhere: true},
		{Metric: Allocs, Label: "allocations per step", Kind: Absolute, Limit: 0, OverPromise: none},
	}
}

// judge says whether now is worse than the budget allows. Both are finite or infinite
// numbers, not NaN.
func (b Budget) judge(baseline, now float64, promise *float64) bool {
	worse := now - baseline
	if b.Higher {
		worse = baseline - now
	}
	switch {
	case !(worse > b.Floor): // also when both are infinite
		return false
	case math.IsInf(worse, 1):
		return true
	}
	limit := b.Limit
	if b.Kind == Relative {
		limit *= math.Abs(baseline)
	}
	return worse > limit || b.overPromised(now, promise)
}

// overPromised says whether a value is above what is promised, and what is allowed on top.
func (b Budget) overPromised(value float64, promise *float64) bool {
	return promise != nil && b.OverPromise >= 0 && value > *promise+b.OverPromise
}

// index is a budget's place, after all of them where there is none.
func index(budgets []Budget, metric string) int {
	if i := slices.IndexFunc(budgets, func(b Budget) bool { return b.Metric == metric }); i >= 0 {
		return i
	}
	return len(budgets)
}

// order sorts places by rung as listed, by rate, what is of no rate last, and by metric as
// budgeted.
func order(rungs []string, budgets []Budget) func(a, b place) int {
	at := func(rung string) int {
		if i := slices.Index(rungs, rung); i >= 0 {
			return i
		}
		return len(rungs)
	}
	rate := func(p place) float64 {
		if p.rate == 0 {
			return math.Inf(1)
		}
		return p.rate
	}
	return func(a, b place) int {
		return cmp.Or(
			cmp.Compare(at(a.rung), at(b.rung)), cmp.Compare(a.rung, b.rung), cmp.Compare(rate(a), rate(b)),
			cmp.Compare(index(budgets, a.metric), index(budgets, b.metric)), cmp.Compare(a.metric, b.metric))
	}
}
