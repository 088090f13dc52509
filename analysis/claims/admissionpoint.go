package claims

import (
	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/promise"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Admission is what all cells of a rung at a rate say about its policy.
type Admission struct {
	*analysis.Point
	Policy string
	Alpha  results.Opt[float64]
	Cells  []*promise.Outcome // by seed and replicate
	// Violated is the share of the promised requests that did not end well within the SLO.
	Violated stats.Proportion
	// Covered is the share of those with a bound that ended within it: another thing,
	// since a bound may be far below or above the SLO.
	Covered stats.Proportion
	// Theta sums where θ stood; Decided is 0 where nobody says.
	Theta promise.Theta
	// Interior is the share of the promised requests taken while θ was interior that did
	// not end well within the SLO.
	Interior stats.Proportion
	// Worst is the lowest attainment of WorstRun requests in a row, in any cell.
	Worst results.Opt[float64]
	// OfUpper is what was answered in time over the most that any policy could have.
	OfUpper results.Opt[float64]
}

// Admissions returns the rungs and rates that have an admission policy, in the sweep's
// order.
func Admissions(s *analysis.Sweep) []Admission {
	var all []Admission
	for i := range s.Points {
		if a := admissionOf(&s.Points[i]); len(a.Cells) > 0 {
			all = append(all, a)
		}
	}
	return all
}

func admissionOf(p *analysis.Point) Admission {
	a := Admission{Point: p}
	var good int
	var upper float64
	known := true
	for _, c := range p.Used() {
		if !c.Promise.OK {
			continue
		}
		one := &c.Promise.V
		a.Cells = append(a.Cells, one)
		a.Policy, a.Alpha = one.Policy, one.Alpha
		if one.Worst.OK && (!a.Worst.OK || one.Worst.V < a.Worst.V) {
			a.Worst = one.Worst
		}
		good, upper, known = good+one.Good, upper+one.Upper.V, known && one.Upper.OK
	}
	if known && upper > 0 {
		a.OfUpper = results.Some(float64(good) / upper)
	}
	a.Violated = shareOf(a.Cells, func(c *promise.Outcome) (of, n int) { return c.Violations, c.Promised })
	a.Covered = shareOf(a.Cells, func(c *promise.Outcome) (of, n int) { return c.Covered, c.Bounded })
	for _, c := range a.Cells {
		a.Theta.Join(&c.Theta)
	}
	a.Interior = shareOf(a.Cells, func(c *promise.Outcome) (of, n int) { return c.Theta.Violations, c.Theta.Promised })
	return a
}

// Sum adds a count over the cells.
func (a *Admission) Sum(of func(*promise.Outcome) int) (n int) {
	for _, c := range a.Cells {
		n += of(c)
	}
	return n
}

// shareOf is a proportion over cells, which are independent of one another.
func shareOf(cells []*promise.Outcome, of func(*promise.Outcome) (of, n int)) stats.Proportion {
	counts := make([]stats.Trials, len(cells))
	for i, c := range cells {
		counts[i].Of, counts[i].N = of(c)
	}
	return stats.ProportionOf(counts)
}
