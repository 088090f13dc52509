package chartdata

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
)

// load is a rate that a chart shows, and why.
type load struct {
	rate float64
	why  string
}

// contrast is the rate at which latency over time says most: analysis's choice
// when a rung is overloaded there, else the highest that every rung has.
func contrast(s *analysis.Sweep) (l load, ok bool) {
	if l.rate, l.why, ok = knees.ContrastRate(s); !ok {
		return l, false
	}
	if len(beyond(s, l.rate)) == 0 {
		common := s.CommonRates()
		l = load{common[len(common)-1], "the highest rate that every rung has"}
	}
	return l, true
}

// beyond returns the rungs whose goodput peaks below a rate.
func beyond(s *analysis.Sweep, rate float64) (rungs []string) {
	for _, h := range knees.Headlines(s) {
		if h.Peak != nil && h.Peak.OfferedRPS < rate {
			rungs = append(rungs, h.Rung)
		}
	}
	return rungs
}

// kneeAndBeyond are the common rate nearest below the peak of the best rung (that of
// the highest goodput), and the next one, where it too is overloaded, if there is one.
func kneeAndBeyond(s *analysis.Sweep) []load {
	common := s.CommonRates()
	best := knees.Headline{}
	for _, h := range knees.Headlines(s) {
		if h.Peak != nil && (best.Peak == nil || h.Goodput.Mean > best.Goodput.Mean) {
			best = h
		}
	}
	if len(common) == 0 || best.Peak == nil {
		return nil
	}
	at := 0
	for i, rate := range common {
		if rate <= best.Peak.OfferedRPS {
			at = i
		}
	}
	loads := []load{{common[at], fmt.Sprintf("goodput of %s peaks", best.Rung)}}
	if at+1 < len(common) {
		loads = append(loads, load{common[at+1], fmt.Sprintf("beyond the peak of %s", best.Rung)})
	}
	return loads
}

// sharedSeed returns each rung's valid cell at a rate, all of one seed, the lowest
// that there is, so that they replay one tape; nil if there is none.
func sharedSeed(s *analysis.Sweep, rate float64) []*analysis.CellMetrics {
	used := func(rung string) []*analysis.CellMetrics {
		if p := s.Find(rung, rate); p != nil {
			return p.Used()
		}
		return nil
	}
	if len(s.Rungs) == 0 {
		return nil
	}
	for _, first := range used(s.Rungs[0]) {
		var cells []*analysis.CellMetrics
		for _, rung := range s.Rungs {
			of := used(rung)
			if i := slices.IndexFunc(of, func(c *analysis.CellMetrics) bool { return c.Cell.Seed == first.Cell.Seed }); i >= 0 {
				cells = append(cells, of[i])
			}
		}
		if len(cells) == len(s.Rungs) {
			return cells
		}
	}
	return nil
}

// stride is how many rows apart those are that a chart draws, so that it draws at
// most limit of n.
func stride(n, limit int) int { return max(1, (n+limit-1)/limit) }

// thinned says in a fact that only some were drawn.
func thinned(step int, what string) []string {
	if step == 1 {
		return nil
	}
	return []string{fmt.Sprintf("only every %s %s is drawn", ordinal(step), what)}
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

func overloadedFact(rungs []string) []string {
	if len(rungs) == 0 {
		return nil
	}
	return []string{"past their peaks of goodput: " + strings.Join(rungs, ", ")}
}
