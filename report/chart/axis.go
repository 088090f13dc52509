package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"

	"github.com/cadence-bench/cadence-bench/report/format"
)

// logTicks labels 1, 2 and 5 times every power of ten, or the powers alone when
// the range is wide, and leaves the other digits as minor ticks. A range too
// narrow for three such labels gets linear ones.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	wide := math.Log10(hi/lo) > 3.6
	var ticks []plot.Tick
	labels := 0
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for digit := 1.0; digit < 10; digit++ {
			v := digit * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if digit == 1 || !wide && (digit == 2 || digit == 5) {
				t.Label = format.Short(v)
				labels++
			}
			ticks = append(ticks, t)
		}
	}
	if labels < 3 {
		return linearTicks{4}.Ticks(lo, hi)
	}
	return ticks
}

// linearTicks labels about n multiples of 1, 2 or 5 times a power of ten.
type linearTicks struct{ n float64 }

// Ticks implements plot.Ticker.
func (t linearTicks) Ticks(lo, hi float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/t.n)))
	for _, f := range []float64{2, 2.5, 2} {
		if (hi-lo)/step > t.n*1.5 {
			step *= f
		}
	}
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		v := i*step + 0 // the sum makes −0 a 0
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', decimals, 64)})
	}
	return ticks
}

// shareTicks labels shares as percentages.
type shareTicks struct{}

// Ticks implements plot.Ticker.
func (shareTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := linearTicks{5}.Ticks(100*lo, 100*hi)
	for i := range ticks {
		ticks[i].Value /= 100
		ticks[i].Label += "%"
	}
	return ticks
}
