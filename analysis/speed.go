package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// CodeSlow: the idle engine was slower beside the cell than elsewhere or before. Probes of
// one cell agree where a disturbance lasts for all of it.
const CodeSlow = "slow-machine"

// MaxSlowdown is how much slower a probe may be than what it is compared with. It is twice
// what a cell's own probes may differ by: probes of other cells are minutes away.
const MaxSlowdown = 0.2

// judgeSpeed warns of cells beside which the machine was slower than at the run's start,
// than beside other cells, or than its calibration says. A simulated machine keeps its
// speed.
func judgeSpeed(cells []CellMetrics, calibrated results.Opt[results.Probe]) {
	slices.SortStableFunc(cells, byOrder)
	speeds := map[string][]float64{} // in the order of the run, by the engine's settings
	first := ""
	for i := range cells {
		if engine, v, ok := probed(&cells[i]); ok {
			speeds[engine] = append(speeds[engine], v)
			first = cmp.Or(first, engine)
		}
	}
	for i := range cells {
		engine, v, ok := probed(&cells[i])
		if !ok {
			continue
		}
		var slower []string
		against := func(what string, was float64) {
			if v < (1-MaxSlowdown)*was {
				slower = append(slower, fmt.Sprintf("%.0f%% slower than %s (%.3g)", 100*(1-v/was), what, was))
			}
		}
		against("at the run's start", speeds[engine][0])
		against("beside the median cell", stats.Median(slices.Sorted(slices.Values(speeds[engine]))))
		if engine == first {
			against("its calibration says", calibrated.V.DecodeTokensPerS)
		}
		if len(slower) > 0 {
			cells[i].Warnings = append(cells[i].Warnings, Warning{CodeSlow,
				fmt.Sprintf("the idle engine decoded %.3g tokens/s before the cell, %s", v, strings.Join(slower, ", "))})
		}
	}
}

// probed is the speed of the idle engine before a cell, and with which of its settings.
func probed(m *CellMetrics) (engine string, tokensPerS float64, ok bool) {
	c := &m.Cell
	if c.StartedAt.IsZero() || !c.ProbeBefore.OK {
		return "", 0, false
	}
	var settings []string
	for _, name := range []string{"threads", "threads_batch", "kv_layout", "flash_attn"} {
		settings = append(settings, name+" "+c.Params[name])
	}
	return strings.Join(settings, ", "), c.ProbeBefore.V.DecodeTokensPerS, true
}
