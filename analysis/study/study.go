// Package study judges knobs: for each changed setting, whether a metric differs from the
// base by more than repeated measurements of the base do.
package study

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
	"github.com/cadence-bench/cadence-bench/results"
)

// Metrics are the metrics by which a knob is judged.
func Metrics() []analysis.Metric {
	return []analysis.Metric{analysis.Goodput, analysis.TTFTP50, analysis.ITLP99, analysis.E2EP50, analysis.E2EP99}
}

// Effect is what one change did to one metric at one rate.
type Effect struct {
	analysis.Metric
	// Relative effects are natural logarithms of the arm over the base, the others the
	// arm less the base in the metric's unit.
	Relative bool
	Base     analysis.Range // over seeds, the replicates of each averaged
	Arm      analysis.Range
	// Difference is the mean over seeds of the arm against the mean of the base's
	// replicates on the same tape.
	Difference float64
	// AtLeast says that the truth is above Difference: the arm left requests unanswered.
	AtLeast bool
	// Floor is the noise that Difference must exceed. See Noise.
	Floor   float64
	Finding compare.Finding
	Reason  string // why nobody can tell
}

// ArmResult is a changed setting at one rate.
type ArmResult struct {
	results.Arm
	OfferedRPS float64
	Effects    []Effect // in the order of StudyMetrics
}

// Result is what a study found.
type Result struct {
	Base string
	Arms []ArmResult // by arm, in the order of the study, and rate
	// Replicates is how many valid measurements of the base there are of each tape: the
	// least and the most.
	Replicates [2]int
	// Judged is how many effects got a verdict other than CannotTell, and Beyond how many
	// of them are beyond the noise.
	Judged, Beyond int
}

// noise is how far repeated measurements of the same configuration on the same tape lie
// apart. The floor that it sets for a difference is the largest of
//
//   - the half-width of the 95% t interval of the difference between one measurement and
//     the mean of the replicates, averaged over seeds, with the replicates' standard
//     deviation within seeds, pooled over them, as the spread of a single measurement;
//   - the largest difference between two replicates of one tape; and
//   - for a rate of requests, one request: less cannot be told apart.
//
// It is the noise of measuring, not of the load: what exceeds it is the change's on the
// tapes that were offered. A difference on whose sign the tapes disagree is not judged.
type noise struct {
	squares, freedom float64 // of the replicates within seeds
	widest           float64 // difference of two replicates
	variance         float64 // of the mean difference, in units of a measurement's own
}

// add takes in the replicates of one seed, and that of many arms of it are compared.
func (n *noise) add(replicates []float64, arms int) {
	mean, lo, hi := 0.0, math.Inf(1), math.Inf(-1)
	for _, v := range replicates {
		mean += v / float64(len(replicates))
		lo, hi = min(lo, v), max(hi, v)
	}
	for _, v := range replicates {
		n.squares += (v - mean) * (v - mean)
	}
	n.freedom += float64(len(replicates) - 1)
	n.widest = max(n.widest, hi-lo)
	n.variance += 1/float64(arms) + 1/float64(len(replicates))
}

// floor is the noise of the mean difference over so many seeds; ok is false without a
// second replicate of any seed.
func (n *noise) floor(seeds int) (floor float64, ok bool) {
	if n.freedom < 1 {
		return 0, false
	}
	t := distuv.StudentsT{Sigma: 1, Nu: n.freedom}.Quantile((1 + stats.Confidence) / 2)
	half := t * math.Sqrt(n.squares/n.freedom*n.variance) / float64(seeds)
	return max(half, n.widest), true
}

// Of judges every arm of a study against the replicates of its base.
func Of(s *analysis.Sweep, study *results.Study) Result {
	r := Result{Base: study.Base}
	for _, p := range s.Of(study.Base) {
		for _, seed := range analysis.BySeed(p.Used()) {
			if n := len(seed); r.Replicates[0] == 0 || n < r.Replicates[0] {
				r.Replicates[0] = n
			}
			r.Replicates[1] = max(r.Replicates[1], len(seed))
		}
	}
	for _, arm := range study.Arms {
		for _, p := range s.Of(arm.String()) {
			base := s.Find(study.Base, p.OfferedRPS)
			a := ArmResult{Arm: arm, OfferedRPS: p.OfferedRPS}
			for _, m := range Metrics() {
				e := effectOf(m, base, p)
				if e.Finding != compare.CannotTell {
					r.Judged++
				}
				if e.Finding == compare.BetterThan || e.Finding == compare.WorseThan {
					r.Beyond++
				}
				a.Effects = append(a.Effects, e)
			}
			r.Arms = append(r.Arms, a)
		}
	}
	return r
}

// effectOf compares a metric of an arm's point with the base's, seed by seed.
func effectOf(m analysis.Metric, base, arm *analysis.Point) Effect {
	e := Effect{Metric: m, Relative: m.Unit == unit.Seconds || m.Unit == unit.TokensPerS, Arm: arm.Range(m), Finding: compare.CannotTell}
	if base == nil || !base.Valid() {
		e.Reason = "the base has no valid cell at this rate"
		return e
	}
	e.Base = base.Range(m)
	switch {
	case !arm.Valid():
		e.Reason = "no cell of the arm is valid"
		return e
	case e.Base.N == 0 || e.Arm.N == 0:
		e.Reason = "not measured"
		return e
	case e.Base.Bounds > 0:
		e.Reason = "unanswered requests leave it open"
		return e
	}
	var noise noise
	seeds, sum, least, most := 0, 0.0, math.Inf(1), math.Inf(-1)
	for _, group := range analysis.BySeed(arm.Used()) {
		of := replicatesOf(base, group[0].Cell.Seed)
		was, is := e.values(of), e.values(group)
		if len(was) == 0 || len(is) == 0 {
			continue
		}
		seeds++
		d := mean(is) - mean(was)
		sum, least, most = sum+d, min(least, d), max(most, d)
		noise.add(was, len(is))
	}
	if seeds == 0 {
		e.Reason = "the base has no valid cell on the same tape"
		return e
	}
	if e.Difference = sum / float64(seeds); math.Abs(e.Difference) <= rounding*math.Abs(e.Base.Mean) {
		e.Difference = 0
	}
	floor, ok := noise.floor(seeds)
	if m.Unit == unit.PerSecond && arm.Used()[0].Window.Length() > 0 {
		floor = max(floor, 1/arm.Used()[0].Window.Length())
	}
	e.Floor, e.AtLeast = floor, e.Arm.Bounds > 0
	switch {
	case !ok:
		e.Reason = "the base was measured once: there is nothing to tell noise by"
	case e.Arm.Bounds > 0 && e.Difference <= floor+rounding:
		e.Reason = "unanswered requests leave it open"
	case math.Abs(e.Difference) <= floor+rounding:
		e.Finding = compare.NoDifference
	case e.Arm.Bounds > 0 && e.Difference < 0:
		e.Reason = "unanswered requests leave it open"
	case least < -rounding && most > rounding:
		e.Reason = "it rises on one tape and falls on another"
	case e.Difference > 0:
		e.Finding = compare.Direction(m.Better)
	default:
		e.Finding = compare.Direction(-m.Better)
	}
	return e
}

// rounding is what sums of doubles may be off by, relative to the values.
const rounding = 1e-12

func replicatesOf(p *analysis.Point, seed uint64) []*analysis.CellMetrics {
	for _, group := range analysis.BySeed(p.Used()) {
		if group[0].Cell.Seed == seed {
			return group
		}
	}
	return nil
}

// values are the metric in every cell that measured it, in the scale of the effect.
func (e *Effect) values(cells []*analysis.CellMetrics) []float64 {
	var all []float64
	for _, c := range cells {
		switch v := e.Of(c); {
		case !v.OK || e.Relative && v.V <= 0:
		case e.Relative:
			all = append(all, math.Log(v.V))
		default:
			all = append(all, v.V)
		}
	}
	return all
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
