package checks

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/results"
)

func checkWindow(e Evidence, c *Check) {
	c.measured(float64(e.Arrivals), -float64(e.Arrivals))
	switch {
	case e.Window.Length() == 0:
		c.set(Voided, "the steady window is empty: warm-up ends at %g s, arrivals at %g s", e.Window.WarmupS, e.Window.EndS)
	case e.Arrivals == 0:
		c.set(Voided, "none of %d requests arrived in the steady window", len(e.Records))
	}
}

func checkRecord(e Evidence, c *Check) {
	violations := slices.Concat(e.Cell.Violations, results.Violations(e.Records))
	slices.Sort(violations)
	violations = slices.Compact(violations)
	c.measured(float64(len(violations)), float64(len(violations)))
	switch n := len(violations); {
	case n == 1:
		c.set(Voided, "%s", violations[0])
	case n > 1:
		c.set(Voided, "%s; and %d more", violations[0], n-1)
	}
}

func checkConservation(e Evidence, c *Check) {
	n, first := outcomeless(e.Records, e.Cell.Requests)
	c.measured(float64(n), float64(n))
	if n > 0 {
		c.set(Voided, "%d of the tape's requests do not have exactly one row, so not exactly one outcome; the first is request %d", n, first)
	}
}

// outcomeless counts the requests of the tape that have no row or several, and
// returns the first. Where the length of the tape is not known it is taken to end
// with the last request that has a row.
func outcomeless(recs []results.Record, tape results.Opt[int]) (n, first int) {
	ids := make([]int, len(recs))
	for i := range recs {
		ids[i] = int(recs[i].Request)
	}
	slices.Sort(ids)
	end := tape.V
	if !tape.OK && len(ids) > 0 {
		end = ids[len(ids)-1] + 1
	}
	count := func(more, at int) {
		if n == 0 && more > 0 {
			first = at
		}
		n += max(more, 0)
	}
	next, repeated := 0, math.MinInt
	for _, id := range ids {
		switch {
		case id >= next:
			count(id-next, next)
			next = id + 1
		case id != repeated:
			count(1, id)
			repeated = id
		}
	}
	count(end-next, next)
	return n, first
}

func checkSent(e Evidence, c *Check) {
	unsent := e.Arrivals - e.DispatchLag.N
	c.measured(float64(unsent), float64(unsent))
	if unsent > 0 {
		c.set(Voided, "%d of %d arrivals were never sent", unsent, e.Arrivals)
	}
}

func checkLag(e Evidence, c *Check) {
	p99 := e.DispatchLag
	if p99.N == 0 {
		return
	}
	c.measured(p99.Value, p99.Value)
	bound := e.MaxDispatchLagS
	late := e.late(bound)
	// Below 100 arrivals the p99 is the maximum, and one hiccup says nothing about
	// a hundredth of the load: it takes two.
	if late > max(1, e.Arrivals/100) {
		c.set(Voided, "%d of %d requests were sent more than %.0f ms late (p99 %.0f ms): the driver did not offer the load on time",
			late, e.Arrivals, bound*1e3, p99.Value*1e3)
	} else if late > 0 {
		c.set(Passed, "%d of %d were sent more than %.0f ms late", late, e.Arrivals, bound*1e3)
	}
}

func checkLoop(e Evidence, c *Check) {
	n := e.DispatchLag.N
	if n == 0 {
		return
	}
	share := float64(e.late(lateS)) / float64(n)
	c.measured(share, share)
	if share > noteLate && n >= noteLateOf {
		c.set(Noted, "%.0f%% of the requests were sent more than %.0f ms late: the loop was often busy or not scheduled", share*100, lateS*1e3)
	}
}

func checkCPU(e Evidence, c *Check) {
	u := e.Cell.Usage
	if !u.OK || u.V.WallS <= 0 || u.V.Cores <= 0 {
		return
	}
	share := u.V.CPUS / (u.V.WallS * float64(u.V.Cores))
	c.measured(share, share)
	switch {
	case u.V.EngineInside:
		c.set(Passed, "the engine's own work is in it")
	case share > maxClientCPU:
		c.set(Voided, "the load generator used %.0f%% of all cores: it was the bottleneck, or nearly", share*100)
	}
}

// checkLittle compares L, the time average of the number in the system, with λW.
// Over the whole cell, which begins and ends empty, both are an area over the
// cell's length, so that the length cancels (J. D. C. Little, Operations Research
// 9, 1961; the sample-path form needs no stationarity).
func checkLittle(e Evidence, c *Check) {
	counted := e.Cell.OutstandingS
	var inSystem float64 // Σ of the times in the system, request-seconds
	n := 0
	for i := range e.Records {
		if r := &e.Records[i]; r.Sent.OK && r.Ended.OK {
			inSystem += (r.Ended.V - r.Sent.V).Seconds()
			n++
		}
	}
	if !counted.OK || n == 0 {
		return
	}
	length := max(e.Cell.EndedS, 1e-9)
	bound := littleRel*math.Abs(inSystem) + littleS*float64(n) // in request-seconds
	off := counted.V - inSystem
	relative := off / max(inSystem, 1e-9)
	c.measured(relative, math.Abs(off)/bound)
	if math.Abs(off) > bound || math.IsNaN(off) {
		c.set(Voided, "the driver counted %.4g requests in the system on average, the records give %.4g (rate × mean time): rows are missing or their times are wrong",
			counted.V/length, inSystem/length)
	}
}

func checkProbe(e Evidence, c *Check) {
	drift, ok := ProbeDrift(e.Cell)
	if !ok {
		return
	}
	c.measured(drift, math.Abs(drift))
	if math.Abs(drift) > e.MaxProbeDrift {
		c.set(Noted, "the probe's decode rate changed by %+.0f%% during the cell", drift*100)
	}
}

func checkDisturbed(e Evidence, c *Check) {
	d := e.Cell.Disturbance.V
	if !e.Cell.Disturbance.OK || d.WallS <= 0 {
		return
	}
	var all []string
	note := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if (d.OthersS.OK || d.StolenS.OK) && d.Cores > 0 {
		capacity := d.WallS * float64(d.Cores)
		share := (d.OthersS.V + d.StolenS.V) / capacity
		c.measured(share, share)
		if share > noteTaken {
			note("other processes took %.0f%% of the machine's CPU time, and its host %.0f%%", 100*d.OthersS.V/capacity, 100*d.StolenS.V/capacity)
		}
	}
	if d.Programs > 0 {
		note("another cadence-bench was at work")
	}
	if d.ThrottledS.V > noteThrottled*d.WallS {
		note("a limit of CPU time held the process for %.1f of %.0f s", d.ThrottledS.V, d.WallS)
	}
	if d.Throttles.V > 0 {
		note("cores were slowed %d times for their heat", d.Throttles.V)
	}
	if len(all) > 0 {
		c.set(Noted, "%s (load average %.1f at the start)", strings.Join(all, "; "), d.Load1.V)
	}
}
