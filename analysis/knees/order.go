package knees

import (
	"cmp"
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/unit"
)

// SLOPeak is a rung's highest goodput at one objective.
type SLOPeak struct {
	Rung       string
	OfferedRPS float64 // where it is; the lowest rate among equals
	Seeds      int
	// Goodput is the mean over seeds, in requests per second. Most is what it would be
	// at the best rate if everything undecided had ended well; the two differ only
	// above the timeout.
	Goodput, Most float64
	perSeed       map[uint64]float64 // at OfferedRPS
}

// SLORow is every rung's peak at one objective, in ladder order; a rung without a valid
// cell has no seeds.
type SLORow struct {
	Factor float64
	SLOS   float64
	Peaks  []SLOPeak
}

// SLORows counts the peaks of goodput again at every factor of the SLO. Cells with
// different SLOs each keep to their own; SLOS is then the first one's.
func SLORows(s *analysis.Sweep) []SLORow {
	var rows []SLORow
	for i, factor := range analysis.SLOFactors() {
		row := SLORow{Factor: factor}
		for _, rung := range s.Rungs {
			peak := SLOPeak{Rung: rung}
			for _, p := range s.Of(rung) {
				if p.Valid() {
					peak.take(p, i)
					row.SLOS = p.Used()[0].AtSLO[i].SLOS
				}
			}
			row.Peaks = append(row.Peaks, peak)
		}
		rows = append(rows, row)
	}
	return rows
}

func (k *SLOPeak) take(p *analysis.Point, factor int) {
	good := atFactor(factor, func(a analysis.AtSLO) int { return a.Good })
	most := atFactor(factor, func(a analysis.AtSLO) int { return a.Good + a.Undecided })
	r := p.Range(good)
	k.Most = max(k.Most, p.Range(most).Mean)
	if r.N == 0 || k.Seeds > 0 && r.Mean <= k.Goodput {
		return
	}
	k.OfferedRPS, k.Goodput, k.Seeds, k.perSeed = p.OfferedRPS, r.Mean, r.N, map[uint64]float64{}
	for _, replicates := range analysis.BySeed(p.Used()) {
		if v := analysis.Average(replicates, good); v.OK {
			k.perSeed[replicates[0].Cell.Seed] = v.V
		}
	}
}

// atFactor is a count of arrivals at a factor of the SLO, per second of the window.
func atFactor(factor int, of func(analysis.AtSLO) int) analysis.Metric {
	return analysis.Metric{Unit: unit.PerSecond, Better: analysis.Higher, Of: func(m *analysis.CellMetrics) analysis.Value {
		if m.Window.Length() <= 0 || len(m.AtSLO) <= factor {
			return analysis.Value{}
		}
		return analysis.Value{V: float64(of(m.AtSLO[factor])) / m.Window.Length(), OK: true}
	}}
}

// Ahead reports whether a is clearly ahead of b: by more than DefaultFloor of b, and in
// every seed that both have. What is undecided counts against a and for b.
func Ahead(a, b SLOPeak) bool {
	if a.Seeds == 0 || b.Seeds == 0 || a.Goodput <= b.Most*(1+analysis.DefaultFloor) {
		return false
	}
	for seed, goodput := range a.perSeed {
		if other, both := b.perSeed[seed]; both && goodput <= other {
			return false
		}
	}
	return true
}

// Order returns the rungs of a row that have a peak by its height, the highest first.
func (r *SLORow) Order() []string {
	var peaks []SLOPeak
	for _, p := range r.Peaks {
		if p.Seeds > 0 {
			peaks = append(peaks, p)
		}
	}
	slices.SortStableFunc(peaks, func(a, b SLOPeak) int { return cmp.Compare(b.Goodput, a.Goodput) })
	names := make([]string, len(peaks))
	for i, p := range peaks {
		names[i] = p.Rung
	}
	return names
}

// Swap is a pair of rungs that change places: A is clearly ahead at some objectives and
// B at others.
type Swap struct {
	A, B           string
	AAhead, BAhead []float64 // factors
}

// Swaps returns the pairs that clearly change places, by ladder order.
func Swaps(rows []SLORow) []Swap {
	var swaps []Swap
	if len(rows) == 0 {
		return nil
	}
	for i := range rows[0].Peaks {
		for j := i + 1; j < len(rows[0].Peaks); j++ {
			s := Swap{A: rows[0].Peaks[i].Rung, B: rows[0].Peaks[j].Rung}
			for _, row := range rows {
				if Ahead(row.Peaks[i], row.Peaks[j]) {
					s.AAhead = append(s.AAhead, row.Factor)
				}
				if Ahead(row.Peaks[j], row.Peaks[i]) {
					s.BAhead = append(s.BAhead, row.Factor)
				}
			}
			if s.AAhead != nil && s.BAhead != nil {
				swaps = append(swaps, s)
			}
		}
	}
	return swaps
}

// ToldApart reports whether some rung is clearly ahead of another.
func (r *SLORow) ToldApart() bool {
	return slices.ContainsFunc(r.Peaks, func(a SLOPeak) bool {
		return slices.ContainsFunc(r.Peaks, func(b SLOPeak) bool { return Ahead(a, b) })
	})
}
