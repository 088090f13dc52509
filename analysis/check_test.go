package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/loadgen"
	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/results"
)

// offered is a cell that answered every arrival after 300 ms, as its driver
// counted.
func offered(at []time.Duration) (results.Cell, []results.Record) {
	c := results.Cell{
		Key:       results.Key{Rung: "fifo", OfferedRPS: 4, Seed: 3},
		DurationS: 60, WarmupS: 5, TimeoutS: 30, SLOS: 1, EndedS: 60.3,
		Requests:     results.Some(len(at)),
		OutstandingS: results.Some(0.299 * float64(len(at))),
	}
	var recs []results.Record
	for i, t := range at {
		recs = append(recs, analysistest.Row(i, t, results.Completed, 100*ms, 300*ms))
	}
	return c, recs
}

func poisson() []time.Duration { return arrival.Poisson(4, 3, time.Minute) }

func TestAGoodCellPassesEveryCheck(t *testing.T) {
	c, recs := offered(poisson())
	c.Usage = results.Some(results.Usage{CPUS: 6, WallS: 60, Cores: 2})
	c.Disturbance = results.Some(results.Disturbance{OthersS: results.Some(1.0), Cores: 2, WallS: 60})
	c.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: 400})
	c.ProbeAfter = results.Some(results.Probe{DecodeTokensPerS: 396})
	m := analysis.Measure(c, recs, analysis.Options{})
	require.Len(t, m.Checks, len(checks.CheckDocs()))
	for i, check := range m.Checks {
		require.Equal(t, checks.CheckDocs()[i], check.CheckDoc)
		require.Equal(t, checks.Passed, check.Verdict, "%s: %s", check.Name, check.Detail)
		require.True(t, check.Figure.OK, check.Name)
	}
	figure := func(name string) float64 {
		check, ok := m.Check(name)
		require.True(t, ok)
		return check.Figure.V
	}
	require.InDelta(t, 0.05, figure(checks.CodeClientCPU), 1e-12)
	require.InDelta(t, -0.01, figure(checks.CodeProbeDrift), 1e-12)
	require.InDelta(t, 0, figure(checks.CodeLittle), 1e-9)
	require.InDelta(t, 0.001, figure(checks.CodeDispatchLag), 1e-12)
	_, ok := m.Check("no such check")
	require.False(t, ok)
}

// TestEachFaultVoidsItsCell damages a good cell in one way at a time, and only the
// check that is for it speaks.
func TestEachFaultVoidsItsCell(t *testing.T) {
	pinned := func() []time.Duration {
		var at []time.Duration
		for _, a := range poisson() {
			at = append(at, a.Truncate(time.Second))
		}
		return at
	}
	clumped := func() []time.Duration { // the right gaps, sorted into a lull and a rush by halves
		half := arrival.Poisson(1.6, 3, 30*time.Second)
		for _, a := range arrival.Poisson(6.4, 4, 30*time.Second) {
			half = append(half, 30*time.Second+a)
		}
		return half
	}
	for name, tt := range map[string]struct {
		at    []time.Duration
		edit  func(*results.Cell, []results.Record) []results.Record
		voids []string
	}{
		// inference-perf: a "Poisson" process pinned to whole seconds.
		"arrivals on whole seconds": {at: pinned(), voids: []string{checks.CodeGaps, checks.CodeDispersion}},
		// inference-perf: a "constant" process that draws exponential gaps.
		"exponential gaps under the name of constant": {at: poisson(), voids: []string{checks.CodeGaps}, edit: func(c *results.Cell, rs []results.Record) []results.Record {
			c.Arrivals = "constant"
			return rs
		}},
		// vllm#21104: the requested rate was never sent.
		"half the rate":     {at: arrival.Poisson(2, 3, time.Minute), voids: []string{checks.CodeGaps}},
		"a lull and a rush": {at: clumped(), voids: []string{checks.CodeDispersion}},
		// inference-perf#245: complete with results pending, here the last ones.
		"the last rows are lost": {voids: []string{checks.CodeConservation, checks.CodeLittle}, edit: func(_ *results.Cell, rs []results.Record) []results.Record {
			return rs[:len(rs)-8]
		}},
		"ends stamped on another clock": {voids: []string{checks.CodeLittle}, edit: func(_ *results.Cell, rs []results.Record) []results.Record {
			for i := range rs {
				rs[i].Ended = results.Some(rs[i].Ended.V + 5*time.Second)
			}
			return rs
		}},
		"the client had no CPU left": {voids: []string{checks.CodeClientCPU}, edit: func(c *results.Cell, rs []results.Record) []results.Record {
			c.Usage = results.Some(results.Usage{CPUS: 115, WallS: 60, Cores: 2})
			return rs
		}},
	} {
		t.Run(name, func(t *testing.T) {
			at := tt.at
			if at == nil {
				at = poisson()
			}
			c, recs := offered(at)
			if tt.edit != nil {
				recs = tt.edit(&c, recs)
			}
			m := analysis.Measure(c, recs, analysis.Options{})
			require.Equal(t, tt.voids, codes(m.Invalid), m.Invalid)
			for _, code := range tt.voids {
				check, _ := m.Check(code)
				require.Equal(t, checks.Voided, check.Verdict)
				require.NotEmpty(t, check.Detail)
			}
		})
	}
}

// An engine in the process is meant to use every core.
func TestABusyEngineIsNotABusyClient(t *testing.T) {
	c, recs := offered(poisson())
	c.Usage = results.Some(results.Usage{CPUS: 119, WallS: 60, Cores: 2, EngineInside: true})
	m := analysis.Measure(c, recs, analysis.Options{})
	check, _ := m.Check(checks.CodeClientCPU)
	require.Equal(t, checks.Passed, check.Verdict)
	require.InDelta(t, 119.0/120, check.Figure.V, 1e-12)
	require.True(t, m.Valid())
}

// The gaps are compared with the process that the cell names, whatever it is.
func TestGapsAgainstTheNamedProcess(t *testing.T) {
	for _, spec := range []string{"poisson", "gamma:burstiness=0.5", "weibull:burstiness=2", "constant", "spike:at=30s,for=10s,to=5"} {
		process, err := loadgen.ParseArrivals(spec)
		require.NoError(t, err)
		c, recs := offered(process.Times(4, 3, time.Minute))
		c.Arrivals = spec
		require.Empty(t, analysis.Measure(c, recs, analysis.Options{}).Invalid, spec)
	}
	c, recs := offered(arrival.Poisson(4, 3, time.Minute))
	c.Arrivals = "recorded"
	m := analysis.Measure(c, recs, analysis.Options{})
	check, _ := m.Check(checks.CodeGaps)
	require.Equal(t, checks.Unmeasured, check.Verdict, "a recording claims nothing")

	// Conversations arrive as a process; their later turns follow the answers.
	c, recs = offered(nil)
	for _, at := range arrival.Poisson(2, 3, time.Minute) {
		for turn := range int32(2) {
			r := analysistest.Row(len(recs), at+time.Duration(turn)*time.Second, results.Completed, 100*ms, 300*ms)
			r.Turn = results.Some(turn)
			recs = append(recs, r)
		}
	}
	gaps := func(rate results.Opt[float64]) checks.Check {
		c.ArrivalRPS = rate
		m := analysis.Measure(c, recs, analysis.Options{})
		check, _ := m.Check(checks.CodeGaps)
		return check
	}
	require.Equal(t, checks.Unmeasured, gaps(results.Opt[float64]{}).Verdict, "the rate of conversations is not known")
	require.Equal(t, checks.Passed, gaps(results.Some(2.0)).Verdict)
	require.Equal(t, checks.Voided, gaps(results.Some(4.0)).Verdict)
}

// Whatever a file says, judging it does not fail.
func TestImpossibleCellsAreJudged(t *testing.T) {
	for _, v := range []float64{0, -1, 1e300, math.Inf(1), math.NaN()} {
		c, recs := offered(poisson())
		recs[0].Intended = -time.Hour
		c.OfferedRPS, c.DurationS, c.EndedS = v, v, v
		c.OutstandingS = results.Some(v)
		m := analysis.Measure(c, recs, analysis.Options{})
		require.False(t, m.Valid())
	}
}
