package ladder

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Served is one request that the idle engine answered alone.
type Served struct {
	Prompt, Output int // tokens
	TTFT, E2E      time.Duration
}

// Idle is the speed of the idle engine on one request at a time, in seconds per
// token. Attention makes neither exactly constant; over one workload's lengths
// the linear fit is what sets rates and an SLO, and nothing that is reported.
type Idle struct {
	PrefillS float64 // per prompt token, first output token included
	DecodeS  float64 // per further output token
}

// fitIdle fits Idle by ratio of sums, which weighs long requests most.
func fitIdle(served []Served) (Idle, error) {
	var prefill, decode time.Duration
	var prompt, output int
	for _, s := range served {
		prefill += s.TTFT
		prompt += s.Prompt
		decode += s.E2E - s.TTFT
		output += s.Output - 1
	}
	if prompt == 0 || output == 0 {
		return Idle{}, fmt.Errorf("the idle engine answered %d requests with %d tokens after the first: too little to choose rates from; give --rates and --slo", len(served), output)
	}
	return Idle{PrefillS: prefill.Seconds() / float64(prompt), DecodeS: decode.Seconds() / float64(output)}, nil
}

// E2E is the unloaded E2E of a request, in seconds.
func (i Idle) E2E(prompt, output int) float64 {
	return i.PrefillS*float64(prompt) + i.DecodeS*float64(output-1)
}

// Lengths is a request's size in tokens.
type Lengths struct{ Prompt, Output int }

// capacity is the highest rate, in requests per second, that one request at a
// time can sustain: the reciprocal of the mean unloaded E2E.
func (i Idle) capacity(lengths []Lengths) float64 {
	sum := 0.0
	for _, l := range lengths {
		sum += i.E2E(l.Prompt, l.Output)
	}
	return float64(len(lengths)) / sum
}

// The SLO is sloSlack times the E2E that sloShare of the requests stay within on an idle
// engine. An SLO that the idle engine itself misses for one request in ten, as the
// predecessor's, charges the draw of the output length to the scheduler and makes a
// promise of 99% impossible to keep; so nearly all must be able to make it, and half as
// long again is what batching may cost them.
const (
	sloShare = 0.99
	sloSlack = 1.5
)

// SLO is sloSlack times the unloaded E2E that sloShare of the requests stay within,
// rounded up to two significant digits.
func (i Idle) SLO(lengths []Lengths) time.Duration {
	e2e := make([]float64, len(lengths))
	for k, l := range lengths {
		e2e[k] = i.E2E(l.Prompt, l.Output)
	}
	slices.Sort(e2e)
	at := sloSlack * e2e[int(math.Ceil(sloShare*float64(len(e2e))))-1]
	return time.Duration(significant(at, 2, math.Ceil) * float64(time.Second))
}

// Rates spreads n offered rates evenly in ratio, from half of what one request at
// a time can sustain, where even the lowest rung is calm, to 1.5 times what the
// highest rung sustains when saturated, where even that one is overloaded. They
// are rounded to two significant digits.
func Rates(fifo, top float64, n int) []float64 {
	lo, hi := 0.5*fifo, 1.5*max(top, fifo)
	var rates []float64
	for i := range n {
		r := hi
		if n > 1 {
			r = lo * math.Pow(hi/lo, float64(i)/float64(n-1))
		}
		r = significant(r, 2, math.Round)
		if len(rates) == 0 || r > rates[len(rates)-1] {
			rates = append(rates, r)
		}
	}
	return rates
}

// significant rounds x > 0 to n significant digits.
func significant(x float64, n int, round func(float64) float64) float64 {
	exp := n - 1 - int(math.Floor(math.Log10(x)))
	scale := math.Pow10(max(exp, -exp))
	if exp < 0 {
		return round(x/scale) * scale
	}
	return round(x*scale) / scale
}
