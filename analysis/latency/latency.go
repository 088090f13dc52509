// Package latency says which requests of a cell count and how long they took: the steady
// window, and latencies from the intended arrival on. A request that was not answered has
// a lower bound in place of a latency.
package latency

import (
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Latencies are those of admitted requests, in seconds.
type Latencies struct {
	TTFT, TPOT, E2E          []stats.Observation
	ITL                      []float64     // of an order more than the others, and never censored
	LongestGap, LongestStall time.Duration // closed, and left open by a cut
}

// Add takes in a request, and returns whether it ended well within the SLO.
func (l *Latencies) Add(r *results.Record, timeout, slo time.Duration) (good bool) {
	e2e, answered := EndToEnd(r, timeout)
	l.E2E = append(l.E2E, stats.Observation{Value: e2e.Seconds(), Censored: !answered})
	n := len(r.Tokens)
	switch {
	case n > 0:
		l.TTFT = append(l.TTFT, Observed(r.Tokens[0]-r.Intended))
	case !answered: // a completed request without tokens has no TTFT; it is not 0
		l.TTFT = append(l.TTFT, stats.Observation{Value: e2e.Seconds(), Censored: true})
	}
	for i := 1; i < n; i++ {
		gap := r.Tokens[i] - r.Tokens[i-1]
		l.ITL = append(l.ITL, gap.Seconds())
		l.LongestGap = max(l.LongestGap, gap)
	}
	if n > 1 {
		l.TPOT = append(l.TPOT, Observed((r.Tokens[n-1]-r.Tokens[0])/time.Duration(n-1)))
	}
	if n > 0 && !answered && r.Ended.OK {
		l.LongestStall = max(l.LongestStall, r.Ended.V-r.Tokens[n-1])
	}
	return answered && e2e <= slo
}

// EndToEnd returns the request's E2E latency, or the bound that it exceeds. A
// request that failed was not answered by the client's timeout either, however
// early it failed: had its failure's time been the bound, failing fast would look
// like being fast. So it is with one that was dropped before its start.
func EndToEnd(r *results.Record, timeout time.Duration) (d time.Duration, answered bool) {
	if r.Outcome == results.Completed {
		if last := r.LastToken(); last.OK {
			return last.V - r.Intended, true
		}
		if r.Ended.OK {
			return r.Ended.V - r.Intended, true
		}
	}
	bound := timeout
	if r.Ended.OK {
		bound = r.Ended.V - r.Intended
		if r.Outcome == results.Failed || r.Outcome == results.Shed {
			bound = max(bound, timeout)
		}
	}
	return bound, false
}

// Observed is a latency that was measured to its end.
func Observed(d time.Duration) stats.Observation { return stats.Observation{Value: d.Seconds()} }

// E2EOf returns an admitted request's E2E latency in seconds or, when it was not
// answered, the bound that it exceeds.
func E2EOf(r *results.Record, timeoutS float64) stats.Observation {
	d, answered := EndToEnd(r, Nanos(timeoutS))
	return stats.Observation{Value: d.Seconds(), Censored: !answered}
}
