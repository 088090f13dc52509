package promise

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Pace is how evenly a policy takes requests, second by second. One that chatters takes
// many, then none, then many again: its pace then has a strongly negative correlation
// with itself some seconds later. Arrivals by chance have none.
type Pace struct {
	// PerSecond is how many requests were taken in each whole second of the window.
	PerSecond []int
	// Next is the autocorrelation at one second, and Lowest the most negative at
	// 1 … paceLags seconds, which is reached at LowestAt. Null when the window is
	// shorter than 4 × paceLags seconds, or the pace never varies.
	Next, Lowest results.Opt[float64]
	LowestAt     int
	// Noise is how low the lowest of paceLags autocorrelations of an uncorrelated
	// series of this length is in one case of twenty, by the normal approximation.
	Noise float64
}

// paceLags is how many seconds on the pace is compared with itself: a few SLOs.
const paceLags = 10

func paceOf(in []*results.Record, w latency.Window) Pace {
	p := Pace{PerSecond: make([]int, int(w.Length()))}
	x := make([]float64, len(p.PerSecond))
	for _, r := range in {
		second := int(r.Intended.Seconds() - w.WarmupS)
		if r.Admission.V.Admitted && second < len(x) {
			p.PerSecond[second]++
			x[second]++
		}
	}
	if len(x) < 4*paceLags {
		return p
	}
	for lag := 1; lag <= paceLags; lag++ {
		c, ok := stats.Autocorrelation(x, lag)
		if !ok {
			return p
		}
		if lag == 1 {
			p.Next = results.Some(c)
		}
		if !p.Lowest.OK || c < p.Lowest.V {
			p.Lowest, p.LowestAt = results.Some(c), lag
		}
	}
	p.Noise = lowestByChance(len(x))
	return p
}

// lowestByChance is Pace.Noise for a series of n.
func lowestByChance(n int) float64 {
	p := 1 - math.Pow(0.95, 1.0/paceLags)
	return distuv.UnitNormal.Quantile(p) / math.Sqrt(float64(n))
}
