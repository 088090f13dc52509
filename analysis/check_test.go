package analysis

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/loadgen"
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
		recs = append(recs, row(i, t, results.Completed, 100*ms, 300*ms))
	}
	return c, recs
}

func poisson() []time.Duration { return loadgen.Poisson(4, 3, time.Minute) }

func TestAGoodCellPassesEveryCheck(t *testing.T) {
	c, recs := offered(poisson())
	c.Usage = results.Some(results.Usage{CPUS: 6, WallS: 60, Cores: 2})
	c.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: 400})
	c.ProbeAfter = results.Some(results.Probe{DecodeTokensPerS: 396})
	m := Measure(c, recs, Options{})
	require.Len(t, m.Checks, len(CheckDocs()))
	for i, check := range m.Checks {
		require.Equal(t, CheckDocs()[i], check.CheckDoc)
		require.Equal(t, Passed, check.Verdict, "%s: %s", check.Name, check.Detail)
		require.True(t, check.Figure.OK, check.Name)
	}
	figure := func(name string) float64 {
		check, ok := m.Check(name)
		require.True(t, ok)
		return check.Figure.V
	}
	require.InDelta(t, 0.05, figure(CodeClientCPU), 1e-12)
	require.InDelta(t, -0.01, figure(CodeProbeDrift), 1e-12)
	require.InDelta(t, 0, figure(CodeLittle), 1e-9)
	require.InDelta(t, 0.001, figure(CodeDispatchLag), 1e-12)
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
		half := loadgen.Poisson(1.6, 3, 30*time.Second)
		for _, a := range loadgen.Poisson(6.4, 4, 30*time.Second) {
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
		"arrivals on whole seconds": {at: pinned(), voids: []string{CodeGaps, CodeDispersion}},
		// inference-perf: a "constant" process that draws exponential gaps.
		"exponential gaps under the name of constant": {at: poisson(), voids: []string{CodeGaps}, edit: func(c *results.Cell, rs []results.Record) []results.Record {
			c.Arrivals = "constant"
			return rs
		}},
		// vllm#21104: the requested rate was never sent.
		"half the rate":     {at: loadgen.Poisson(2, 3, time.Minute), voids: []string{CodeGaps}},
		"a lull and a rush": {at: clumped(), voids: []string{CodeDispersion}},
		// inference-perf#245: complete with results pending, here the last ones.
		"the last rows are lost": {voids: []string{CodeConservation, CodeLittle}, edit: func(_ *results.Cell, rs []results.Record) []results.Record {
			return rs[:len(rs)-8]
		}},
		"ends stamped on another clock": {voids: []string{CodeLittle}, edit: func(_ *results.Cell, rs []results.Record) []results.Record {
			for i := range rs {
				rs[i].Ended = results.Some(rs[i].Ended.V + 5*time.Second)
			}
			return rs
		}},
		"the client had no CPU left": {voids: []string{CodeClientCPU}, edit: func(c *results.Cell, rs []results.Record) []results.Record {
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
			m := Measure(c, recs, Options{})
			require.Equal(t, tt.voids, codes(m.Invalid), m.Invalid)
			for _, code := range tt.voids {
				check, _ := m.Check(code)
				require.Equal(t, Voided, check.Verdict)
				require.NotEmpty(t, check.Detail)
			}
		})
	}
}

// An engine in the process is meant to use every core.
func TestABusyEngineIsNotABusyClient(t *testing.T) {
	c, recs := offered(poisson())
	c.Usage = results.Some(results.Usage{CPUS: 119, WallS: 60, Cores: 2, EngineInside: true})
	m := Measure(c, recs, Options{})
	check, _ := m.Check(CodeClientCPU)
	require.Equal(t, Passed, check.Verdict)
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
		require.Empty(t, Measure(c, recs, Options{}).Invalid, spec)
	}
	c, recs := offered(loadgen.Poisson(4, 3, time.Minute))
	c.Arrivals = "recorded"
	m := Measure(c, recs, Options{})
	check, _ := m.Check(CodeGaps)
	require.Equal(t, Unmeasured, check.Verdict, "a recording claims nothing")

	// Conversations arrive as a process; their later turns follow the answers.
	c, recs = offered(nil)
	for _, at := range loadgen.Poisson(2, 3, time.Minute) {
		for turn := range int32(2) {
			r := row(len(recs), at+time.Duration(turn)*time.Second, results.Completed, 100*ms, 300*ms)
			r.Turn = results.Some(turn)
			recs = append(recs, r)
		}
	}
	gaps := func(rate results.Opt[float64]) Check {
		c.ArrivalRPS = rate
		m := Measure(c, recs, Options{})
		check, _ := m.Check(CodeGaps)
		return check
	}
	require.Equal(t, Unmeasured, gaps(results.Opt[float64]{}).Verdict, "the rate of conversations is not known")
	require.Equal(t, Passed, gaps(results.Some(2.0)).Verdict)
	require.Equal(t, Voided, gaps(results.Some(4.0)).Verdict)
}

// A right process is voided for about one seed in a thousand by each check of its
// arrivals, and noted for one in twenty, in short cells as in long ones.
func TestHowOftenARightProcessIsNoted(t *testing.T) {
	const seeds = 3000
	for _, rate := range []float64{0.5, 1.7, 4} {
		counts := map[string]map[Verdict]int{CodeGaps: {}, CodeDispersion: {}}
		for seed := range uint64(seeds) {
			c, recs := offered(loadgen.Poisson(rate, seed, time.Minute))
			c.OfferedRPS = rate
			e := evidence{m: &CellMetrics{Cell: c}, recs: recs}
			for _, test := range tests {
				if verdicts, ok := counts[test.Name]; ok {
					var check Check
					test.run(e, &check)
					verdicts[check.Verdict]++
				}
			}
		}
		t.Log(rate, counts)
		for name, verdicts := range counts {
			if verdicts[Unmeasured] == seeds {
				require.Equal(t, CodeDispersion, name, "too few windows")
				continue
			}
			require.InDelta(t, seeds*(noteP-voidP), verdicts[Noted], 5*math.Sqrt(seeds*noteP), name)
			require.LessOrEqual(t, verdicts[Voided], 11, "%s: three are expected", name)
		}
	}
}

func TestOutcomeless(t *testing.T) {
	rows := func(ids ...int32) (recs []results.Record) {
		for _, id := range ids {
			recs = append(recs, results.Record{Request: id})
		}
		return recs
	}
	for _, tt := range []struct {
		recs     []results.Record
		tape     results.Opt[int]
		n, first int
	}{
		{rows(), results.Opt[int]{}, 0, 0},
		{rows(), results.Some(3), 3, 0},
		{rows(2, 0, 1), results.Some(3), 0, 0},
		{rows(0, 1), results.Some(4), 2, 2},
		{rows(0, 3), results.Opt[int]{}, 2, 1},
		{rows(0, 1, 1, 1, 2), results.Some(3), 1, 1},
		{rows(0, 0, 2, 5), results.Some(7), 5, 0},
		{rows(math.MaxInt32, -1), results.Some(1), math.MaxInt32 + 1, -1},
	} {
		n, first := outcomeless(tt.recs, tt.tape)
		require.Equal(t, []int{tt.n, tt.first}, []int{n, first})
	}
}

// Whatever a file says, judging it does not fail.
func TestImpossibleCellsAreJudged(t *testing.T) {
	for _, v := range []float64{0, -1, 1e300, math.Inf(1), math.NaN()} {
		c, recs := offered(poisson())
		recs[0].Intended = -time.Hour
		c.OfferedRPS, c.DurationS, c.EndedS = v, v, v
		c.OutstandingS = results.Some(v)
		m := Measure(c, recs, Options{})
		require.False(t, m.Valid())
	}
}
