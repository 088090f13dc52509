package arrival

import (
	"fmt"
	"math"
	"time"
)

// profile is how the rate moves over a cell, up to a factor: processes scale it
// so that its mean over the cell is 1.
type profile interface {
	// area is the integral of the rate over [0, t] seconds of a cell of d seconds.
	area(t, d float64) float64
	check(d time.Duration) error
}

// ramp goes in a straight line from one factor at the start to another at the end.
type ramp struct{ from, to float64 }

func (r ramp) area(t, d float64) float64 { return r.from*t + (r.to-r.from)*t*t/(2*d) }
func (r ramp) check(time.Duration) error {
	if r.from == 0 && r.to == 0 {
		return fmt.Errorf("from and to are both 0: there would be no arrivals")
	}
	return nil
}

// pulse is a factor during [at, at+lasting) and 1 outside of it.
type pulse struct {
	at, lasting time.Duration
	to          float64
}

func (p pulse) area(t, _ float64) float64 {
	return t + (p.to-1)*min(max(t-p.at.Seconds(), 0), p.lasting.Seconds())
}

func (p pulse) check(d time.Duration) error {
	switch {
	case p.at >= d:
		return fmt.Errorf("at=%v is not within the duration, %v", p.at, d)
	case p.area(d.Seconds(), 0) <= 0:
		return fmt.Errorf("to=%g from at=%v on leaves no arrivals", p.to, p.at)
	}
	return nil
}

// forever is a pulse without an end: longer than any cell.
const forever = time.Duration(math.MaxInt64)

// diurnal is 1 − depth·cos(2πt/period): lowest at the start, highest half a period
// later.
type diurnal struct {
	period time.Duration
	depth  float64
}

func (w diurnal) area(t, _ float64) float64 {
	turn := 2 * math.Pi / w.period.Seconds()
	return t - w.depth*math.Sin(turn*t)/turn
}
func (w diurnal) check(time.Duration) error { return nil }

// when returns the time in [0, d] at which p's area is a, by bisection to the
// limit of a float64. The area never decreases, and so equal or larger areas are
// never earlier.
func when(p profile, a, d float64) float64 {
	lo, hi := 0.0, d
	for {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			return hi
		}
		if p.area(mid, d) < a {
			lo = mid
		} else {
			hi = mid
		}
	}
}
