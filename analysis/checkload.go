package analysis

import (
	"math"

	"github.com/cadence-bench/cadence-bench/loadgen"
)

// fit compares the intended arrivals, warm-up included, with the process that the
// cell says they come from. ok is false when it names none that can be compared.
func (e evidence) fit() (f loadgen.Fit, ok bool) {
	cell := e.m.Cell
	process, err := loadgen.ParseArrivals(cell.Arrivals)
	if err != nil || !(cell.OfferedRPS > 0) {
		return f, false
	}
	return process.Fit(intended(e.recs), cell.OfferedRPS, nanos(cell.DurationS)), true
}

func checkGaps(e evidence, c *Check) {
	f, ok := e.fit()
	if !ok || math.IsNaN(f.P) {
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
	f, ok := e.fit()
	if !ok || math.IsNaN(f.DispersionP) {
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

// checkRate compares counts. A renewal process counts with a variance of CV² per
// expected arrival, as the number grows: its mean, for a Poisson process.
func checkRate(e evidence, c *Check) {
	cell, w := e.m.Cell, e.m.Window
	process, err := loadgen.ParseArrivals(cell.Arrivals)
	if err != nil || !(cell.OfferedRPS > 0) || !(w.Length() > 0) {
		return
	}
	units := func(at float64) float64 { return process.Units(nanos(at), cell.OfferedRPS, nanos(cell.DurationS)) }
	want := units(w.EndS) - units(w.WarmupS)
	sd := math.Sqrt(want) * process.CV()
	if !(sd > 0) {
		return
	}
	off := (float64(e.m.Arrivals) - want) / sd
	c.measured(off, math.Abs(off))
	if math.Abs(off) > noteSD {
		c.say(Noted, "%d arrivals in the window where %.0f were nominal, more than %d standard deviations apart", e.m.Arrivals, want, noteSD)
	}
}
