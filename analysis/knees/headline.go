package knees

import (
	"fmt"

	"github.com/cadence-bench/cadence-bench/analysis"
)

// Headline is a rung in one line.
type Headline struct {
	Rung string
	// Peak is the point of highest mean goodput (the lowest rate among equals)
	// among the valid ones; nil when there is none.
	Peak    *analysis.Point
	Goodput analysis.Range
	// Gain is Goodput's mean over that of the rung below; 0 when there is no
	// rung below or its goodput is zero.
	Gain float64
	// TTFT is the median TTFT at the peak.
	TTFT analysis.Range
	// Tail is p99 E2E at the highest rate that every rung has, and TailRPS that
	// rate; Tail.N is 0 when there is none.
	Tail    analysis.Range
	TailRPS float64
}

// Headlines returns one line per rung, in ladder order.
func Headlines(s *analysis.Sweep) []Headline {
	var hs []Headline
	common := s.CommonRates()
	below := 0.0
	for _, rung := range s.Rungs {
		h := Headline{Rung: rung}
		for _, p := range s.Of(rung) {
			if !p.Valid() {
				continue
			}
			if g := p.Range(analysis.Goodput); h.Peak == nil || g.Mean > h.Goodput.Mean {
				h.Peak, h.Goodput, h.TTFT = p, g, p.Range(analysis.TTFTP50)
			}
		}
		if below > 0 {
			h.Gain = h.Goodput.Mean / below
		}
		below = h.Goodput.Mean
		if len(common) > 0 {
			h.TailRPS = common[len(common)-1]
			h.Tail = s.Find(rung, h.TailRPS).Range(analysis.E2EP99)
		}
		hs = append(hs, h)
	}
	return hs
}

// Holding is the attainment from which a rung counts as holding a rate.
const Holding = 0.9

// ContrastRate chooses the rate at which latency over time says most: the highest
// common rate that the best rung (the one of highest peak goodput) still holds,
// with an attainment of at least Holding. If it holds none, it is the common rate
// nearest below its peak, or the lowest. why says which; ok is false when the
// rungs share no rate.
func ContrastRate(s *analysis.Sweep) (rate float64, why string, ok bool) {
	common := s.CommonRates()
	if len(common) == 0 {
		return 0, "", false
	}
	best := Headline{}
	for _, h := range Headlines(s) {
		if best.Peak == nil || h.Goodput.Mean > best.Goodput.Mean {
			best = h
		}
	}
	for i := len(common) - 1; i >= 0; i-- {
		if a := s.Find(best.Rung, common[i]).Range(analysis.Attainment); a.N > 0 && a.Mean >= Holding {
			return common[i], fmt.Sprintf("the highest rate at which %s still answers %.0f%% of arrivals within the SLO", best.Rung, Holding*100), true
		}
	}
	rate = common[0]
	for _, r := range common {
		if r <= best.Peak.OfferedRPS {
			rate = r
		}
	}
	return rate, fmt.Sprintf("where the goodput of %s peaks, as it holds no common rate", best.Rung), true
}
