// Package analysistest makes cells for tests of what reads them: by hand, request by
// request, or from a simple queue.
package analysistest

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// Server is one that takes a fixed time for each request, in order of arrival, and whose
// clients give up after patience (0 never).
type Server struct {
	Service, Patience time.Duration
	ShedAbove         int // refuses arrivals when as many are in the system; 0 refuses none
}

// Queued offers Poisson arrivals at a rate for 200 s, 20 of which are warm-up, and
// measures the cell. The SLO is 1 s.
func Queued(rung string, rate float64, seed uint64, s Server, o analysis.Options) (analysis.CellMetrics, []results.Record) {
	c := results.Cell{
		Key:       results.Key{Rung: rung, OfferedRPS: rate, Seed: seed},
		DurationS: 200, WarmupS: 20, TimeoutS: 1e6, SLOS: 1, TapeHash: "tape",
	}
	if s.Patience > 0 {
		c.TimeoutS = s.Patience.Seconds()
	}
	rng := rand.New(rand.NewPCG(seed, 7)) // one realisation at all rates, as tapes have
	var recs []results.Record
	var free time.Duration // when the server is
	var ends []time.Duration
	for at := 0.0; ; {
		at += rng.ExpFloat64() / rate
		if at >= c.DurationS {
			break
		}
		arrival := latency.Nanos(at)
		inSystem := 0
		for _, end := range ends {
			if end > arrival {
				inSystem++
			}
		}
		r := Row(len(recs), arrival, results.Shed)
		r.StopTokens = results.Some(int32(1 + rng.IntN(100)))
		switch end := max(free, arrival) + s.Service; {
		case s.ShedAbove > 0 && inSystem >= s.ShedAbove:
		case s.Patience > 0 && end > arrival+s.Patience:
			r.Outcome, r.Ended = results.TimedOut, results.Some(arrival+s.Patience)
		default:
			free = end
			ends = append(ends, end)
			r.Outcome, r.Tokens, r.Ended, r.Started = results.Completed, []time.Duration{end - s.Service/2, end}, results.Some(end), results.Some(end-s.Service)
		}
		recs = append(recs, r)
	}
	return analysis.Measure(c, recs, o), recs
}

// Cell is ten seconds long with two of warm-up, an SLO of 1 s and a timeout of 5 s.
func Cell() results.Cell {
	return results.Cell{
		Key:       results.Key{Rung: "fifo", OfferedRPS: 1, Seed: 1},
		DurationS: 10, WarmupS: 2, TimeoutS: 5, SLOS: 1,
	}
}

// Row is a request that is sent a millisecond late and whose tokens are ready at
// the given times after its arrival.
func Row(id int, at time.Duration, outcome results.Outcome, tokens ...time.Duration) results.Record {
	r := results.Record{
		Request: int32(id), Class: "unique", Outcome: outcome, Warmup: at < 2*time.Second,
		Intended: at, Sent: results.Some(at + time.Millisecond), PromptTokens: 100, MaxTokens: 64,
	}
	for _, after := range tokens {
		r.Tokens = append(r.Tokens, at+after)
	}
	switch outcome {
	case results.Completed:
		r.Ended = results.Some(at + tokens[len(tokens)-1])
	case results.TimedOut:
		r.Ended = results.Some(at + 5*time.Second)
	case results.Failed:
		r.Ended, r.Reason = results.Some(at+10*time.Millisecond), results.Some("decode")
	default:
		r.Ended = results.Some(at + time.Millisecond)
	}
	if outcome != results.Shed {
		r.Started = results.Some(at + time.Millisecond)
	}
	return r
}

// Measured is a cell of 100 requests of which good are within the SLO.
func Measured(order int, rung string, rate float64, seed uint64, good int, e2e stats.Quantile) analysis.CellMetrics {
	m := analysis.CellMetrics{
		Cell:       results.Cell{Key: results.Key{Rung: rung, OfferedRPS: rate, Seed: seed}, Order: order},
		Arrivals:   100,
		GoodputRPS: results.Some(rate * float64(good) / 100),
		Attainment: results.Some(float64(good) / 100),
	}
	m.E2E.P99 = e2e
	m.TTFT.P50 = stats.Quantile{N: 100, Value: 0.1 * rate, Supported: true}
	return m
}

// P99 is a 99th percentile with an interval.
func P99(v float64) stats.Quantile { return stats.Quantile{N: 100, Value: v, Supported: true} }

// P99Above is one that is only known to be above a value.
func P99Above(v float64) stats.Quantile {
	return stats.Quantile{N: 100, Value: v, Censored: true, Supported: true}
}

// Again is a cell as another measurement of the same rung, rate and seed.
func Again(m analysis.CellMetrics, replicate int, anchor bool) analysis.CellMetrics {
	m.Cell.Replicate, m.Cell.Anchor = replicate, anchor
	return m
}

// Ladder measures servers by rung at every rate and seed.
func Ladder(o analysis.Options, rungs []string, servers []Server, rates []float64, seeds int) *analysis.Sweep {
	var cells []analysis.CellMetrics
	for _, rate := range rates {
		for seed := range uint64(seeds) {
			for i, rung := range rungs {
				m, _ := Queued(rung, rate, seed, servers[i], o)
				m.Invalid, m.Cell.Order, m.Cell.Params = nil, len(cells), Recorded[rung]
				cells = append(cells, m)
			}
		}
	}
	return analysis.NewSweep(cells, rungs)
}

// Recorded are the parameters that cells of the built-in rungs record, and of some
// arms, as far as they say what a rung is.
var Recorded = map[string]map[string]string{
	"fifo":         {"max_batch": "1", "refill": "false", "prefix_cache": "false"},
	"static":       {"max_batch": "8", "refill": "false", "prefix_cache": "false"},
	"continuous":   {"max_batch": "24", "refill": "true", "prefix_cache": "false"},
	"prefix":       {"max_batch": "24", "refill": "true", "prefix_cache": "true"},
	"conformal-80": {"max_batch": "24", "refill": "true", "prefix_cache": "true", "admission": "conformal", "admission_alpha": "0.2"},
	"conformal-95": {"max_batch": "24", "refill": "true", "prefix_cache": "true", "admission": "conformal", "admission_alpha": "0.05"},
	"conformal-99": {"max_batch": "24", "refill": "true", "prefix_cache": "true", "admission": "conformal", "admission_alpha": "0.01"},
	"vegas":        {"max_batch": "24", "refill": "true", "prefix_cache": "true", "admission": "vegas", "admission_alpha": "3"},
	"oracle":       {"max_batch": "24", "refill": "true", "prefix_cache": "true", "admission": "oracle"},
}

// PairedCell is a cell of n requests, ten a second, after two seconds of warm-up.
func PairedCell(seed uint64, n int) results.Cell {
	c := Cell()
	c.Key.Seed, c.Key.OfferedRPS, c.TapeHash = seed, 10, "tape"
	c.DurationS = 2 + float64(n)/10
	return c
}

// Answers are n completed requests whose E2E latencies in seconds are given, each with
// five tokens, the first at three tenths of it.
func Answers(e2e []float64) []results.Record {
	var recs []results.Record
	for i, s := range e2e {
		d := func(share float64) time.Duration { return time.Duration(s * share * 1e9) }
		r := Row(i, 2*time.Second+time.Duration(i)*100*time.Millisecond, results.Completed, d(0.3), d(0.5), d(0.6), d(0.9), d(1))
		r.CachedTokens = results.Some(int32(i % 100))
		recs = append(recs, r)
	}
	return recs
}

// Autoregressive is a stationary series of standard deviation 1.
func Autoregressive(r *rand.Rand, n int, rho float64) []float64 {
	x := make([]float64, n)
	x[0] = r.NormFloat64()
	for i := 1; i < n; i++ {
		x[i] = rho*x[i-1] + math.Sqrt(1-rho*rho)*r.NormFloat64()
	}
	return x
}

// Queue is a series of dependent latencies around half a second.
func Queue(r *rand.Rand, n int) []float64 {
	e2e := Autoregressive(r, n, 0.6)
	for i := range e2e {
		e2e[i] = 0.5 * math.Exp(0.5*e2e[i])
	}
	return e2e
}

// Mixed are rows with every outcome.
func Mixed(r *rand.Rand, n int) []results.Record {
	recs := Answers(Queue(r, n))
	for i := range recs {
		at := recs[i].Intended
		switch r.IntN(8) {
		case 0:
			recs[i] = Row(i, at, results.TimedOut)
		case 1:
			recs[i] = Row(i, at, results.Shed)
		case 2:
			recs[i] = Row(i, at, results.TimedOut, 400*time.Millisecond)
		case 3:
			recs[i] = Row(i, at, results.Failed)
		}
	}
	return recs
}

// TwoRungs was run rate-major with rotated order, so "continuous" came first once.
func TwoRungs() []analysis.CellMetrics {
	return []analysis.CellMetrics{
		Measured(2, "continuous", 4, 1, 50, P99(9)),
		Measured(0, "fifo", 1, 1, 80, P99(3)),
		Measured(1, "continuous", 1, 1, 100, P99(1)),
		Measured(3, "fifo", 4, 1, 0, P99Above(30)),
		Measured(4, "fifo", 1, 2, 60, P99(5)),
		Measured(5, "fifo", 8, 1, 0, P99Above(30)),
	}
}
