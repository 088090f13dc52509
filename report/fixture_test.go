package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/report/chartdata"
	"github.com/cadence-bench/cadence-bench/results"
)

// fixture is a sweep by a crude model of an engine: enough for tables and charts
// to have the shapes that real ones have.
type fixture struct {
	rungs    []serving
	rates    []float64
	seeds    []uint64
	duration time.Duration
	backend  string
	beyond   map[string]float64 // extrapolated share of the steps, by rung
}

// serving is how a rung serves: at most batch requests at once, joined only when
// the batch is empty unless continuous.
type serving struct {
	name       string
	batch      int
	continuous bool
	cached     bool // prompts cost a fifth
	shedAbove  int  // refuses arrivals beyond this many in the system; 0 refuses none
}

var (
	fifo       = serving{name: "fifo", batch: 1}
	static     = serving{name: "static", batch: 8}
	continuous = serving{name: "continuous", batch: 24, continuous: true}
	prefix     = serving{name: "prefix", batch: 24, continuous: true, cached: true}
	shedding   = serving{name: "conformal-95", batch: 24, continuous: true, cached: true, shedAbove: 8}
)

// params are those by which the report knows what a rung is.
func (f fixture) params(rung string) map[string]string {
	for _, s := range f.rungs {
		if s.name == rung {
			p := map[string]string{"max_batch": strconv.Itoa(s.batch), "refill": strconv.FormatBool(s.continuous), "prefix_cache": strconv.FormatBool(s.cached)}
			if s.shedAbove > 0 {
				p["admission"], p["admission_alpha"] = "conformal", "0.05"
			}
			return p
		}
	}
	return nil
}

func ladder() fixture {
	return fixture{
		rungs:    []serving{fifo, static, continuous},
		rates:    []float64{0.5, 1, 1.5, 2.5, 4},
		seeds:    []uint64{1},
		duration: 90 * time.Second,
		backend:  "llama.cpp",
	}
}

func fiveRungs() fixture {
	f := ladder()
	f.rungs = []serving{fifo, static, continuous, prefix, shedding}
	f.seeds = []uint64{1, 2, 3}
	f.rates = []float64{0.6, 1.2, 2, 3, 4.5, 6}
	return f
}

// cells runs the fixture rate-major with the rung order rotated.
func (f fixture) cells() (cells []results.Cell, rows [][]results.Record) {
	order := 0
	for i, rate := range f.rates {
		for _, seed := range f.seeds {
			for j := range f.rungs {
				rung := f.rungs[(i+j)%len(f.rungs)]
				c := f.cell(results.Key{Rung: rung.name, OfferedRPS: rate, Seed: seed}, order)
				cells = append(cells, c)
				rows = append(rows, serve(c, rung))
				order++
			}
		}
	}
	return cells, rows
}

func (f fixture) cell(key results.Key, order int) results.Cell {
	var beyond results.Opt[float64]
	beyond.V, beyond.OK = f.beyond[key.Rung]
	return results.Cell{
		Extrapolated: beyond, Params: f.params(key.Rung),
		Schema: results.SchemaVersion, Key: key, Order: order, Backend: f.backend, Workload: "mixed",
		StartedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(order) * 2 * time.Minute),
		DurationS: f.duration.Seconds(), WarmupS: 15, TimeoutS: 30, SLOS: 4, EndedS: f.duration.Seconds() + 30,
		ProbeBefore: results.Some(results.Probe{PrefillTokensPerS: 1800 - float64(order%7)*9, DecodeTokensPerS: 400 - float64(order%5)*4}),
		ProbeAfter:  results.Some(results.Probe{PrefillTokensPerS: 1790, DecodeTokensPerS: 396}),
	}
}

func (f fixture) sweep() *analysis.Sweep {
	cells, rows := f.cells()
	var ms []analysis.CellMetrics
	for i := range cells {
		ms = append(ms, analysis.Measure(cells[i], rows[i], analysis.Options{}))
	}
	var plan []string
	for _, r := range f.rungs {
		plan = append(plan, r.name)
	}
	return analysis.NewSweep(ms, plan)
}

// load simulates a cell again.
func (f fixture) load(key results.Key) ([]results.Record, error) {
	for _, rung := range f.rungs {
		if rung.name == key.Rung {
			return serve(f.cell(key, 0), rung), nil
		}
	}
	return nil, fmt.Errorf("no cell %s", key.Name())
}

// source has no traces of steps.
func (f fixture) source() chartdata.Source { return chartdata.Source{Records: f.load} }

// serve steps through a cell: each step decodes one token of every running
// request and prefills a chunk of one of them.
func serve(c results.Cell, rung serving) []results.Record {
	arrivals := rand.New(rand.NewPCG(c.Seed, math.Float64bits(c.OfferedRPS)))
	var rows []results.Record
	for at := 0.0; ; {
		at += arrivals.ExpFloat64() / c.OfferedRPS
		if at >= c.DurationS {
			break
		}
		out := min(max(int(math.Exp(4.6+0.8*arrivals.NormFloat64())), 16), 512)
		intended := time.Duration(at * 1e9)
		rows = append(rows, results.Record{
			Request: int32(len(rows)), Class: "unique", Warmup: at < c.WarmupS, Intended: intended,
			Sent:         results.Some(intended + time.Duration(arrivals.IntN(900))*time.Microsecond),
			PromptTokens: 480 + int32(arrivals.IntN(170)), MaxTokens: 512, StopTokens: results.Some(int32(out)),
		})
	}
	timeout := time.Duration(c.TimeoutS * 1e9)
	var waiting, running []int
	prefilled := map[int]int32{}
	next, now := 0, time.Duration(0)
	for next < len(rows) || len(waiting)+len(running) > 0 {
		if len(waiting)+len(running) == 0 {
			now = max(now, rows[next].Sent.V)
		}
		for ; next < len(rows) && rows[next].Sent.V <= now; next++ {
			if rung.shedAbove != 0 && len(waiting)+len(running) >= rung.shedAbove {
				rows[next].Outcome, rows[next].Ended = results.Shed, results.Some(rows[next].Sent.V)
				continue
			}
			waiting = append(waiting, next)
		}
		waiting = expire(rows, waiting, now, timeout)
		running = expire(rows, running, now, timeout)
		if rung.continuous || len(running) == 0 {
			for len(waiting) > 0 && len(running) < rung.batch {
				id := waiting[0]
				waiting = waiting[1:]
				rows[id].Started = results.Some(now)
				if rung.cached {
					rows[id].CachedTokens = results.Some(rows[id].PromptTokens * 4 / 5)
					rows[id].Group, rows[id].SharedTokens = results.Some[int32](0), results.Some(rows[id].PromptTokens*9/10)
					prefilled[id] = rows[id].CachedTokens.V
				}
				running = append(running, id)
			}
		}
		budget, decoding := int32(256), 0
		step := 5 * time.Millisecond
		var ready []int
		for _, id := range running {
			if left := rows[id].PromptTokens - prefilled[id]; left > 0 {
				chunk := min(left, budget)
				prefilled[id] += chunk
				budget -= chunk
				step += time.Duration(chunk) * 250 * time.Microsecond
				if chunk < left {
					continue
				}
			}
			decoding++
			ready = append(ready, id)
		}
		now += step + time.Duration(decoding)*700*time.Microsecond
		done := map[int]bool{}
		for _, id := range ready {
			r := &rows[id]
			r.Tokens = append(r.Tokens, now)
			if len(r.Tokens) == int(r.StopTokens.V) {
				r.Outcome, r.Ended = results.Completed, results.Some(now)
				done[id] = true
			}
		}
		running = keep(running, func(id int) bool { return !done[id] })
	}
	return rows
}

func expire(rows []results.Record, ids []int, now, timeout time.Duration) []int {
	return keep(ids, func(id int) bool {
		r := &rows[id]
		if now < r.Intended+timeout {
			return true
		}
		r.Outcome, r.Ended = results.TimedOut, results.Some(max(r.Intended+timeout, r.LastToken().V))
		return false
	})
}

func keep(ids []int, cond func(int) bool) []int {
	var kept []int
	for _, id := range ids {
		if cond(id) {
			kept = append(kept, id)
		}
	}
	return kept
}

var seededSweep = sync.OnceValue(func() *analysis.Sweep { return fiveRungs().sweep() })
