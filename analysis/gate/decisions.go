package gate

import (
	"cmp"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis/decided"
)

// Decisions is the hash chain of what was decided in one cell. The lines themselves lie in
// a file beside the baseline's.
type Decisions struct {
	Cell string `json:"cell"` // its name
	decided.Chain
}

// DecisionsOf returns the hash chains of cells, in their order.
func DecisionsOf(cells []decided.Cell) []Decisions {
	all := make([]Decisions, len(cells))
	for i := range cells {
		all[i] = Decisions{cells[i].Key.Name(), cells[i].Chain()}
	}
	return all
}

// Parting is where a cell's decisions differ, as far as hashes tell.
type Parting struct {
	Cell string
	// Up to the step After all decisions are equal, and by the step By one is not; -1 is
	// not known: none is known to be equal, and the one that differs comes before the end.
	After, By int64
}

// Partings holds the decisions of a run against the baseline's: how many cells are in both,
// and which of them differ, in the run's order.
func Partings(baseline Baseline, now Measured) (of int, differ []Parting) {
	was := map[string]decided.Chain{}
	for _, d := range baseline.Decisions {
		was[d.Cell] = d.Chain
	}
	for _, d := range now.Decisions {
		before, ok := was[d.Cell]
		if !ok {
			continue
		}
		of++
		if after, by, parted := decided.Parted(before, d.Chain); parted {
			differ = append(differ, Parting{d.Cell, after, by})
		}
	}
	return of, differ
}

// Blamed returns the rungs and rates of the regressions, the worst first, each once. A
// rate of 0 is that of a metric that has none.
func (r *Result) Blamed() (at []Point) {
	var rows []Row
	for _, row := range r.Rows {
		if row.Verdict == Regression {
			rows = append(rows, row)
		}
	}
	used := func(r Row) float64 {
		if u := r.Used(); !math.IsNaN(u) {
			return u
		}
		return 0
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(used(b), used(a)) })
	for _, row := range rows {
		if p := (Point{row.Rung, row.RateRPS}); !slices.Contains(at, p) {
			at = append(at, p)
		}
	}
	return at
}

// Point is a rung at a rate.
type Point struct {
	Rung    string
	RateRPS float64
}
