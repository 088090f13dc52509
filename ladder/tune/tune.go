package tune

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/ladder/spec"
)

// Budget says how much is measured to tune a policy.
type Budget struct {
	// Tries is how many sets of parameters each policy gets, at least 2: those that it
	// comes with, points of the whole space, and as many around the best of these.
	Tries int
	Rates []float64 // offered, requests/s
	Seeds []uint64  // of the tapes: none that the policies are compared on afterwards
	// Attain is the share of the admitted that must be in time at every rate, 0 … 1. Of
	// parameters that do not reach it, those that come nearest are the best.
	Attain float64
}

// tuned is what was found for one policy.
type tuned struct {
	Rung spec.Rung // with the best parameters
	// Default and Best are the objective with the parameters that it came with and with
	// these: the mean goodput over rates and seeds, requests/s. Where too few of the
	// admitted are in time at some rate, it is their share less 1, below 0.
	Default, Best float64
}

// nearby is the share of the space, in each parameter, that is looked at around the
// best.
const nearby = 0.3

// try is a set of parameters that is measured.
type try struct {
	arm   int
	rung  spec.Rung
	point []float64 // nil: what it came with
	score float64
}

// Tune looks for the best parameters of each rung's admission policy. The first of equally
// good ones wins, so that what a rung comes with stays unless something is better.
func (b *Bench) Tune(ctx context.Context, arms []spec.Rung, budget Budget) ([]tuned, error) {
	if budget.Tries < 2 {
		return nil, fmt.Errorf("%d tries for each policy are too few: give 2 or more", budget.Tries)
	}
	spaces := make([]space, len(arms))
	var first []*try
	for i, arm := range arms {
		spaces[i] = spaceOf(arm.Admission.Policy)
		first = append(first, &try{arm: i, rung: arm})
		first = append(first, tries(i, arm, spaces[i], (budget.Tries-1)/2)...)
	}
	if err := b.score(ctx, first, budget); err != nil {
		return nil, err
	}
	var second []*try
	for i, arm := range arms {
		center := bestOf(first, i).point
		if center == nil {
			center = spaces[i].middle()
		}
		second = append(second, tries(i, arm, spaces[i].around(center, nearby), budget.Tries-1-(budget.Tries-1)/2)...)
	}
	if err := b.score(ctx, second, budget); err != nil {
		return nil, err
	}
	var found []tuned
	all := slices.Concat(first, second)
	for i := range arms {
		best, plain := bestOf(all, i), all[slices.IndexFunc(all, func(t *try) bool { return t.arm == i })]
		best.rung.Name = arms[i].Name
		found = append(found, tuned{Rung: best.rung, Default: plain.score, Best: best.score})
	}
	return found, nil
}

// tries are n points of a space. A policy that has nothing to search has none.
func tries(i int, arm spec.Rung, s space, n int) []*try {
	if len(s.params) == 0 {
		return nil
	}
	var all []*try
	for _, point := range s.points(n) {
		t := &try{arm: i, rung: arm, point: point}
		t.rung.Admission.Params = s.at(point, arm.Admission.Params)
		all = append(all, t)
	}
	return all
}

// score measures tries.
func (b *Bench) score(ctx context.Context, all []*try, budget Budget) error {
	if len(all) == 0 {
		return nil
	}
	rungs := make([]spec.Rung, len(all))
	for k, t := range all {
		rungs[k] = t.rung
		rungs[k].Name = fmt.Sprintf("try-%d", k)
	}
	table, _, err := b.Measure(ctx, rungs, budget.Rates, budget.Seeds)
	if err != nil {
		return err
	}
	for k, t := range all {
		t.score = objective(table[rungs[k].Name], budget.Attain)
	}
	return nil
}

// objective is the mean goodput over all cells, which are of equal length; or how much
// the share of the admitted that is in time falls short of all of them, at the rate where
// it is least, if that is below attain. A rate at which none is admitted falls short of
// any.
func objective(at map[float64][]Cell, attain float64) float64 {
	var all Cell
	least := 1.0
	for _, cells := range at {
		c := Sum(cells)
		least = min(least, float64(c.Good)/float64(max(1, c.Admitted)))
		all.Good += c.Good
		all.Seconds += c.Seconds
	}
	if least < attain {
		return least - 1
	}
	return all.Goodput()
}

// bestOf is the first of an arm's tries that none is better than.
func bestOf(all []*try, arm int) *try {
	best := &try{score: math.Inf(-1)}
	for _, t := range all {
		if t.arm == arm && t.score > best.score {
			best = t
		}
	}
	return best
}

func (s space) middle() []float64 { return slices.Repeat([]float64{0.5}, len(s.params)) }

// Knee is the highest offered rate, of those that it was measured at, up to which a rung
// answers a share of all arrivals in time; 0 when there is none. The share is fitted so
// that it does not rise with the rate, since of few arrivals it does by chance.
func Knee(at map[float64][]Cell, share float64) float64 {
	knee := 0.0
	all := slices.Sorted(maps.Keys(at))
	var cells []Cell
	for _, rate := range all {
		cells = append(cells, Sum(at[rate]))
	}
	for i, fitted := range falling(cells) {
		if fitted < share {
			break
		}
		knee = all[i]
	}
	return knee
}

// falling are the shares that are in time of the arrivals of each cell, fitted by the
// falling sequence of least squares (pool adjacent violators).
func falling(cells []Cell) []float64 {
	type pool struct{ good, arrivals, cells int }
	var pools []pool
	for _, c := range cells {
		pools = append(pools, pool{c.Good, c.Arrivals, 1})
		for n := len(pools); n > 1 && pools[n-2].good*pools[n-1].arrivals < pools[n-1].good*pools[n-2].arrivals; n-- {
			a, b := pools[n-2], pools[n-1]
			pools = append(pools[:n-2], pool{a.good + b.good, a.arrivals + b.arrivals, a.cells + b.cells})
		}
	}
	var fitted []float64
	for _, p := range pools {
		fitted = append(fitted, slices.Repeat([]float64{float64(p.good) / float64(max(1, p.arrivals))}, p.cells)...)
	}
	return fitted
}
