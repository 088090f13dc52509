package analysis

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Backlog is how many requests a cell still owed an answer over the steady window,
// and whether they became more.
type Backlog struct {
	OK   bool    // false when the window is too short or has no arrivals
	Mean float64 // time average of the requests owed
	// Growth is by how much the backlog grew from the window's beginning to its end, as
	// a share of the arrivals: the share of the load that the rung did not keep up with.
	// Lo and Hi bound it with 95% confidence; they may be infinite.
	Growth, Lo, Hi float64
	P              float64 // of no trend
	Blocks         int     // independent parts of the window, of which it was told
}

// backlogParts is into how many equal parts the steady window is cut; TrendOf averages
// them into fewer where they depend on each other.
const backlogParts = 40

// backlogOf measures the backlog over the window. A request is owed from its intended
// arrival until it was answered, refused, cancelled or failed. One whose client gave
// up was never served, so it stays: or else a queue whose clients leave after a while
// would look stable.
func backlogOf(w latency.Window, recs []results.Record, arrivals int) Backlog {
	length := w.Length()
	if length <= 0 || arrivals == 0 {
		return Backlog{}
	}
	part := length / backlogParts
	at, owed := make([]float64, backlogParts), make([]float64, backlogParts)
	for i := range at {
		at[i] = (float64(i) + 0.5) / backlogParts
	}
	for i := range recs {
		r := &recs[i]
		from, to := r.Intended.Seconds()-w.WarmupS, math.Inf(1)
		if r.Ended.OK && r.Outcome != results.TimedOut {
			to = r.Ended.V.Seconds() - w.WarmupS
		}
		for k := max(0, int(from/part)); k < backlogParts && float64(k)*part < to; k++ {
			begin := float64(k) * part
			owed[k] += max(0, min(to, begin+part)-max(from, begin)) / part
		}
	}
	mean := 0.0
	for i, n := range owed {
		mean += n / backlogParts
		owed[i] = math.Round(n*1e9) / 1e9 // rounding errors have an order too, which is no trend
	}
	t, ok := stats.TrendOf(at, owed)
	share := 1 / float64(arrivals)
	return Backlog{OK: ok, Mean: mean, Growth: t.Slope * share, Lo: t.Lo * share, Hi: t.Hi * share, P: t.P, Blocks: t.Blocks}
}

// Answered is which of a cell's arrivals were good, in the order of arrival, and how
// many in a row depend on each other: what resampling the cell's goodput needs.
type Answered struct {
	Good  []bool
	Block int // of requests, as stats.BlockLength has it for the ranks of their E2E
}

// arrived is one request of the steady window as goodput counts it.
type arrived struct {
	at   time.Duration
	e2e  stats.Observation // a refused or failed request never ends well: its bound is infinite
	good bool
}

func answeredOf(arrivals []arrived) Answered {
	if !slices.IsSortedFunc(arrivals, byTime) {
		arrivals = slices.Clone(arrivals)
		slices.SortStableFunc(arrivals, byTime)
	}
	a := Answered{Good: make([]bool, len(arrivals))}
	series := make([]float64, len(arrivals))
	for i, one := range arrivals {
		a.Good[i], series[i] = one.good, one.e2e.Upper()
	}
	a.Block = stats.BlockLength(stats.Ranks(series))
	return a
}

func byTime(a, b arrived) int { return cmp.Compare(a.at, b.at) }
