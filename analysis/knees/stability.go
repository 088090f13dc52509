package knees

import (
	"math"

	"github.com/cadence-bench/cadence-bench/analysis"
)

// Stability says whether a rung keeps up with an offered rate.
type Stability uint8

const (
	Unclear  Stability = iota // the sample cannot tell
	Stable                    // the backlog does not grow
	Unstable                  // it does, by more than a queue that is still filling
)

// String names the verdict as tables do.
func (s Stability) String() string { return [...]string{"unclear", "stable", "unstable"}[s] }

const (
	// leastGrowth is the share of the arrivals from which a growing backlog counts: the
	// steady window begins while queues still fill, so a little growth is no overload.
	leastGrowth = 0.02
	// mostGrowth is what the interval of a stable rate's growth stays below. A window of
	// n arrivals leaves about 1/√n of it open, so a much smaller one could not be shown
	// of cells of a few hundred requests.
	mostGrowth = 0.05
)

// Steadiness is the backlog's course at one rung and rate, over the used cells.
type Steadiness struct {
	Rung       string
	OfferedRPS float64
	Cells      int     // of which the backlog's course is known
	Backlog    float64 // mean requests owed
	// Growth is the mean of the cells' Backlog.Growth; Lo and Hi its 95% interval, as
	// of independent cells.
	Growth, Lo, Hi float64
	Verdict        Stability
}

// SteadinessOf judges the point: unstable when the interval of the backlog's growth is
// above zero and the growth at least leastGrowth of the arrivals; stable when that
// interval ends below mostGrowth; otherwise nobody can tell.
func SteadinessOf(p *analysis.Point) Steadiness {
	s := Steadiness{Rung: p.Rung, OfferedRPS: p.OfferedRPS}
	var below, above float64 // sums of squares of the half intervals
	for _, c := range p.Used() {
		b := c.Backlog
		if !b.OK {
			continue
		}
		s.Cells++
		s.Backlog += b.Mean
		s.Growth += b.Growth
		below += (b.Growth - b.Lo) * (b.Growth - b.Lo)
		above += (b.Hi - b.Growth) * (b.Hi - b.Growth)
	}
	if s.Cells == 0 {
		return s
	}
	n := float64(s.Cells)
	s.Backlog /= n
	s.Growth /= n
	s.Lo, s.Hi = s.Growth-math.Sqrt(below)/n, s.Growth+math.Sqrt(above)/n
	switch {
	case s.Lo > 0 && s.Growth >= leastGrowth:
		s.Verdict = Unstable
	case s.Hi < mostGrowth:
		s.Verdict = Stable
	}
	return s
}
