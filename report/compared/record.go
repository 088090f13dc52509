package compared

import (
	"math"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/compare"
	"github.com/cadence-bench/cadence-bench/results"
)

// Record is a comparison for scripts. What is not known is null: so is an end
// of an interval that unanswered requests leave open.
type Record struct {
	Schema      int                  `json:"schema"`
	A           string               `json:"a"`
	B           string               `json:"b"`
	Differences []compare.Difference `json:"differences"`
	Interleaved bool                 `json:"interleaved"`
	DecodeA     results.Opt[float64] `json:"probe_decode_tokens_per_s_a"`
	DecodeB     results.Opt[float64] `json:"probe_decode_tokens_per_s_b"`
	Alone       []string             `json:"not_compared"`
	Void        []string             `json:"void"`
	Points      []PointRecord        `json:"points"`
}

// PointRecord is one rung at one rate. Duels count pairs in the order sooner in B,
// later in B, equal, open; Good those within the SLO in both, A only, B only, neither.
type PointRecord struct {
	RungA      string        `json:"rung_a"`
	RungB      string        `json:"rung_b"`
	OfferedRPS float64       `json:"offered_rps"`
	Seeds      []uint64      `json:"seeds"`
	Pairs      int           `json:"pairs"`
	Unpaired   int           `json:"unpaired"`
	Block      int           `json:"block"`
	TTFT       [4]int        `json:"ttft_duel"`
	E2E        [4]int        `json:"e2e_duel"`
	Good       [4]int        `json:"good"`
	Deltas     []DeltaRecord `json:"deltas"`
}

// DeltaRecord is one metric. Where Relative, differences are B/A − 1, else B − A in
// the metric's unit.
type DeltaRecord struct {
	Metric   string               `json:"metric"`
	Relative bool                 `json:"relative"`
	A        results.Opt[float64] `json:"a"`
	B        results.Opt[float64] `json:"b"`
	ABound   bool                 `json:"a_is_lower_bound"`
	BBound   bool                 `json:"b_is_lower_bound"`
	DeltaLo  results.Opt[float64] `json:"delta_lo"` // differs from DeltaHi where the delta is a bound
	DeltaHi  results.Opt[float64] `json:"delta_hi"`
	Lo       results.Opt[float64] `json:"ci95_lo"`
	Hi       results.Opt[float64] `json:"ci95_hi"`
	Finding  compare.Finding      `json:"finding"`
	Reason   string               `json:"reason"`
	Smallest results.Opt[float64] `json:"could_have_shown"`
}

// RecordOf is the comparison as data.
func RecordOf(c *compare.Comparison, a, b results.Manifest) Record {
	r := Record{
		Schema: results.SchemaVersion, A: c.A, B: c.B, Differences: append([]compare.Difference{}, compare.Differences(a, b)...),
		Interleaved: c.Interleaved, DecodeA: meanOf(c.SpeedA.Decode), DecodeB: meanOf(c.SpeedB.Decode),
		Alone: append([]string{}, c.Matching.Alone...), Void: append([]string{}, c.Matching.Void...),
	}
	for _, p := range c.Points {
		point := PointRecord{
			RungA: p.RungA, RungB: p.RungB, OfferedRPS: p.OfferedRPS, Seeds: p.Seeds, Pairs: p.Requests, Unpaired: p.Unpaired, Block: p.Block,
			TTFT: fates(p.TTFT), E2E: fates(p.E2E), Good: [4]int{p.Good.Both, p.Good.OnlyA, p.Good.OnlyB, p.Good.Neither},
			Deltas: []DeltaRecord{},
		}
		for _, d := range p.Deltas {
			point.Deltas = append(point.Deltas, deltaRecord(d))
		}
		r.Points = append(r.Points, point)
	}
	return r
}

func fates(d compare.Duel) [4]int { return [4]int{d.Sooner, d.Later, d.Tie, d.Unresolved} }

func meanOf(r analysis.Range) results.Opt[float64] {
	return results.Opt[float64]{V: r.Mean, OK: r.N > 0}
}

func deltaRecord(d compare.Delta) DeltaRecord {
	number := func(v float64) results.Opt[float64] {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return results.Opt[float64]{}
		}
		if d.Relative {
			v = math.Expm1(v)
		}
		return results.Some(v)
	}
	return DeltaRecord{
		Metric: d.Key, Relative: d.Relative, A: meanOf(d.A), B: meanOf(d.B), ABound: d.A.Bounds > 0, BBound: d.B.Bounds > 0,
		DeltaLo: number(d.Point.Lo), DeltaHi: number(d.Point.Hi), Lo: number(d.Interval.Lo), Hi: number(d.Interval.Hi),
		Finding: d.Finding, Reason: d.Reason, Smallest: number(d.Smallest),
	}
}
