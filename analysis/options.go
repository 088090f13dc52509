package analysis

import (
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/results"
)

// Options are the choices of an analysis. The zero value takes the cell's own
// warm-up and SLO, no cooldown, and the default bounds.
type Options struct {
	// WarmupS replaces the cell's own warm-up, in seconds.
	WarmupS results.Opt[float64]
	// CooldownS cuts the last seconds of arrivals, which drain on an engine that
	// nothing new arrives at.
	CooldownS float64
	// SLOS replaces the cell's own E2E objective, in seconds; 0 keeps it.
	SLOS float64
	// MaxDispatchLagS is the p99 of sent − intended above which a cell is
	// invalid, in seconds; 0 means DefaultMaxDispatchLagS.
	MaxDispatchLagS float64
	// MaxProbeDrift is the relative difference between the probes before and
	// after a cell above which it carries a warning; 0 means DefaultMaxProbeDrift.
	MaxProbeDrift float64
}

func (o Options) maxDispatchLag() float64 {
	if o.MaxDispatchLagS > 0 {
		return o.MaxDispatchLagS
	}
	return checks.DefaultMaxDispatchLagS
}

func (o Options) maxProbeDrift() float64 {
	if o.MaxProbeDrift > 0 {
		return o.MaxProbeDrift
	}
	return checks.DefaultMaxProbeDrift
}

func (o Options) slo(cell results.Cell) float64 {
	if o.SLOS > 0 {
		return o.SLOS
	}
	return cell.SLOS
}

// WindowOf returns the steady window of a cell under the options.
func WindowOf(cell results.Cell, o Options) latency.Window {
	w := latency.Window{WarmupS: cell.WarmupS, EndS: cell.DurationS - o.CooldownS}
	if o.WarmupS.OK {
		w.WarmupS = o.WarmupS.V
	}
	return w
}
