// Package knees says where each rung stops keeping up: where its goodput peaks, with
// an interval by resampling, and from which rate on its backlog grows. Goodput depends on
// the SLO, so the peaks are also compared at other objectives.
package knees

import (
	"slices"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// Knee is where a rung stops to keep up, told in two ways: by where its goodput peaks,
// and by where its backlog begins to grow.
type Knee struct {
	Rung string
	Peak *analysis.Point // of highest mean goodput, the lowest rate among equals; nil without a valid cell
	// Goodput is that at the peak, over seeds; GoodputLo and GoodputHi are its 95%
	// interval by resampling, in which the peak may be at any rate.
	Goodput              analysis.Range
	GoodputLo, GoodputHi float64
	// PeakLo and PeakHi are the lowest and the highest offered rate at which 95% of the
	// resampled peaks are. The rates that were run are a grid, so the peak lies between
	// Above and Below, the rates next to these; null where the grid ends.
	PeakLo, PeakHi float64
	Above, Below   results.Opt[float64]
	Seeds          int
	// StableTo is the highest stable rate below every unstable one, and UnstableFrom the
	// lowest unstable rate above every stable one; null when there is none.
	StableTo, UnstableFrom results.Opt[float64]
	Rates                  []Steadiness // of every rate of the rung, ascending
	Refuses                bool         // something was refused: such a rung need not become unstable
}

// Of returns the knee of every rung, in ladder order.
func Of(s *analysis.Sweep) []Knee {
	knees := make([]Knee, len(s.Rungs))
	peaks := PeaksOf(s)
	for i, rung := range s.Rungs {
		k := Knee{Rung: rung}
		for _, p := range s.Of(rung) {
			k.Rates = append(k.Rates, SteadinessOf(p))
			k.Refuses = k.Refuses || p.Total(analysis.Shed) > 0
		}
		k.bracket()
		k.peak(s, peaks[i])
		knees[i] = k
	}
	return knees
}

// bracket finds the rates between which the rung becomes unstable. More load does not
// make an unstable rung stable, so an unclear rate in between breaks neither side.
func (k *Knee) bracket() {
	for _, r := range k.Rates {
		if r.Verdict == Unstable {
			break
		}
		if r.Verdict == Stable {
			k.StableTo = results.Some(r.OfferedRPS)
		}
	}
	for _, r := range slices.Backward(k.Rates) {
		if r.Verdict == Stable {
			break
		}
		if r.Verdict == Unstable {
			k.UnstableFrom = results.Some(r.OfferedRPS)
		}
	}
}

func (k *Knee) peak(s *analysis.Sweep, drawn Peaks) {
	if len(drawn.Points) == 0 {
		return
	}
	k.Peak, k.Goodput, k.Seeds = drawn.Points[drawn.Best], drawn.Points[drawn.Best].Range(analysis.Goodput), len(drawn.seeds)
	k.GoodputLo, k.GoodputHi = drawn.goodput()
	lo, hi := drawn.location()
	k.PeakLo, k.PeakHi = drawn.Points[lo].OfferedRPS, drawn.Points[hi].OfferedRPS
	if lo > 0 {
		k.Above = results.Some(drawn.Points[lo-1].OfferedRPS)
	}
	if hi < len(drawn.Points)-1 {
		k.Below = results.Some(drawn.Points[hi+1].OfferedRPS)
	}
}

// Codes of what a run does not show of a rung's knee.
const (
	CodeKneeBelow = "knee-below" // nothing shows that the lowest rate is below it
	CodeKneeAbove = "knee-above" // nothing shows that the highest rate is above it
)

// Missing says by code what the run does not show of the knee, in clauses; nothing when
// it brackets it, or when the rung has no valid cell. A rung that refuses requests keeps
// its backlog bounded, so that it need not become unstable.
func (k *Knee) Missing() map[string][]string {
	missing := map[string][]string{}
	if k.Peak == nil || len(k.Rates) == 0 {
		return missing
	}
	add := func(code, clause string) { missing[code] = append(missing[code], clause) }
	if !k.Above.OK {
		add(CodeKneeBelow, "goodput may peak below the lowest rate that was run")
	}
	if !k.StableTo.OK {
		add(CodeKneeBelow, "no rate is shown to be stable")
	}
	if !k.Below.OK {
		add(CodeKneeAbove, "goodput may peak above the highest rate that was run")
	}
	if !k.UnstableFrom.OK && !k.Refuses {
		add(CodeKneeAbove, "no rate is shown to be unstable")
	}
	return missing
}
