package analysis

import (
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/latency"
)

// SLOFactors are the multiples of the SLO at which goodput is counted again. The
// objective is a choice, so what a ladder shows must not hang on it.
func SLOFactors() []float64 { return []float64{0.5, 1, 2, 4, 8} }

// AtSLO is a cell's goodput at another objective, from the same rows.
type AtSLO struct {
	Factor float64 // of the cell's SLO
	SLOS   float64 // seconds
	Good   int     // arrivals of the steady window that completed within it
	// Undecided gave up earlier, so that nobody knows. A client that gave up after the
	// objective was over missed it, and so did a request that was refused or failed.
	Undecided int
}

func atSLOs(arrivals []arrived, sloS float64) []AtSLO {
	var all []AtSLO
	for _, factor := range SLOFactors() {
		a := AtSLO{Factor: factor, SLOS: factor * sloS}
		slo := latency.Nanos(a.SLOS)
		for _, one := range arrivals {
			if !one.e2e.Censored && latency.Nanos(one.e2e.Value) <= slo {
				a.Good++
			}
		}
		a.Undecided = undecided(arrivals, slo)
		all = append(all, a)
	}
	return all
}

// undecided counts the arrivals that were given up before the objective was over.
func undecided(arrivals []arrived, slo time.Duration) (n int) {
	for _, one := range arrivals {
		if one.e2e.Censored && one.e2e.Value < slo.Seconds() {
			n++
		}
	}
	return n
}
