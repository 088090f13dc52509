package analysis

import (
	"math"
	"strconv"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/promise"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Spread is the median and the 90th and 99th percentile of one kind of duration, in
// seconds.
type Spread struct{ P50, P90, P99 stats.Quantile }

func spread(s stats.Sample) Spread {
	return Spread{P50: s.Quantile(0.50), P90: s.Quantile(0.90), P99: s.Quantile(0.99)}
}

// CellMetrics is what one cell says about its rung, over the steady window.
type CellMetrics struct {
	Cell   results.Cell
	Window latency.Window
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

	Admission promise.Admission

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
	Promise   results.Opt[promise.Outcome] // null without an admission policy

	Checks   []checks.Check // in the order of CheckDocs
	Invalid  []Warning      // why the cell must not be used: the checks that void it
	Warnings []Warning      // the checks that only note something, and what else to know

	TTFTs, E2Es stats.Sample // kept to be pooled over seeds: two numbers a request
}

// Valid reports whether the cell measured what it claims.
func (m *CellMetrics) Valid() bool { return len(m.Invalid) == 0 }

// Measure computes a cell's metrics over the steady window and checks the cell.
func Measure(cell results.Cell, recs []results.Record, o Options) CellMetrics {
	m := CellMetrics{Cell: cell, Window: WindowOf(cell, o), SLOS: o.slo(cell), Rows: len(recs)}
	t := tally{slo: latency.Nanos(m.SLOS), timeout: latency.Nanos(cell.TimeoutS), from: latency.Nanos(m.Window.WarmupS), to: latency.Nanos(m.Window.EndS), hits: newHits(recs)}
	tokens := 0
	for i := range recs {
		tokens += len(recs[i].Tokens)
	}
	t.ITL = make([]float64, 0, tokens)
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
	m.TTFTs, m.E2Es = stats.NewSample(t.TTFT), stats.NewSample(t.E2E)
	m.TTFT, m.TPOT = spread(m.TTFTs), spread(stats.NewSample(t.TPOT))
	m.E2E, m.DispatchLag = spread(m.E2Es), spread(stats.NewSample(t.lag))
	m.ITL = spread(stats.NewExact(t.ITL))
	m.AtSLO = atSLOs(t.arrivals, m.SLOS)
	m.Undecided = undecided(t.arrivals, t.slo)
	m.Backlog, m.Answered = backlogOf(m.Window, recs, m.Arrivals), answeredOf(t.arrivals)
	m.Promise = promise.Of(m.promising(), recs)
	m.judge(recs, &t, o)
	return m
}

// promising says what the cell's policy promises.
func (m *CellMetrics) promising() promise.Cell {
	c := promise.Cell{Policy: m.Cell.Params["admission"], Window: m.Window, SLOS: m.SLOS, Admission: m.Admission}
	// Others have a parameter of that name, which is no promise.
	if alpha, err := strconv.ParseFloat(m.Cell.Params["admission_alpha"], 64); err == nil && TraitsOf(m.Cell.Params).Promises() {
		c.Alpha = results.Some(alpha)
	}
	if m.Window.WarmupS == m.Cell.WarmupS && m.Window.EndS == m.Cell.DurationS && m.SLOS == m.Cell.SLOS {
		c.Upper = m.Cell.UpperRequests
	}
	return c
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

	good            int
	arrivals        []arrived
	hits            hits
	tokensInWindow  int
	completedTokens int
	lag             []stats.Observation
	latency.Latencies
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
		t.lag = append(t.lag, latency.Observed(r.Sent.V-r.Intended))
	}
	t.hits.add(r)
	m.Lengths.add(r)
	if r.Refused() {
		m.Shed++
		m.Admission.CountRefused(r)
		t.arrivals = append(t.arrivals, arrived{at: r.Intended, e2e: never})
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
	good := t.Latencies.Add(r, t.timeout, t.slo)
	if good {
		t.good++
	}
	m.Admission.CountTaken(r, good)
	one := arrived{at: r.Intended, e2e: t.E2E[len(t.E2E)-1], good: good}
	if r.Outcome != results.Completed && r.Outcome != results.TimedOut && r.Outcome != results.Cancelled {
		one.e2e = never // what failed did not become good later
	}
	t.arrivals = append(t.arrivals, one)
}

// never is the E2E of an arrival that cannot end well however long one waits.
var never = stats.Observation{Value: math.Inf(1), Censored: true}
