package compare

import (
	"math"
	"slices"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// requestPairs are the requests of two cells that replayed one tape, paired by their
// index in it: those that arrived in the steady window of both.
type requestPairs struct {
	n        int // pairs, in the order of the tape
	unpaired int // in the window of one cell only: turns of conversations
	a, b     arm
	block    int // block length for resampling, in requests
}

// arm is one cell's side: of every pair what it adds to the metrics.
type arm struct {
	ttft, tpot, e2e, itl ranked
	// e2eAll and ttftAll are of every pair. A shed request is unanswered there, as
	// refusing must not look fast; the quantiles leave it out, as all tables do.
	e2eAll, ttftAll []stats.Observation
	good            []bool
	tokens          []int // ready in the window
	outside         int   // tokens in the window of requests that arrived outside of it
	prompt, cached  []int // of requests whose hits are known
	length          float64
}

// pairRequests pairs the rows of two cells. The window is what both have in common,
// and the SLO the stricter of the two, so that A and B may change places.
func pairRequests(p Partners, a, b []results.Record) *requestPairs {
	w := latency.Window{WarmupS: max(p.A.Window.WarmupS, p.B.Window.WarmupS), EndS: min(p.A.Window.EndS, p.B.Window.EndS)}
	slo := latency.Nanos(min(p.A.SLOS, p.B.SLOS))
	in := func(recs []results.Record) map[int32]*results.Record {
		m := map[int32]*results.Record{}
		for i := range recs {
			if w.Holds(recs[i].Intended) {
				m[recs[i].Request] = &recs[i]
			}
		}
		return m
	}
	of, other := in(a), in(b)
	var both []int32
	for request := range of {
		if other[request] != nil {
			both = append(both, request)
		}
	}
	slices.Sort(both)
	r := &requestPairs{n: len(both), unpaired: len(of) + len(other) - 2*len(both)}
	r.a = armOf(p.A.Cell, a, of, both, w, slo)
	r.b = armOf(p.B.Cell, b, other, both, w, slo)
	r.block = blockOf(r)
	return r
}

func armOf(cell results.Cell, all []results.Record, in map[int32]*results.Record, both []int32, w latency.Window, slo time.Duration) arm {
	a := arm{length: w.Length(), good: make([]bool, len(both)), tokens: make([]int, len(both)), prompt: make([]int, len(both)), cached: make([]int, len(both))}
	from, to := latency.Nanos(w.WarmupS), latency.Nanos(w.EndS)
	within := func(r *results.Record) (n int) {
		for _, at := range r.Tokens {
			if at >= from && at < to {
				n++
			}
		}
		return n
	}
	for i := range all {
		if in[all[i].Request] == nil {
			a.outside += within(&all[i])
		}
	}
	var ttft, tpot, e2e, itl owned
	for i, request := range both {
		r := in[request]
		a.tokens[i] = within(r)
		if r.CachedTokens.OK {
			a.prompt[i], a.cached[i] = int(r.PromptTokens), int(r.CachedTokens.V)
		}
		if r.Refused() {
			never := stats.Observation{Value: cell.TimeoutS, Censored: true}
			a.e2eAll, a.ttftAll = append(a.e2eAll, never), append(a.ttftAll, never)
			continue
		}
		var one latency.Latencies
		a.good[i] = one.Add(r, latency.Nanos(cell.TimeoutS), slo)
		a.e2eAll = append(a.e2eAll, one.E2E[0])
		if len(one.TTFT) == 0 { // completed without a token
			one.TTFT = one.E2E
		} else {
			ttft.add(i, one.TTFT...)
		}
		a.ttftAll = append(a.ttftAll, one.TTFT[0])
		e2e.add(i, one.E2E...)
		tpot.add(i, one.TPOT...)
		for _, gap := range one.ITL {
			itl.add(i, stats.Observation{Value: gap})
		}
	}
	a.ttft, a.tpot, a.e2e, a.itl = ttft.rank(), tpot.rank(), e2e.rank(), itl.rank()
	return a
}

// difference is b − a of one request. A latency that is only a lower bound leaves
// one side open, and two of them both.
func difference(a, b stats.Observation) stats.Interval {
	d := stats.Interval{Lo: b.Value - a.Value, Hi: b.Value - a.Value}
	if b.Censored {
		d.Hi = math.Inf(1)
	}
	if a.Censored {
		d.Lo = math.Inf(-1)
	}
	return d
}

// Duel counts how the same requests fared in A and in B. An answered request beats
// one that was not answered; two unanswered ones are unresolved.
type Duel struct {
	Sooner, Later, Tie, Unresolved int // in B
}

func (d *Duel) add(a, b stats.Observation) {
	switch {
	case a.Censored && b.Censored:
		d.Unresolved++
	case a.Censored, !b.Censored && b.Value < a.Value:
		d.Sooner++
	case b.Censored, b.Value > a.Value:
		d.Later++
	default:
		d.Tie++
	}
}

// Good counts pairs by who met the SLO, as McNemar's test does. Its p-value is not
// given: it takes pairs as independent, and requests of one queue are not.
type Good struct{ Both, OnlyA, OnlyB, Neither int }

func (g *Good) add(a, b bool) {
	switch {
	case a && b:
		g.Both++
	case a:
		g.OnlyA++
	case b:
		g.OnlyB++
	default:
		g.Neither++
	}
}

// blockOf chooses how many requests in a row are drawn together. Requests of one
// queue depend on those before them, so they are not resampled one by one. It is the
// longest of what stats.BlockLength gives for A's E2E, B's, and their difference, each by
// rank, which orders unanswered ones last and lets no outlier decide.
func blockOf(p *requestPairs) int {
	n := p.n
	length := 1
	for _, of := range []func(i int) float64{
		func(i int) float64 { return p.a.e2eAll[i].Upper() },
		func(i int) float64 { return p.b.e2eAll[i].Upper() },
		func(i int) float64 { return orderOf(difference(p.a.e2eAll[i], p.b.e2eAll[i])) },
	} {
		series := make([]float64, n)
		for i := range series {
			series[i] = of(i)
		}
		length = max(length, stats.BlockLength(stats.Ranks(series)))
	}
	return length
}

// orderOf places a difference among others: open ones at their open end, and what
// is not known at all at no difference.
func orderOf(s stats.Interval) float64 {
	switch {
	case s == stats.Unknown:
		return 0
	case math.IsInf(s.Lo, -1):
		return s.Lo
	}
	return s.Hi
}
