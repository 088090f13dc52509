package analysis

import (
	"fmt"
	"math"
	"time"

	"github.com/cadence-bench/cadence-bench/results"
)

// Window is the steady window: intended arrivals in [WarmupS, EndS), in seconds
// since the start of the cell.
type Window struct {
	WarmupS float64 `json:"warmup_s"`
	EndS    float64 `json:"end_s"`
}

// WindowOf returns the steady window of a cell under the options.
func WindowOf(cell results.Cell, o Options) Window {
	w := Window{WarmupS: cell.WarmupS, EndS: cell.DurationS - o.CooldownS}
	if o.WarmupS.OK {
		w.WarmupS = o.WarmupS.V
	}
	return w
}

// Length returns the window's length in seconds, 0 when it is empty.
func (w Window) Length() float64 { return max(0, w.EndS-w.WarmupS) }

// Holds reports whether an intended arrival lies in the window.
func (w Window) Holds(intended time.Duration) bool {
	return intended >= nanos(w.WarmupS) && intended < nanos(w.EndS)
}

// String states the window, as in "arrivals from 10 s to 60 s".
func (w Window) String() string {
	return fmt.Sprintf("arrivals from %g s to %g s", w.WarmupS, w.EndS)
}

// nanos converts seconds to the records' unit. It rounds, because 0.1 s times
// 1e9 must be the tape's 100,000,000 ns.
func nanos(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }
