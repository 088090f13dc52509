package latency

import (
	"fmt"
	"math"
	"time"
)

// Window is the steady window: intended arrivals in [WarmupS, EndS), in seconds
// since the start of the cell.
type Window struct {
	WarmupS float64 `json:"warmup_s"`
	EndS    float64 `json:"end_s"`
}

// Length returns the window's length in seconds, 0 when it is empty.
func (w Window) Length() float64 { return max(0, w.EndS-w.WarmupS) }

// Holds reports whether an intended arrival lies in the window.
func (w Window) Holds(intended time.Duration) bool {
	return intended >= Nanos(w.WarmupS) && intended < Nanos(w.EndS)
}

// String states the window, as in "arrivals from 10 s to 60 s".
func (w Window) String() string {
	return fmt.Sprintf("arrivals from %g s to %g s", w.WarmupS, w.EndS)
}

// Nanos converts seconds to the records' unit. It rounds, because 0.1 s times
// 1e9 must be the tape's 100,000,000 ns.
func Nanos(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }
