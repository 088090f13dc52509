package claims

import (
	"cmp"
	"math"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// WorseMetrics are those that a step of the ladder is searched by. Attainment is not
// among them: over the same arrivals it is goodput in another unit.
func WorseMetrics() []analysis.Metric {
	return []analysis.Metric{analysis.Goodput, analysis.Throughput, analysis.Tokens, analysis.TTFTP50, analysis.TTFTP99, analysis.ITLP50, analysis.ITLP99, analysis.E2EP50, analysis.E2EP99, analysis.HitRate}
}

// Worsening is a metric that became worse from one rung to the next.
type Worsening struct {
	analysis.Step
	analysis.Metric
	// OfferedRPS is the rate at which it became worst, and Before and After the metric
	// there, over seeds.
	OfferedRPS    float64
	Before, After analysis.Range
	// Change is After over Before less one. It is a lower bound of its size when After
	// is a lower bound.
	Change float64
	Floor  float64 // the change that would have been none, at that rate
	Seeds  int     // over which it was compared there
	Rates  int     // at which it became worse
	Of     int     // at which it was compared
}

// Worse lists, for every step, each metric that became worse by more than the floor at
// some rate, and in every seed there: cells of one seed replay the same requests, so
// that seed by seed the load is no part of the difference. With one seed it cannot be
// told from what the machine did meanwhile.
func Worse(s *analysis.Sweep) []Worsening {
	var all []Worsening
	for _, m := range WorseMetrics() {
		f := floorsOf(s, m)
		for _, step := range s.Steps() {
			if w, found := worstOf(s, step, m, f); found {
				all = append(all, w)
			}
		}
	}
	order := func(w Worsening) int { return slices.Index(s.Rungs, w.Rung) }
	slices.SortStableFunc(all, func(a, b Worsening) int { return cmp.Compare(order(a), order(b)) })
	return all
}

func worstOf(s *analysis.Sweep, step analysis.Step, m analysis.Metric, f floors) (w Worsening, found bool) {
	w = Worsening{Step: step, Metric: m}
	most := 0.0
	for _, rate := range s.Rates {
		a, b := s.Find(step.Below, rate), s.Find(step.Rung, rate)
		if a == nil || b == nil || !a.Valid() || !b.Valid() {
			continue
		}
		before, after := a.Range(m), b.Range(m)
		loss, ok := lossOf(m, before.Value(), after.Value())
		if !ok {
			continue
		}
		w.Of++
		seeds, all := worseSeeds(a, b, m)
		if loss <= f.at(rate) || seeds < all || all == 0 {
			continue
		}
		w.Rates++
		if loss > most {
			most = loss
			w.OfferedRPS, w.Before, w.After, w.Seeds, w.Floor = rate, before, after, seeds, f.at(rate)
			w.Change = after.Mean/before.Mean - 1
		}
	}
	return w, w.Rates > 0
}

// lossOf is by which share of before a metric became worse; negative when it became
// better. ok is false when it cannot be known: before is only a lower bound (of a
// latency), or zero.
func lossOf(m analysis.Metric, before, after analysis.Value) (loss float64, ok bool) {
	if !before.OK || !after.OK || before.V <= 0 {
		return 0, false
	}
	change := (after.V - before.V) / before.V
	if m.Better == analysis.Lower {
		return change, !before.Bound
	}
	return -change, !after.Bound
}

// worseSeeds counts the seeds in which b is worse than a, of those that both have.
func worseSeeds(a, b *analysis.Point, m analysis.Metric) (worse, all int) {
	for _, pair := range seedPairs(a, b, m) {
		all++
		if loss, ok := lossOf(m, pair.a, pair.b); ok && loss > 0 {
			worse++
		}
	}
	return worse, all
}

type seedPair struct {
	seed uint64
	a, b analysis.Value
}

// seedPairs returns a metric of two points by the seeds that measured it in both,
// replicates averaged.
func seedPairs(a, b *analysis.Point, m analysis.Metric) []seedPair {
	other := map[uint64]analysis.Value{}
	for _, replicates := range analysis.BySeed(b.Used()) {
		other[replicates[0].Cell.Seed] = analysis.Average(replicates, m)
	}
	var pairs []seedPair
	for _, replicates := range analysis.BySeed(a.Used()) {
		seed, v := replicates[0].Cell.Seed, analysis.Average(replicates, m)
		if o := other[seed]; v.OK && o.OK {
			pairs = append(pairs, seedPair{seed, v, o})
		}
	}
	return pairs
}

// floors is how far a metric differs between measurements of the same cell.
type floors struct {
	byRate  map[float64]float64 // by rate, the largest relative difference there
	typical float64             // the median of these
}

// at returns the floor at a rate: the largest difference between measurements of one
// cell at that rate, or where there were none the median of those at other rates; at
// least DefaultFloor, as a few pairs that happen to agree prove no precision.
func (f floors) at(rate float64) float64 {
	if v, ok := f.byRate[rate]; ok {
		return max(v, analysis.DefaultFloor)
	}
	return max(f.typical, analysis.DefaultFloor)
}

// floors compares every valid replicate and anchor with the first measurement of the
// same rung, rate and seed.
func floorsOf(s *analysis.Sweep, m analysis.Metric) floors {
	f := floors{byRate: map[float64]float64{}}
	first := map[results.Key]analysis.Value{}
	for _, c := range s.All() {
		v := m.Of(&c)
		if !c.Valid() || !v.OK || v.Bound {
			continue
		}
		key := sameCell(c.Cell.Key)
		before, seen := first[key]
		if !seen {
			first[key] = v
			continue
		}
		if mean := (before.V + v.V) / 2; mean > 0 {
			f.byRate[key.OfferedRPS] = max(f.byRate[key.OfferedRPS], math.Abs(v.V-before.V)/mean)
		}
	}
	var each []float64
	for _, rate := range s.Rates {
		if v, ok := f.byRate[rate]; ok {
			each = append(each, v)
		}
	}
	slices.Sort(each)
	f.typical = stats.Median(each)
	return f
}

// Repeats returns how many pairs of measurements of the same cell the run has, from
// which the floors of Worse come.
func Repeats(s *analysis.Sweep) (n int) {
	seen := map[results.Key]bool{}
	for _, c := range s.All() {
		if key := sameCell(c.Cell.Key); c.Valid() {
			if seen[key] {
				n++
			}
			seen[key] = true
		}
	}
	return n
}

// sameCell is a key without what tells measurements of the same cell apart.
func sameCell(k results.Key) results.Key {
	return results.Key{Rung: k.Rung, OfferedRPS: k.OfferedRPS, Seed: k.Seed}
}
