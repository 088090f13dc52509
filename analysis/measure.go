package analysis

import (
	"math"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Spread is the median and the 99th percentile of one kind of duration, in
// seconds.
type Spread struct{ P50, P99 stats.Quantile }

func spread(s stats.Sample) Spread {
	return Spread{P50: s.Quantile(0.50), P99: s.Quantile(0.99)}
}

// CellMetrics is what one cell says about its rung, over the steady window.
type CellMetrics struct {
	Cell   results.Cell
	Window Window
	SLOS   float64 // the E2E objective used, seconds

	Rows      int // records in the file, warm-up included
	Arrivals  int // in the window; the outcomes below add up to it
	Completed int
	Shed      int
	TimedOut  int
	Cancelled int
	Failed    int

	// Rates per second of window; null when the window is empty.
	AchievedRPS      results.Opt[float64] // arrivals that were really sent
	ThroughputRPS    results.Opt[float64] // arrivals that completed, whenever they did
	GoodputRPS       results.Opt[float64] // arrivals that completed within the SLO
	OutputTokensPerS results.Opt[float64] // tokens ready during the window, whoever's
	// CompletedTokensPerS are the tokens of the arrivals that completed, whenever.
	CompletedTokensPerS results.Opt[float64]

	Attainment         results.Opt[float64] // share of arrivals within the SLO
	AttainmentAdmitted results.Opt[float64] // share of those that were not refused on arrival

	Admission Admission

	TTFT        Spread // intended arrival to first token
	ITL         Spread // gaps between consecutive output tokens, pooled
	TPOT        Spread // (last − first)/(n − 1) of each request with two tokens or more
	E2E         Spread // intended arrival to last token
	DispatchLag Spread // sent − intended

	HitRate    results.Opt[float64] // cached prompt tokens over prompt tokens
	HitCeiling results.Opt[float64] // what a cache without bounds could have had
	HitReached results.Opt[float64] // HitRate over HitCeiling

	// Undecided arrivals were given up before the SLO was over, which takes an SLO above
	// the timeout: whether they would have met it is not known. With any, GoodputRPS and
	// the attainments are lower bounds.
	Undecided int
	AtSLO     []AtSLO // the same arrivals at other objectives, in the order of SLOFactors
	Backlog   Backlog
	Answered  Answered
	Lengths   Lengths
	Promise   results.Opt[Promise] // null without an admission policy

	Checks   []Check   // in the order of CheckDocs
	Invalid  []Warning // why the cell must not be used: the checks that void it
	Warnings []Warning // the checks that only note something, and what else to know

	ttft, e2e stats.Sample // kept to be pooled over seeds: two numbers a request
}

// Valid reports whether the cell measured what it claims.
func (m *CellMetrics) Valid() bool { return len(m.Invalid) == 0 }

// Measure computes a cell's metrics over the steady window and checks the cell.
func Measure(cell results.Cell, recs []results.Record, o Options) CellMetrics {
	m := CellMetrics{Cell: cell, Window: WindowOf(cell, o), SLOS: o.slo(cell), Rows: len(recs)}
	t := tally{slo: nanos(m.SLOS), timeout: nanos(cell.TimeoutS), from: nanos(m.Window.WarmupS), to: nanos(m.Window.EndS), hits: newHits(recs)}
	tokens := 0
	for i := range recs {
		tokens += len(recs[i].Tokens)
	}
	t.itl = make([]float64, 0, tokens)
	for i := range recs {
		t.add(&m, &recs[i])
	}
	if length := m.Window.Length(); length > 0 {
		per := func(n int) results.Opt[float64] { return results.Some(float64(n) / length) }
		m.AchievedRPS, m.ThroughputRPS, m.GoodputRPS = per(len(t.lag)), per(m.Completed), per(t.good)
		m.OutputTokensPerS, m.CompletedTokensPerS = per(t.tokensInWindow), per(t.completedTokens)
	}
	m.Attainment = share(t.good, m.Arrivals)
	m.AttainmentAdmitted = share(t.good, m.Arrivals-m.Admission.Refused)
	m.HitRate, m.HitCeiling, m.HitReached = t.hits.rate(), t.hits.ceiling(), t.hits.reached()
	m.ttft, m.e2e = stats.NewSample(t.ttft), stats.NewSample(t.e2e)
	m.TTFT, m.TPOT = spread(m.ttft), spread(stats.NewSample(t.tpot))
	m.E2E, m.DispatchLag = spread(m.e2e), spread(stats.NewSample(t.lag))
	m.ITL = spread(stats.NewExact(t.itl))
	m.AtSLO = atSLOs(t.arrivals, m.SLOS)
	m.Undecided = undecided(t.arrivals, t.slo)
	m.Backlog, m.Answered = backlogOf(m.Window, recs, m.Arrivals), answeredOf(t.arrivals)
	m.Promise = promiseOf(&m, recs)
	m.judge(recs, &t, o)
	return m
}

func share(part, whole int) results.Opt[float64] {
	if whole == 0 {
		return results.Opt[float64]{}
	}
	return results.Some(float64(part) / float64(whole))
}

// tally accumulates one cell.
type tally struct {
	slo, timeout, from, to time.Duration

	good                     int
	arrivals                 []arrival
	hits                     hits
	tokensInWindow           int
	completedTokens          int
	ttft, tpot, e2e, lag     []stats.Observation
	itl                      []float64     // of an order more than the others, and never censored
	longestGap, longestStall time.Duration // closed, and left open by a cut
}

func (t *tally) add(m *CellMetrics, r *results.Record) {
	for _, at := range r.Tokens {
		if at >= t.from && at < t.to {
			t.tokensInWindow++
		}
	}
	if !m.Window.Holds(r.Intended) {
		return
	}
	m.Arrivals++
	if r.Sent.OK {
		t.lag = append(t.lag, observed(r.Sent.V-r.Intended))
	}
	t.hits.add(r)
	m.Lengths.add(r)
	if r.Refused() {
		m.Shed++
		m.Admission.refused(r)
		t.arrivals = append(t.arrivals, arrival{at: r.Intended, e2e: never})
		return
	}
	switch r.Outcome {
	case results.Shed:
		m.Shed++
	case results.Completed:
		m.Completed++
		t.completedTokens += len(r.Tokens)
	case results.TimedOut:
		m.TimedOut++
	case results.Cancelled:
		m.Cancelled++
	default:
		m.Failed++
	}
	before := t.good
	t.latencies(r)
	m.Admission.taken(r, t.good > before)
	one := arrival{at: r.Intended, e2e: t.e2e[len(t.e2e)-1], good: t.good > before}
	if r.Outcome != results.Completed && r.Outcome != results.TimedOut && r.Outcome != results.Cancelled {
		one.e2e = never // what failed did not become good later
	}
	t.arrivals = append(t.arrivals, one)
}

// never is the E2E of an arrival that cannot end well however long one waits.
var never = stats.Observation{Value: math.Inf(1), Censored: true}

// late counts the requests that were sent later than a bound in seconds.
func (t *tally) late(bound float64) (n int) {
	for _, lag := range t.lag {
		if lag.Value > bound {
			n++
		}
	}
	return n
}

// latencies adds what an admitted request says about latency.
func (t *tally) latencies(r *results.Record) {
	e2e, answered := t.endToEnd(r)
	t.e2e = append(t.e2e, stats.Observation{Value: e2e.Seconds(), Censored: !answered})
	if answered && e2e <= t.slo {
		t.good++
	}
	n := len(r.Tokens)
	switch {
	case n > 0:
		t.ttft = append(t.ttft, observed(r.Tokens[0]-r.Intended))
	case !answered: // a completed request without tokens has no TTFT; it is not 0
		t.ttft = append(t.ttft, stats.Observation{Value: e2e.Seconds(), Censored: true})
	}
	for i := 1; i < n; i++ {
		gap := r.Tokens[i] - r.Tokens[i-1]
		t.itl = append(t.itl, gap.Seconds())
		t.longestGap = max(t.longestGap, gap)
	}
	if n > 1 {
		t.tpot = append(t.tpot, observed((r.Tokens[n-1]-r.Tokens[0])/time.Duration(n-1)))
	}
	if n > 0 && !answered && r.Ended.OK {
		t.longestStall = max(t.longestStall, r.Ended.V-r.Tokens[n-1])
	}
}

// endToEnd returns the request's E2E latency, or the bound that it exceeds. A
// request that failed was not answered by the client's timeout either, however
// early it failed: had its failure's time been the bound, failing fast would look
// like being fast. So it is with one that was dropped before its start.
func (t *tally) endToEnd(r *results.Record) (d time.Duration, answered bool) {
	if r.Outcome == results.Completed {
		if last := r.LastToken(); last.OK {
			return last.V - r.Intended, true
		}
		if r.Ended.OK {
			return r.Ended.V - r.Intended, true
		}
	}
	bound := t.timeout
	if r.Ended.OK {
		bound = r.Ended.V - r.Intended
		if r.Outcome == results.Failed || r.Outcome == results.Shed {
			bound = max(bound, t.timeout)
		}
	}
	return bound, false
}

func observed(d time.Duration) stats.Observation { return stats.Observation{Value: d.Seconds()} }

// E2EOf returns an admitted request's E2E latency in seconds or, when it was not
// answered, the bound that it exceeds.
func E2EOf(r *results.Record, timeoutS float64) stats.Observation {
	t := tally{timeout: nanos(timeoutS)}
	d, answered := t.endToEnd(r)
	return stats.Observation{Value: d.Seconds(), Censored: !answered}
}
