package analysis

import (
	"cmp"
	"slices"
	"sync"

	"github.com/cadence-bench/cadence-bench/results"
)

// Point is everything measured of one rung at one offered rate: its cells, by seed and
// replicate.
type Point struct {
	Rung       string
	OfferedRPS float64 // nominal
	Cells      []*CellMetrics
}

// Sweep is the cells of a run, arranged. Anchors, which were measured again after all
// others, are apart: they are in no point.
type Sweep struct {
	Rungs  []string  // in ladder order
	Rates  []float64 // ascending, every rate that occurs
	Cells  []CellMetrics
	Points []Point // by rung in ladder order, then by rate
	// Anchors are the cells that Anchor marks, in the order of the sweep.
	Anchors []CellMetrics

	once sync.Map // see Once
}

// NewSweep arranges cells. Rungs take the order of the plan; those that it does
// not name follow in the order in which they were run.
func NewSweep(cells []CellMetrics, plan []string) *Sweep {
	s := &Sweep{}
	for _, c := range cells {
		if c.Cell.Anchor {
			s.Anchors = append(s.Anchors, c)
		} else {
			s.Cells = append(s.Cells, c)
		}
	}
	slices.SortStableFunc(s.Cells, byOrder)
	slices.SortStableFunc(s.Anchors, byOrder)
	ran := map[string]bool{}
	for i := range s.Cells {
		ran[s.Cells[i].Cell.Rung] = true
	}
	add := func(rung string) {
		if ran[rung] && !slices.Contains(s.Rungs, rung) {
			s.Rungs = append(s.Rungs, rung)
		}
	}
	for _, rung := range plan {
		add(rung)
	}
	for i := range s.Cells {
		add(s.Cells[i].Cell.Rung)
		if rate := s.Cells[i].Cell.OfferedRPS; !slices.Contains(s.Rates, rate) {
			s.Rates = append(s.Rates, rate)
		}
	}
	slices.Sort(s.Rates)
	for _, rung := range s.Rungs {
		for _, rate := range s.Rates {
			if p := s.gather(rung, rate); len(p.Cells) > 0 {
				s.Points = append(s.Points, p)
			}
		}
	}
	return s
}

func byOrder(a, b CellMetrics) int { return cmp.Compare(a.Cell.Order, b.Cell.Order) }

// Once returns what is costly to compute of the sweep, which it does when it is first asked
// for. A key is of a type of its own.
func (s *Sweep) Once(key any, compute func() any) any {
	once, _ := s.once.LoadOrStore(key, sync.OnceValue(compute))
	return once.(func() any)()
}

// All returns every cell in the order of the sweep, anchors included.
func (s *Sweep) All() []CellMetrics {
	if len(s.Anchors) == 0 {
		return s.Cells
	}
	all := slices.Concat(s.Cells, s.Anchors)
	slices.SortStableFunc(all, byOrder)
	return all
}

func (s *Sweep) gather(rung string, rate float64) Point {
	p := Point{Rung: rung, OfferedRPS: rate}
	for i := range s.Cells {
		if k := s.Cells[i].Cell.Key; k.Rung == rung && k.OfferedRPS == rate {
			p.Cells = append(p.Cells, &s.Cells[i])
		}
	}
	slices.SortStableFunc(p.Cells, func(a, b *CellMetrics) int {
		return cmp.Or(cmp.Compare(a.Cell.Seed, b.Cell.Seed), cmp.Compare(a.Cell.Replicate, b.Cell.Replicate))
	})
	return p
}

// Find returns the point of a rung at a rate, or nil.
func (s *Sweep) Find(rung string, rate float64) *Point {
	for i := range s.Points {
		if s.Points[i].Rung == rung && s.Points[i].OfferedRPS == rate {
			return &s.Points[i]
		}
	}
	return nil
}

// Of returns a rung's points, by rate.
func (s *Sweep) Of(rung string) []*Point {
	var ps []*Point
	for i := range s.Points {
		if s.Points[i].Rung == rung {
			ps = append(ps, &s.Points[i])
		}
	}
	return ps
}

// CommonRates returns the rates at which every rung has a valid cell, ascending.
func (s *Sweep) CommonRates() []float64 {
	var rates []float64
	for _, rate := range s.Rates {
		if !slices.ContainsFunc(s.Rungs, func(rung string) bool {
			p := s.Find(rung, rate)
			return p == nil || !p.Valid()
		}) {
			rates = append(rates, rate)
		}
	}
	return rates
}

// Used returns the cells that stand for the point: the valid ones, or all of
// them when none is valid.
func (p *Point) Used() []*CellMetrics {
	var valid []*CellMetrics
	for _, c := range p.Cells {
		if c.Valid() {
			valid = append(valid, c)
		}
	}
	if len(valid) == 0 {
		return p.Cells
	}
	return valid
}

// Valid reports whether at least one cell of the point is valid.
func (p *Point) Valid() bool {
	return p.ValidCells() > 0
}

// ValidCells returns how many cells of the point are valid.
func (p *Point) ValidCells() int {
	n := 0
	for _, c := range p.Cells {
		if c.Valid() {
			n++
		}
	}
	return n
}

// Seeds returns how many seeds the point has cells of.
func (p *Point) Seeds() int { return len(BySeed(p.Cells)) }

// BySeed splits cells, sorted by seed, into the replicates of each seed.
func BySeed(cells []*CellMetrics) [][]*CellMetrics {
	var groups [][]*CellMetrics
	for i, c := range cells {
		if i == 0 || c.Cell.Seed != cells[i-1].Cell.Seed {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], c)
	}
	return groups
}

// Total adds a count over the point's used cells, replicates included.
func (p *Point) Total(m Metric) int {
	total := 0.0
	for _, c := range p.Used() {
		total += m.Of(c).V
	}
	return int(total)
}

// Range is a metric over seeds.
type Range struct {
	Mean, Min, Max float64
	N              int  // seeds (or cells) in which it was measured; 0 means not measured
	Bounds         int  // of them, how many are lower bounds; then so are Mean and Max
	Thin           bool // at least one has Value.Thin
}

// Range summarises a metric over the seeds of the point's used cells. The replicates of
// a seed are averaged first: they replay one tape, so they are no further samples of
// the load, and a seed that was measured more often weighs no more than another.
func (p *Point) Range(m Metric) Range {
	var r Range
	for _, seed := range BySeed(p.Used()) {
		r.Add(Average(seed, m))
	}
	return r
}

// Average is the mean of a metric over the replicates that measured it.
func Average(replicates []*CellMetrics, m Metric) Value {
	r := RangeOf(replicates, m)
	return r.Value()
}

// Value is the mean as one value: a lower bound when one of its parts is.
func (r Range) Value() Value {
	return Value{V: r.Mean, OK: r.N > 0, Bound: r.Bounds > 0, Thin: r.Thin}
}

// RangeOf summarises a metric over cells, each for itself.
func RangeOf(cells []*CellMetrics, m Metric) Range {
	var r Range
	for _, c := range cells {
		r.Add(m.Of(c))
	}
	return r
}

// Add takes in one more value, unless it was not measured.
func (r *Range) Add(v Value) {
	if !v.OK {
		return
	}
	if r.N == 0 {
		r.Min, r.Max = v.V, v.V
	}
	r.Min, r.Max = min(r.Min, v.V), max(r.Max, v.V)
	r.N++
	r.Mean += (v.V - r.Mean) / float64(r.N)
	if v.Bound {
		r.Bounds++
	}
	r.Thin = r.Thin || v.Thin
}

// DefaultFloor is the change that counts as none where a run has nothing that says how
// far its figures repeat: 5%.
const DefaultFloor = 0.05

// Seeds returns how many seeds the sweep has valid cells of.
func (s *Sweep) Seeds() int {
	seeds := map[uint64]bool{}
	for i := range s.Cells {
		if s.Cells[i].Valid() {
			seeds[s.Cells[i].Cell.Seed] = true
		}
	}
	return len(seeds)
}

// Relative returns (max − min)/mean, null with fewer than two values.
func (r Range) Relative() results.Opt[float64] {
	if r.N < 2 || r.Mean <= 0 {
		return results.Opt[float64]{}
	}
	return results.Some((r.Max - r.Min) / r.Mean)
}
