package analysis_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/latency"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestMeasureByHand(t *testing.T) {
	recs := []results.Record{
		analysistest.Row(0, 1*time.Second, results.Completed, 100*ms, 8000*ms),        // warm-up
		analysistest.Row(1, 2*time.Second, results.Completed, 200*ms, 300*ms, 500*ms), // on the edge: in
		analysistest.Row(2, 3*time.Second, results.Completed, 400*ms, 1000*ms),        // on the SLO: within
		analysistest.Row(3, 4*time.Second, results.Completed, 600*ms, 1400*ms),        // late
		analysistest.Row(4, 5*time.Second, results.TimedOut, 4000*ms),                 // TTFT seen, E2E a bound
		analysistest.Row(5, 6*time.Second, results.TimedOut),                          // both bounds
		analysistest.Row(6, 7*time.Second, results.Shed),
		analysistest.Row(7, 8*time.Second, results.Failed),
	}
	recs[1].CachedTokens = results.Some[int32](50)
	recs[2].CachedTokens = results.Some[int32](0)
	m := analysis.Measure(analysistest.Cell(), recs, analysis.Options{})

	require.Empty(t, m.Invalid)
	require.Equal(t, latency.Window{WarmupS: 2, EndS: 10}, m.Window)
	require.Equal(t, []int{8, 7, 3, 1, 2, 0, 1},
		[]int{m.Rows, m.Arrivals, m.Completed, m.Shed, m.TimedOut, m.Cancelled, m.Failed})
	require.Equal(t, 7.0/8, m.AchievedRPS.V)
	require.Equal(t, 3.0/8, m.ThroughputRPS.V)
	require.Equal(t, 2.0/8, m.GoodputRPS.V)
	require.Equal(t, 9.0/8, m.OutputTokensPerS.V, "the warm-up request's second token came at 9 s")
	require.Equal(t, 2.0/7, m.Attainment.V)
	require.Equal(t, 2.0/6, m.AttainmentAdmitted.V)
	require.Equal(t, 0.25, m.HitRate.V, "over the prompts whose hits were measured")

	// E2E: 0.5, 1.0, 1.4, then bounds: two of 5 s, and the failure, which was not
	// answered within 5 s either.
	require.Equal(t, 6, m.E2E.P50.N, "shed has no latency")
	require.Equal(t, 1.4, m.E2E.P50.Value)
	require.False(t, m.E2E.P50.Censored)
	require.Equal(t, 5.0, m.E2E.P99.Value)
	require.True(t, m.E2E.P99.Censored)
	// TTFT: 0.2, 0.4, 0.6, 4.0, and two bounds.
	require.Equal(t, 0.6, m.TTFT.P50.Value)
	require.Equal(t, 5.0, m.TTFT.P99.Value)
	require.True(t, m.TTFT.P99.Censored)
	// ITL: 0.1, 0.2, 0.6, 0.8, pooled. TPOT: 0.15, 0.6, 0.8.
	require.Equal(t, 4, m.ITL.P50.N)
	require.Equal(t, 0.2, m.ITL.P50.Value)
	require.Equal(t, 0.8, m.ITL.P99.Value)
	require.Equal(t, 0.6, m.TPOT.P50.Value)
	require.Equal(t, 0.001, m.DispatchLag.P99.Value)
}

// vllm#54101, guidellm#1048: measured from the sending, a late driver hides its
// own queue.
func TestLatencyStartsAtTheIntendedArrival(t *testing.T) {
	r := analysistest.Row(0, 3*time.Second, results.Completed, 3000*ms, 3300*ms)
	r.Sent, r.Started = results.Some(r.Intended+2900*ms), results.Some(r.Intended+2900*ms)
	m := analysis.Measure(analysistest.Cell(), []results.Record{r}, analysis.Options{})
	require.Equal(t, 3.0, m.TTFT.P99.Value)
	require.Equal(t, 3.3, m.E2E.P99.Value)
	require.Equal(t, 2.9, m.DispatchLag.P99.Value)
}

// vllm PR #5895, sglang PR #36047: what was not measured is not 0.
func TestNotMeasuredIsNull(t *testing.T) {
	recs := []results.Record{analysistest.Row(0, 3*time.Second, results.Shed), analysistest.Row(1, 4*time.Second, results.Shed)}
	m := analysis.Measure(analysistest.Cell(), recs, analysis.Options{})
	for _, q := range []stats.Quantile{m.TTFT.P50, m.ITL.P99, m.TPOT.P50, m.E2E.P99} {
		require.Zero(t, q.N)
	}
	require.False(t, m.HitRate.OK)
	require.False(t, m.AttainmentAdmitted.OK)
	require.Equal(t, results.Some(0.0), m.Attainment, "nothing was answered in time: that was measured")
	require.Equal(t, results.Some(0.0), m.GoodputRPS)

	single := analysis.Measure(analysistest.Cell(), []results.Record{analysistest.Row(0, 3*time.Second, results.Completed, 100*ms)}, analysis.Options{})
	require.Zero(t, single.ITL.P50.N)
	require.Zero(t, single.TPOT.P50.N)
	require.Equal(t, 0.1, single.TTFT.P50.Value)
}

func TestOptionsOverrideTheCell(t *testing.T) {
	recs := []results.Record{
		analysistest.Row(0, 1*time.Second, results.Completed, 1500*ms),
		analysistest.Row(1, 5*time.Second, results.Completed, 1500*ms),
		analysistest.Row(2, 9*time.Second, results.Completed, 500*ms),
	}
	m := analysis.Measure(analysistest.Cell(), recs, analysis.Options{WarmupS: results.Some(0.0), CooldownS: 1, SLOS: 2})
	require.Equal(t, latency.Window{WarmupS: 0, EndS: 9}, m.Window)
	require.Equal(t, 2, m.Arrivals)
	require.Equal(t, 2.0/9, m.GoodputRPS.V)
	require.Equal(t, 2.0, m.SLOS)
}

func TestChecks(t *testing.T) {
	good := func() []results.Record {
		return []results.Record{
			analysistest.Row(0, 2*time.Second, results.Completed, 100*ms, 200*ms),
			analysistest.Row(1, 4*time.Second, results.Completed, 100*ms, 200*ms),
			analysistest.Row(2, 6*time.Second, results.Completed, 100*ms, 200*ms),
		}
	}
	for _, c := range []struct {
		name string
		edit func(*results.Cell, *[]results.Record)
		code string
	}{
		{"the window is empty", func(c *results.Cell, _ *[]results.Record) { c.WarmupS = 10 }, checks.CodeWindow},
		{"no arrivals", func(c *results.Cell, _ *[]results.Record) { c.WarmupS = 9 }, checks.CodeWindow},
		{"late driver", func(_ *results.Cell, rs *[]results.Record) {
			for i := range 2 {
				(*rs)[i].Sent = results.Some((*rs)[i].Intended + 51*ms)
				(*rs)[i].Started = results.Some((*rs)[i].Intended + 51*ms)
			}
		}, checks.CodeDispatchLag},
		// vllm#21104: the requested rate was never sent.
		{"never sent", func(_ *results.Cell, rs *[]results.Record) {
			(*rs)[1] = analysistest.Row(1, 4*time.Second, results.Cancelled)
			(*rs)[1].Sent, (*rs)[1].Started = results.Opt[time.Duration]{}, results.Opt[time.Duration]{}
		}, checks.CodeNotSent},
		// inference-perf#245: complete with results pending.
		{"a request without a row", func(_ *results.Cell, rs *[]results.Record) { *rs = append((*rs)[:1], (*rs)[2:]...) }, checks.CodeConservation},
		{"two outcomes", func(_ *results.Cell, rs *[]results.Record) { (*rs)[2].Request = 1 }, checks.CodeRecord},
		// vllm-omni#6693, guidellm#216: negative latencies.
		{"a token before its arrival", func(_ *results.Cell, rs *[]results.Record) { (*rs)[1].Tokens[0] = 0 }, checks.CodeRecord},
	} {
		t.Run(c.name, func(t *testing.T) {
			cell, recs := analysistest.Cell(), good()
			require.Empty(t, analysis.Measure(cell, recs, analysis.Options{}).Invalid, "before the edit")
			c.edit(&cell, &recs)
			m := analysis.Measure(cell, recs, analysis.Options{})
			require.False(t, m.Valid())
			require.Equal(t, c.code, m.Invalid[0].Code, m.Invalid)
		})
	}
}

func codes(ws []analysis.Warning) []string {
	var cs []string
	for _, w := range ws {
		cs = append(cs, w.Code)
	}
	return cs
}

func TestWarnings(t *testing.T) {
	c := analysistest.Cell()
	c.OfferedRPS = 20
	c.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: 400})
	c.ProbeAfter = results.Some(results.Probe{DecodeTokensPerS: 350})
	stalled := analysistest.Row(0, 3*time.Second, results.TimedOut, 100*ms, 200*ms)
	m := analysis.Measure(c, []results.Record{stalled}, analysis.Options{})
	require.True(t, m.Valid())
	require.Equal(t, []string{checks.CodeRate, checks.CodeProbeDrift, analysis.CodeThinP99, analysis.CodeStall}, codes(m.Warnings))
	require.Equal(t, "the probe's decode rate changed by -12% during the cell", m.Warnings[1].Text)
}

// randomCell has random requests of every outcome, all possible.
func randomCell(rng *rand.Rand) (results.Cell, []results.Record) {
	c := analysistest.Cell()
	var recs []results.Record
	for i := range 1 + rng.IntN(60) {
		at := time.Duration(rng.Int64N(int64(10 * time.Second)))
		outcome := results.Outcomes()[rng.IntN(5)]
		var tokens []time.Duration
		if outcome != results.Shed && outcome != results.Failed && outcome != results.Cancelled {
			d := time.Duration(0)
			for range 1 + rng.IntN(20) {
				d += time.Duration(1+rng.IntN(200)) * ms
				tokens = append(tokens, d)
			}
		}
		recs = append(recs, analysistest.Row(i, at, outcome, tokens...))
	}
	return c, recs
}

func TestMeasureProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		c, recs := randomCell(rng)
		m := analysis.Measure(c, recs, analysis.Options{})
		require.Equal(t, m.Arrivals, m.Completed+m.Shed+m.TimedOut+m.Cancelled+m.Failed)
		require.Equal(t, m.Arrivals-m.Shed, m.E2E.P99.N)
		require.LessOrEqual(t, m.GoodputRPS.V, m.ThroughputRPS.V)
		require.LessOrEqual(t, m.ThroughputRPS.V, m.AchievedRPS.V)
		for _, share := range []results.Opt[float64]{m.Attainment, m.AttainmentAdmitted} {
			if share.OK {
				require.GreaterOrEqual(t, share.V, 0.0)
				require.LessOrEqual(t, share.V, 1.0)
			}
		}
		if m.AttainmentAdmitted.OK {
			require.GreaterOrEqual(t, m.AttainmentAdmitted.V, m.Attainment.V)
		}
		for _, s := range []analysis.Spread{m.TTFT, m.ITL, m.TPOT, m.E2E} {
			require.GreaterOrEqual(t, order(s.P99), order(s.P50))
		}

		// InferenceX#357: shedding everything improves nothing.
		for i := range recs {
			recs[i] = analysistest.Row(i, recs[i].Intended, results.Shed)
		}
		shed := analysis.Measure(c, recs, analysis.Options{})
		require.Zero(t, shed.E2E.P50.N)
		require.Zero(t, shed.TTFT.P50.N)
		require.Zero(t, shed.GoodputRPS.V)
		require.Equal(t, m.Arrivals, shed.Shed)
	}
}

// aiperf PR #1338: a failure must not pull a latency down.
func TestFailingARequestNeverLowersItsLatency(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		c, recs := randomCell(rng)
		before := analysis.Measure(c, recs, analysis.Options{})
		i := rng.IntN(len(recs))
		if recs[i].Outcome == results.Shed {
			continue
		}
		recs[i] = analysistest.Row(i, recs[i].Intended, results.Failed)
		after := analysis.Measure(c, recs, analysis.Options{})
		require.GreaterOrEqual(t, order(after.E2E.P99), order(before.E2E.P99))
		require.GreaterOrEqual(t, order(after.E2E.P50), order(before.E2E.P50))
		require.GreaterOrEqual(t, order(after.TTFT.P50), order(before.TTFT.P50))
		require.LessOrEqual(t, after.GoodputRPS.V, before.GoodputRPS.V)
	}
}

// llama.cpp PR #21282: 25,231 ± 17,263 tokens/s without a warm-up, ± 240 with it.
// What the warm-up held, however slow, is in no figure of the steady window.
func TestWarmUpIsInNoFigure(t *testing.T) {
	warm, cold := []results.Record(nil), []results.Record(nil)
	for i := range 20 {
		at := time.Duration(i) * 500 * ms
		r := analysistest.Row(i, at, results.Completed, 100*ms, 150*ms, 200*ms)
		warm = append(warm, r)
		if r.Warmup {
			r = analysistest.Row(i, at, results.Completed, 1500*ms, 1700*ms, 1900*ms)
		}
		cold = append(cold, r)
	}
	a, b := analysis.Measure(analysistest.Cell(), warm, analysis.Options{}), analysis.Measure(analysistest.Cell(), cold, analysis.Options{})
	require.Equal(t, 16, a.Arrivals)
	require.NotEqual(t, a.OutputTokensPerS, results.Some(0.0))
	// Tokens of late answers fall into the window and are counted as what they are:
	// output of the server in that time. So are the requests that the window began with.
	b.OutputTokensPerS, b.Backlog = a.OutputTokensPerS, a.Backlog
	require.Equal(t, a, b)
	require.NotEqual(t, a.E2E, analysis.Measure(analysistest.Cell(), cold, analysis.Options{WarmupS: results.Some(0.0)}).E2E, "it would have been in them")
}

// order places a quantile among others: a censored one is above every exact one.
func order(q stats.Quantile) float64 {
	if q.Censored {
		return math.Inf(1)
	}
	return q.Value
}
