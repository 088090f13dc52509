package compare

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
)

// Finding says what a comparison found of B against A.
type Finding string

const (
	BetterThan   Finding = "better"
	WorseThan    Finding = "worse"
	NoDifference Finding = "no difference detected"
	CannotTell   Finding = "cannot tell"
)

// Findings in the order of tables.
func Findings() []Finding { return []Finding{BetterThan, WorseThan, NoDifference, CannotTell} }

// What a comparison needs before it says anything but "cannot tell".
const (
	// MinSeeds is 2: between two cells what the mechanism does cannot be told from
	// what the machine did meanwhile.
	MinSeeds = 2
	// MinPairs is the least number of request pairs over all seeds.
	MinPairs = 50
	// MinBlocks is the least number of blocks of requests over all seeds, which are
	// what counts as independent.
	MinBlocks = 8
)

// An interval that reaches further from its middle than this hides what anybody
// would want to know, so not finding a difference in it says nothing.
const (
	// UsefulRatio: a latency or a token rate that is a quarter higher.
	UsefulRatio = 1.25
	// UsefulShare: ten of a hundred requests, or prompt tokens.
	UsefulShare = 0.10
)

// Power is the chance of being found of the smallest effect that a sample could
// have shown.
const Power = 0.80

// smallest is the effect that an interval of this half-width finds with the chance
// Power: with a normal estimate of standard error h/z(97.5%), it must lie
// z(97.5%) + z(Power) such errors from zero (Bloom, Minimum detectable effects,
// Evaluation Review 19, 1995).
func smallest(half float64) float64 {
	z := distuv.UnitNormal.Quantile((1 + stats.Confidence) / 2)
	return half * (z + distuv.UnitNormal.Quantile(Power)) / z
}

// useful is the half-width above which the interval is too wide.
func (c *Contrast) useful(pairs []*pairStat) float64 {
	level := 0.0
	for _, p := range pairs {
		switch {
		case c.Relative:
			return math.Log(UsefulRatio)
		case c.Unit == unit.PerSecond: // of the arrivals
			level += UsefulShare * float64(p.n) / p.a.length
		case c.level != nil:
			a, b := c.level(&p.a).quantile(0.5, unitCounts(p.n)), c.level(&p.b).quantile(0.5, unitCounts(p.n))
			level += (UsefulRatio - 1) * (a.V + b.V) / 2
		default:
			return UsefulShare
		}
	}
	return level / float64(len(pairs))
}

// judge gives the verdict on a delta, and the reason where it is that nobody can tell.
func (d *Delta) judge(p *Versus, seeds [][]*pairStat) {
	d.Finding = CannotTell
	half := (d.Interval.Hi - d.Interval.Lo) / 2
	switch {
	case d.A.N == 0 && d.B.N == 0 && d.per == nil:
		d.Reason = "not measured"
	case (d.A.N < len(seeds) || d.B.N < len(seeds)) && d.per == nil:
		d.Reason = "not measured in every cell of A and B"
	case len(seeds) < MinSeeds:
		d.Reason = "1 seed: what the machine did to a whole cell cannot be told from the difference"
	case p.Requests < MinPairs:
		d.Reason = fmt.Sprintf("%d pairs of requests; it takes %d", p.Requests, MinPairs)
	case p.Blocks < MinBlocks:
		d.Reason = fmt.Sprintf("the requests depend on each other over %d in a row, which leaves %d independent blocks; it takes %d", p.Block, p.Blocks, MinBlocks)
	case d.A.Thin || d.B.Thin:
		d.Reason = fmt.Sprintf("a p99 of so few is the maximum; it takes %d per cell", stats.NotMaximum(0.99))
	case d.Interval.Lo > 0:
		d.Finding = Direction(d.Better)
	case d.Interval.Hi < 0:
		d.Finding = Direction(-d.Better)
	case math.IsInf(half, 0) || math.IsNaN(half):
		d.Reason = "unanswered requests leave it open"
	case half > d.useful(slices.Concat(seeds...)):
		d.Reason = "the interval is too wide to be of use"
	default:
		d.Finding = NoDifference
	}
}

// Direction is the verdict on a rise of a metric.
func Direction(b analysis.Better) Finding {
	if b == analysis.Higher {
		return BetterThan
	}
	return WorseThan
}
