// Package claims judges what is said of ladders: whether a run bears out each claim of a
// fixed list (Of), which metrics became worse from one rung to the next (Worse), and
// whether an admission policy kept what it promised (Admissions). A verdict follows from
// figures with intervals by a rule that the claim states.
package claims

import (
	"math"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
)

// Verdict says whether a run bears out a claim.
type Verdict string

const (
	Holds       Verdict = "holds"
	DoesNotHold Verdict = "does not hold"
	Open        Verdict = "cannot tell"
	// Withdrawn says that the run does not ask what the claim says something of.
	Withdrawn Verdict = "not asked"
)

// Evidence is one figure that a claim is judged by.
type Evidence struct {
	Where string // what is compared, or at which rate
	// Value is in the claim's unit, with its 95% interval where it has one.
	Value, Lo, Hi float64
	Interval      bool
	Missing       bool // not measured; Value means nothing
	Verdict       Verdict
}

// Claim is something that is said of such ladders, and what this run says to it.
type Claim struct {
	Key  string // a letter, for references
	Text string
	What string // what the figures are
	Rule string // by which the verdict is given
	// Ratio says that the evidence is a quotient; otherwise it has the unit.
	Ratio    bool
	Unit     unit.Unit
	Evidence []Evidence
	Verdict  Verdict
	Reason   string // why nobody can tell, or why it is not asked, where that is one thing
}

// oneSeed is why a run of one seed decides nothing: see MinSeeds.
const oneSeed = "1 seed: what the machine did to a whole cell cannot be told from a difference"

// verdictOfAll is the verdict on a claim that must hold of all its evidence.
func verdictOfAll(evidence []Evidence) Verdict {
	verdict := Holds
	for _, e := range evidence {
		switch e.Verdict {
		case DoesNotHold:
			return DoesNotHold
		case Open:
			verdict = Open
		}
	}
	if len(evidence) == 0 {
		return Open
	}
	return verdict
}

// decide gives the claim's verdict, unless there are too few seeds for any.
func (c *Claim) decide(seeds int) {
	if c.Verdict == Withdrawn {
		return
	}
	c.Verdict = verdictOfAll(c.Evidence)
	if seeds < compare.MinSeeds {
		c.Verdict, c.Reason = Open, oneSeed
		for i := range c.Evidence {
			c.Evidence[i].Verdict = Open
		}
	}
}

// withdraw says why the run does not ask what the claim says something of.
func (c *Claim) withdraw(reason string) {
	c.Verdict, c.Reason, c.Evidence = Withdrawn, reason, nil
}

// contrastOf compares a metric of two points seed by seed: the mean of the seeds'
// ratios (their geometric mean) or differences, b against a, with Student's t interval.
// ok is false when no seed has it in both.
func contrastOf(where string, a, b *analysis.Point, m analysis.Metric, ratio bool) Evidence {
	contrast := compare.Contrast{Metric: m, Relative: ratio}
	var own []stats.Interval
	for _, pair := range seedPairs(a, b, m) {
		x, y := contrast.Interval(pair.a), contrast.Interval(pair.b)
		own = append(own, stats.Interval{Lo: y.Lo - x.Hi, Hi: y.Hi - x.Lo})
	}
	e := Evidence{Where: where, Verdict: Open, Missing: len(own) == 0}
	if e.Missing {
		return e
	}
	point := 0.0
	for _, pair := range seedPairs(a, b, m) {
		x, y := contrast.Interval(pair.a), contrast.Interval(pair.b)
		point += (y.Lo - x.Lo) / float64(len(own)) // at the bounds, where there are any
	}
	t := stats.Student(own)
	e.Value, e.Lo, e.Hi, e.Interval = point, t.Lo, t.Hi, len(own) >= compare.MinSeeds
	if ratio {
		e.Value, e.Lo, e.Hi = math.Exp(e.Value), math.Exp(e.Lo), math.Exp(e.Hi)
	}
	return e
}

// above gives the verdict on "more than none by more than the floor"; none is 1 of a
// ratio and 0 of a difference, whose floor is a share of base.
func (e *Evidence) above(none, floor float64) {
	switch {
	case !e.Interval || e.Missing:
	case e.Lo > none && e.Value > none+floor:
		e.Verdict = Holds
	case e.Hi < none+floor:
		e.Verdict = DoesNotHold
	}
}
