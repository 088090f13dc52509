package checks

import (
	"math"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/results"
)

// process is what the cell says its arrivals come from, and their rate. ok is false
// when it names none that they can be compared with.
func (e Evidence) process() (a arrival.Process, rps float64, ok bool) {
	cell := e.Cell
	a, err := loadgen.ParseArrivals(cell.Arrivals)
	rps = cell.OfferedRPS
	if cell.ArrivalRPS.OK {
		rps = cell.ArrivalRPS.V
	} else if slices.ContainsFunc(e.Records, func(r results.Record) bool { return r.Turn.V > 0 }) {
		return a, 0, false
	}
	return a, rps, err == nil && rps > 0
}

// fit compares the intended arrivals, warm-up included, with their process.
func (e Evidence) fit() (f arrival.Fit, ok bool) {
	a, rps, ok := e.process()
	if !ok {
		return f, false
	}
	return a.Fit(arrivals(e.Records), rps, latency.Nanos(e.Cell.DurationS)), true
}

// arrivals returns when those requests came that came by themselves, in order: all
// but the later turns of conversations.
func arrivals(recs []results.Record) []time.Duration {
	at := make([]time.Duration, 0, len(recs))
	for i := range recs {
		if recs[i].Turn.V == 0 {
			at = append(at, recs[i].Intended)
		}
	}
	slices.Sort(at)
	return at
}

func checkGaps(e Evidence, c *Check) {
	f, ok := e.fit()
	if !ok || math.IsNaN(f.P) {
		return
	}
	c.measured(f.P, -f.P)
	switch {
	case f.P < voidP:
		c.set(Voided, "the gaps between arrivals are not those of the intended process (KS distance %.3f over %d gaps, p = %.2g)", f.KS, f.Arrivals, f.P)
	case f.P < noteP:
		c.set(Noted, "the gaps between arrivals are an unlikely draw of the intended process (KS distance %.3f over %d gaps, p = %.2g)", f.KS, f.Arrivals, f.P)
	default:
		c.set(Passed, "KS distance %.3f over %d gaps", f.KS, f.Arrivals)
	}
}

func checkDispersion(e Evidence, c *Check) {
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
		c.set(Voided, "the arrivals have %s that the intended process has not (index of dispersion %.2f, p = %.2g)", kind, f.Dispersion, f.DispersionP)
	case f.DispersionP < noteP:
		c.set(Noted, "the arrivals have %s that is an unlikely draw of the intended process (index of dispersion %.2f, p = %.2g)", kind, f.Dispersion, f.DispersionP)
	default:
		c.set(Passed, "p = %.2g", f.DispersionP)
	}
}

// checkRate compares counts. A renewal process counts with a variance of CV² per
// expected arrival, as the number grows: its mean, for a Poisson process.
func checkRate(e Evidence, c *Check) {
	w, d := e.Window, latency.Nanos(e.Cell.DurationS)
	process, rps, ok := e.process()
	if !ok || !(w.Length() > 0) {
		return
	}
	n := 0
	for _, at := range arrivals(e.Records) {
		if w.Holds(at) {
			n++
		}
	}
	units := func(at float64) float64 { return process.Units(latency.Nanos(at), rps, d) }
	want := units(w.EndS) - units(w.WarmupS)
	sd := math.Sqrt(want) * process.CV()
	if !(sd > 0) {
		return
	}
	off := (float64(n) - want) / sd
	c.measured(off, math.Abs(off))
	if math.Abs(off) > noteSD {
		c.set(Noted, "%d arrivals in the window where %.0f were nominal, more than %d standard deviations apart", n, want, noteSD)
	}
}
