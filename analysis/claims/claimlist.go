package claims

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
)

// Of judges what is said of ladders like this one: first by the predecessor's
// report, then of admission control. A claim about a rung that the run does not have is
// left out.
func Of(s *analysis.Sweep) []Claim {
	seeds := s.Seeds()
	var claims []Claim
	for _, claim := range []func(*analysis.Sweep) []Claim{goodputRises, throughputAlike, continuousITL, staticAtLowLoad, orderOverSLOs, tailUnderSLO, admissionGoodput, lateShare, noneLate} {
		for _, c := range claim(s) {
			c.decide(seeds)
			claims = append(claims, c)
		}
	}
	return claims
}

func goodputRises(s *analysis.Sweep) []Claim {
	c := Claim{Key: "a", Text: "Goodput rises at each rung", What: "peak goodput over that of the rung below", Ratio: true,
		Rule: fmt.Sprintf("Holds when at every step it is more than %.0f%% higher and the 95%% interval of the ratio above 1; does not when at some step that interval is below %.2f.", 100*analysis.DefaultFloor, 1+analysis.DefaultFloor) + " The interval is the wider of resampled seeds and requests, with the peak wherever it falls, and Student's t of the seeds' differences at the two peaks. Rungs with admission control have claims of their own."}
	rungs := s.Plain()
	if len(rungs) < 2 {
		return nil
	}
	c.Evidence = PeakRatios(s, rungs)
	for i := range c.Evidence {
		c.Evidence[i].above(1, analysis.DefaultFloor)
	}
	return []Claim{c}
}

// PeakRatios are the peak goodputs of rungs over those of the rungs below them, for all but the
// first, with intervals where there are enough seeds.
func PeakRatios(s *analysis.Sweep, rungs []string) []Evidence {
	drawn := map[string]knees.Peaks{}
	for i, p := range knees.PeaksOf(s) {
		drawn[s.Rungs[i]] = p
	}
	var all []Evidence
	for i := 1; i < len(rungs); i++ {
		a, b := drawn[rungs[i-1]], drawn[rungs[i]]
		e := Evidence{Where: rungs[i], Verdict: Open, Missing: len(a.Points) == 0 || len(b.Points) == 0}
		if !e.Missing {
			e = contrastOf(rungs[i], a.Points[a.Best], b.Points[b.Best], analysis.Goodput, false)
			e.ratioOf(a, b)
		}
		all = append(all, e)
	}
	return all
}

// ratioOf turns the seeds' differences of two peaks into the ratio of the peaks: by the
// mean of the one below, as a seed of it may be zero, which has no ratio of its own. The
// interval is made to contain that of the resampled ratio.
func (e *Evidence) ratioOf(a, b knees.Peaks) {
	var ratios []stats.Interval
	for i := range min(len(a.RPS), len(b.RPS)) {
		r := b.RPS[i] / a.RPS[i]
		ratios = append(ratios, stats.Interval{Lo: r, Hi: r})
	}
	below := a.Points[a.Best].Range(analysis.Goodput).Mean
	e.Value = b.Points[b.Best].Range(analysis.Goodput).Mean / below
	if e.Missing = !(below > 0) || len(ratios) == 0; e.Missing {
		return
	}
	d := stats.Percentile(ratios)
	e.Lo, e.Hi = max(min(1+e.Lo/below, d.Lo, e.Value), 0), max(1+e.Hi/below, d.Hi, e.Value)
}

func throughputAlike(s *analysis.Sweep) []Claim {
	if len(s.Plain()) < 2 {
		return nil
	}
	c := Claim{Key: "b", Text: "Throughput cannot tell the rungs apart", Unit: unit.Fraction,
		What: "largest difference between rungs at one offered rate, over their mean: completed requests/s, and their output tokens/s",
		Rule: fmt.Sprintf("Holds when at every rate the rungs are within %.0f%% of each other, in every seed; does not when at some rate they are further apart in every seed. Rungs with admission control, which refuse work, are left out.", 100*analysis.DefaultFloor)}
	for _, of := range []struct {
		name string
		analysis.Metric
	}{{"requests", analysis.Throughput}, {"tokens", analysis.CompletedTokens}} {
		m := of.Metric
		worst, overall := Evidence{Missing: true}, []Evidence(nil)
		for _, rate := range s.CommonRates() {
			spread, apart, alike := spreadAt(s, rate, m)
			e := Evidence{Where: fmt.Sprintf("%s, at %s rps:", of.name, number(rate)), Value: spread, Verdict: Open}
			if alike {
				e.Verdict = Holds
			} else if apart {
				e.Verdict = DoesNotHold
			}
			overall = append(overall, e)
			if worst.Missing || e.Value > worst.Value {
				worst = e
			}
		}
		if worst.Missing {
			worst.Where = of.name
		}
		worst.Verdict = verdictOfAll(overall)
		c.Evidence = append(c.Evidence, worst)
	}
	if wait := shortestWait(s); wait < patientFor {
		c.withdraw(fmt.Sprintf("clients give up after %s s here, and requests that nobody waits for do not complete; the predecessor's waited %d s, in which an overload shows as latency alone", number(wait), patientFor))
	}
	return []Claim{c}
}

// patientFor is how long the predecessor's clients waited, in seconds.
const patientFor = 300

// shortestWait is the shortest timeout of a plain rung's clients, in seconds.
func shortestWait(s *analysis.Sweep) float64 {
	wait := math.Inf(1)
	for _, rung := range s.Plain() {
		for _, p := range s.Of(rung) {
			for _, c := range p.Cells {
				wait = min(wait, c.Cell.TimeoutS)
			}
		}
	}
	return wait
}

// spreadAt is (max − min)/mean of a metric over the plain rungs at one rate; apart and
// alike say that in every seed it is above, or within, DefaultFloor.
func spreadAt(s *analysis.Sweep, rate float64, m analysis.Metric) (spread float64, apart, alike bool) {
	var means analysis.Range
	seeds := map[uint64]*analysis.Range{}
	for _, rung := range s.Plain() {
		p := s.Find(rung, rate)
		means.Add(p.Range(m).Value())
		for _, replicates := range analysis.BySeed(p.Used()) {
			seed := replicates[0].Cell.Seed
			if seeds[seed] == nil {
				seeds[seed] = &analysis.Range{}
			}
			seeds[seed].Add(analysis.Average(replicates, m))
		}
	}
	apart, alike = true, true
	for _, r := range seeds {
		within := r.Mean == 0 || (r.Max-r.Min)/r.Mean <= analysis.DefaultFloor
		apart, alike = apart && !within, alike && within
	}
	return means.Relative().V, apart, alike
}

func continuousITL(s *analysis.Sweep) []Claim {
	rung, ok := s.First(analysis.Traits.Continuous)
	if !ok {
		return nil
	}
	below, ok := below(s, rung)
	if !ok {
		return nil
	}
	c := Claim{Key: "c", Text: "Continuous batching makes p99 ITL worse", What: fmt.Sprintf("p99 ITL of %s over that of %s, by offered rate", rung, below), Ratio: true,
		Rule: fmt.Sprintf("Holds when at every rate it is more than %.0f%% higher and Student's t interval of the seeds' ratios above 1; does not when at some rate that interval is below %.2f.", 100*analysis.DefaultFloor, 1+analysis.DefaultFloor)}
	for _, rate := range s.CommonRates() {
		e := contrastOf(number(rate)+" rps", s.Find(below, rate), s.Find(rung, rate), analysis.ITLP99, true)
		e.above(1, analysis.DefaultFloor)
		c.Evidence = append(c.Evidence, e)
	}
	return []Claim{c}
}

// lowAttainment is what a low load leaves every rung: nearly all in time.
const lowAttainment = 0.95

func staticAtLowLoad(s *analysis.Sweep) []Claim {
	fifo, hasFIFO := s.First(analysis.Traits.FIFO)
	static, hasStatic := s.First(analysis.Traits.Static)
	if !hasFIFO || !hasStatic || len(s.CommonRates()) == 0 {
		return nil
	}
	c := Claim{Key: "d", Text: "Static batching is worse than FIFO at low load", What: fmt.Sprintf("median E2E of %s over that of %s at the lowest rate", static, fifo), Ratio: true,
		Rule: fmt.Sprintf("Holds when it is more than %.0f%% higher and Student's t interval of the seeds' ratios above 1; does not when that interval is below %.2f. Low is a rate at which both answer %.0f%% of the arrivals within the SLO.", 100*analysis.DefaultFloor, 1+analysis.DefaultFloor, 100*lowAttainment)}
	rate := s.CommonRates()[0]
	for _, rung := range []string{fifo, static} {
		if a := s.Find(rung, rate).Range(analysis.Attainment); a.Mean < lowAttainment {
			c.withdraw(fmt.Sprintf("no rate is low: at %s rps, the lowest, %s answers %.0f%% within the SLO", number(rate), rung, 100*a.Mean))
			return []Claim{c}
		}
	}
	e := contrastOf(number(rate)+" rps", s.Find(fifo, rate), s.Find(static, rate), analysis.E2EP50, true)
	e.above(1, analysis.DefaultFloor)
	c.Evidence = []Evidence{e}
	return []Claim{c}
}

func orderOverSLOs(s *analysis.Sweep) []Claim {
	plain := s.Plain()
	if len(plain) < 2 {
		return nil
	}
	c := Claim{Key: "e", Text: "The order of the rungs does not depend on the SLO", Unit: unit.Count, What: "pairs of rungs without admission control, by peak goodput at " + factors() + " × the SLO",
		Rule: fmt.Sprintf("Does not hold when a pair changes places: one is ahead by more than %.0f%% and in every seed at one SLO, the other at another. Holds when none does and at every SLO some pair is told apart.", 100*analysis.DefaultFloor)}
	rows := knees.SLORows(only(s, plain))
	rungs, swaps := len(plain), knees.Swaps(rows)
	verdict := Holds
	for _, row := range rows {
		if !row.ToldApart() {
			verdict = Open
		}
	}
	if len(swaps) > 0 {
		verdict = DoesNotHold
	}
	c.Evidence = []Evidence{
		{Where: fmt.Sprintf("of %d pairs change places", rungs*(rungs-1)/2), Value: float64(len(swaps)), Verdict: verdict},
	}
	return []Claim{c}
}

// only is the sweep with these rungs alone.
func only(s *analysis.Sweep, rungs []string) *analysis.Sweep {
	var cells []analysis.CellMetrics
	for _, c := range s.Cells {
		if slices.Contains(rungs, c.Cell.Rung) {
			cells = append(cells, c)
		}
	}
	return analysis.NewSweep(cells, rungs)
}

// tailUnderSLO is of the rungs that promise as much: a policy that lets one in twenty be late has
// its p99 beyond the SLO by design.
func tailUnderSLO(s *analysis.Sweep) (claims []Claim) {
	for _, rung := range s.Rungs {
		if alpha, ok := promised(s, rung); !ok || alpha > 0.01 {
			continue
		}
		c := Claim{Key: "f", Text: rung + " holds the p99 E2E of admitted requests under the SLO at every rate", What: "p99 E2E of all seeds' admitted requests over the SLO, by offered rate", Ratio: true,
			Rule: "Holds when at every rate the order-statistic 95% interval of the pooled p99 ends at or below the SLO; does not when at some rate it begins above. The interval takes requests as independent, so it is too narrow under load."}
		for _, p := range s.Of(rung) {
			if !p.Valid() {
				continue
			}
			q, slo := cautions.TailOf(p).E2E, p.Used()[0].SLOS
			e := Evidence{Where: number(p.OfferedRPS) + " rps", Verdict: Open, Missing: q.N == 0 || slo <= 0}
			if !e.Missing {
				e.Value, e.Lo, e.Hi, e.Interval = q.Value/slo, q.Lo/slo, q.Hi/slo, true
				if q.Hi <= slo {
					e.Verdict = Holds
				} else if q.Lo > slo {
					e.Verdict = DoesNotHold
				}
			}
			c.Evidence = append(c.Evidence, e)
		}
		claims = append(claims, c)
	}
	return claims
}

func admissionGoodput(s *analysis.Sweep) (claims []Claim) {
	common, plain := s.CommonRates(), s.Plain()
	if len(common) == 0 || len(plain) == 0 {
		return nil
	}
	rate, base := common[len(common)-1], plain[len(plain)-1]
	for _, rung := range s.Rungs {
		if !s.Traits(rung).Promises() {
			continue
		}
		c := Claim{Key: "g", Text: fmt.Sprintf("%s has more goodput at the highest rate than %s without admission", rung, base), Unit: unit.PerSecond,
			What: fmt.Sprintf("goodput less that of %s at %s rps", base, number(rate)),
			Rule: "Holds when Student's t interval of the seeds' differences is above 0; does not when it is below."}
		e := contrastOf("", s.Find(base, rate), s.Find(rung, rate), analysis.Goodput, false)
		e.above(0, 0)
		c.Evidence = []Evidence{e}
		claims = append(claims, c)
	}
	return claims
}

// below returns the rung below another.
func below(s *analysis.Sweep, rung string) (string, bool) {
	for _, step := range s.Steps() {
		if step.Rung == rung {
			return step.Below, true
		}
	}
	return "", false
}

func factors() string {
	var all []string
	for _, f := range analysis.SLOFactors() {
		all = append(all, number(f))
	}
	return strings.Join(all, ", ")
}

// number formats a rate or a factor as it was given.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// promised is the share of late requests that a rung promises not to pass.
func promised(s *analysis.Sweep, rung string) (alpha float64, ok bool) {
	if !s.Traits(rung).Promises() {
		return 0, false
	}
	for _, p := range s.Of(rung) {
		for _, c := range p.Used() {
			if c.Promise.OK && c.Promise.V.Alpha.OK {
				return c.Promise.V.Alpha.V, true
			}
		}
	}
	return 0, false
}

// lateOf is the share of what a rung took at a rate that was late, over its seeds; its interval
// is the wider of theirs and that of independent requests.
func lateOf(p *analysis.Point) (e Evidence, late int) {
	var seeds []stats.Trials
	for _, replicates := range analysis.BySeed(p.Used()) {
		var t stats.Trials
		for _, c := range replicates {
			if c.Promise.OK {
				t.Of, t.N = t.Of+c.Promise.V.Violations, t.N+c.Promise.V.Promised
			}
		}
		seeds = append(seeds, t)
	}
	share := stats.ProportionOf(seeds)
	e = Evidence{Where: number(p.OfferedRPS) + " rps", Verdict: Open, Missing: share.N == 0}
	if !e.Missing {
		lo, hi := stats.ClopperPearson(share.Of, share.N, 0.025)
		e.Value, e.Lo, e.Hi, e.Interval = share.P, min(lo, share.Lo), max(hi, share.Hi), true
	}
	return e, share.Of
}

func lateShare(s *analysis.Sweep) (claims []Claim) {
	for _, rung := range s.Rungs {
		alpha, ok := promised(s, rung)
		if !ok {
			continue
		}
		c := Claim{Key: "h", Text: fmt.Sprintf("%s: at most %g%% of the requests that it takes are late", rung, 100*alpha), Unit: unit.Fraction, What: "late share of the requests taken, by offered rate",
			Rule: "Holds when at every rate the interval ends at or below the promise; does not when at some rate it begins above. The interval is the wider of Student's t over seeds and Clopper and Pearson's."}
		for _, p := range s.Of(rung) {
			e, _ := lateOf(p)
			switch {
			case e.Missing:
			case e.Hi <= alpha:
				e.Verdict = Holds
			case e.Lo > alpha:
				e.Verdict = DoesNotHold
			}
			c.Evidence = append(c.Evidence, e)
		}
		claims = append(claims, c)
	}
	return claims
}

// predecessorsAlpha is that of the arm of which the predecessor says that every request it
// admitted ended within the SLO.
const predecessorsAlpha = 0.05

func noneLate(s *analysis.Sweep) (claims []Claim) {
	for _, rung := range s.Rungs {
		if alpha, ok := promised(s, rung); !ok || alpha != predecessorsAlpha {
			continue
		}
		c := Claim{Key: "i", Text: rung + ": every request that it takes ends within the SLO, at every rate", Unit: unit.Fraction, What: "late share of the requests taken, by offered rate",
			Rule: "Does not hold when one was late. Holds when none was and the interval ends below 1% at every rate. The predecessor says so of its 95% arm, whose bounds are wider than its promise."}
		for _, p := range s.Of(rung) {
			e, late := lateOf(p)
			switch {
			case e.Missing:
			case late > 0:
				e.Verdict = DoesNotHold
			case e.Hi < 0.01:
				e.Verdict = Holds
			}
			c.Evidence = append(c.Evidence, e)
		}
		claims = append(claims, c)
	}
	return claims
}
