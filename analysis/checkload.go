package analysis

import (
	"math"

	"github.com/cadence-bench/cadence-bench/loadgen"
)

// fit compares the intended arrivals, warm-up included, with the process that the
// cell says they come from.
func (e evidence) fit() loadgen.Fit {
	cell := e.m.Cell
	return loadgen.FitPoisson(intended(e.recs), cell.OfferedRPS, nanos(cell.DurationS))
}

func checkGaps(e evidence, c *Check) {
	f := e.fit()
	if math.IsNaN(f.P) || e.m.Cell.OfferedRPS <= 0 {
		return
	}
	c.measured(f.P, -f.P)
	switch {
	case f.P < voidP:
		c.say(Voided, "the gaps between arrivals are not those of the intended process (KS distance %.3f over %d gaps, p = %.2g)", f.KS, f.Arrivals, f.P)
	case f.P < noteP:
		c.say(Noted, "the gaps between arrivals are an unlikely draw of the intended process (KS distance %.3f over %d gaps, p = %.2g)", f.KS, f.Arrivals, f.P)
	default:
		c.say(Passed, "KS distance %.3f over %d gaps", f.KS, f.Arrivals)
	}
}

func checkDispersion(e evidence, c *Check) {
	f := e.fit()
	if math.IsNaN(f.DispersionP) || e.m.Cell.OfferedRPS <= 0 {
		return
	}
	c.measured(f.Dispersion, -f.DispersionP)
	kind := "bursts"
	if f.Dispersion < 1 {
		kind = "a regularity"
	}
	switch {
	case f.DispersionP < voidP:
		c.say(Voided, "the arrivals have %s that the intended process has not (index of dispersion %.2f, p = %.2g)", kind, f.Dispersion, f.DispersionP)
	case f.DispersionP < noteP:
		c.say(Noted, "the arrivals have %s that is an unlikely draw of the intended process (index of dispersion %.2f, p = %.2g)", kind, f.Dispersion, f.DispersionP)
	default:
		c.say(Passed, "p = %.2g", f.DispersionP)
	}
}

// checkRate compares counts: a Poisson count has its mean as its variance.
func checkRate(e evidence, c *Check) {
	want := e.m.Cell.OfferedRPS * e.m.Window.Length()
	if want <= 0 {
		return
	}
	off := (float64(e.m.Arrivals) - want) / math.Sqrt(want)
	c.measured(off, math.Abs(off))
	if math.Abs(off) > noteSD {
		c.say(Noted, "%d arrivals in the window where %.0f were nominal, more than %d standard deviations apart", e.m.Arrivals, want, noteSD)
	}
}
