package cautions

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestTailOfAPoint(t *testing.T) {
	var cells []analysis.CellMetrics
	for seed := range uint64(2) {
		m, _ := analysistest.Queued("one", 1, seed, analysistest.Server{Service: 100 * time.Millisecond}, analysis.Options{})
		m.Invalid = nil
		cells = append(cells, m)
	}
	s := analysis.NewSweep(cells, nil)
	tail := Tails(s)[0]
	require.Less(t, tail.E2E.N, stats.Need(0.99)+40)
	require.Equal(t, cells[0].E2E.P99.N+cells[1].E2E.P99.N, tail.E2E.N)
	require.Equal(t, min(cells[0].E2E.P99.N, cells[1].E2E.P99.N), tail.Fewest)
	require.Equal(t, stats.Need(0.99), tail.NeedE2E)
	require.Equal(t, tail.E2E.N < tail.NeedE2E, math.IsInf(tail.E2E.Hi, 1))

	impatient, _ := analysistest.Queued("one", 15, 1, analysistest.Server{Service: 100 * time.Millisecond, Patience: time.Second}, analysis.Options{})
	impatient.Invalid = nil
	tail = Tails(analysis.NewSweep([]analysis.CellMetrics{impatient}, nil))[0]
	require.Zero(t, tail.NeedE2E, "a third is not answered: no number will do")
	require.Equal(t, impatient.TimedOut, tail.Unanswered)
}

// survivors is a cell whose arrivals complete by their length.
func survivors(rng *rand.Rand, n int, completes func(length int) bool) analysis.CellMetrics {
	c := analysistest.Cell()
	c.DurationS = 2 + float64(n)/10
	var recs []results.Record
	for i := range n {
		length := 1 + rng.IntN(200)
		at := 2*time.Second + time.Duration(i)*100*time.Millisecond
		r := analysistest.Row(i, at, results.TimedOut)
		if completes(length) {
			r = analysistest.Row(i, at, results.Completed, 10*time.Millisecond, 20*time.Millisecond)
		}
		r.StopTokens = results.Some(int32(length))
		recs = append(recs, r)
	}
	m := analysis.Measure(c, recs, analysis.Options{})
	m.Invalid = nil
	return m
}

// TestSurvivors: that the long ones do not complete is found; that any half does not is
// found as seldom as the level says.
func TestSurvivors(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	m := survivors(rng, 300, func(length int) bool { return length < 150 })
	s := analysis.NewSweep([]analysis.CellMetrics{m}, nil)
	v, ok := SurvivorsOf(&s.Points[0])
	require.True(t, ok)
	require.True(t, v.Biased(), "%+v", v)
	require.Greater(t, v.Shortfall(), 0.15)
	require.Contains(t, codesOf(Of(s)), CodeSurvivors)
	warnings := Summaries(s)[0].Warnings
	at := slices.IndexFunc(warnings, func(c results.Caution) bool { return c.Code == CodeSurvivors })
	require.GreaterOrEqual(t, at, 0, "it is in summary.json")
	require.Contains(t, warnings[at].Text, "shorter than those offered")
	require.Equal(t, v.MeanOffered, warnings[at].Figures["mean_offered"])

	wrong, significant := 0, 0
	const trials = 400
	for range trials {
		m := survivors(rng, 200, func(int) bool { return rng.IntN(2) == 0 })
		v, _ := SurvivorsOf(&analysis.NewSweep([]analysis.CellMetrics{m}, nil).Points[0])
		if v.Biased() {
			wrong++
		}
		if v.P < 0.05 {
			significant++
		}
	}
	require.LessOrEqual(t, wrong, trials*3/100)
	require.InDelta(t, 0.05, float64(significant)/trials, 0.035)

	m = survivors(rng, 50, func(int) bool { return true })
	v, _ = SurvivorsOf(&analysis.NewSweep([]analysis.CellMetrics{m}, nil).Points[0])
	require.Equal(t, 1.0, v.P)
	require.Zero(t, v.Shortfall())
	_, ok = SurvivorsOf(&analysis.NewSweep(analysistest.TwoRungs(), nil).Points[0])
	require.False(t, ok, "no scripted lengths")
}

func TestProbeDrift(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	cells := func(speed func(i int) float64) []analysis.CellMetrics {
		var all []analysis.CellMetrics
		for i := range 24 {
			m := analysistest.Measured(i, "fifo", float64(1+i), 1, 50, analysistest.P99(1))
			m.Cell.StartedAt = start.Add(time.Duration(i) * 10 * time.Minute)
			m.Cell.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: speed(i)})
			all = append(all, m)
		}
		return all
	}
	rng := rand.New(rand.NewPCG(35, 36))
	rep := Probes(analysis.NewSweep(cells(func(i int) float64 { return 400 - 4*float64(i) + rng.NormFloat64() }), nil))
	require.True(t, rep.DriftOK)
	require.False(t, rep.PerCell)
	require.Less(t, rep.Drift.P, 0.01)
	require.InDelta(t, -24.0/354, rep.Drift.Slope, 0.005, "24 tokens/s an hour of 354")

	rep = Probes(analysis.NewSweep(cells(func(int) float64 { return 400 + 10*rng.NormFloat64() }), nil))
	require.Greater(t, rep.Drift.P, 0.05)
	require.Equal(t, rep.Drift.Lo > 0 || rep.Drift.Hi < 0, rep.Drift.P < 0.05)

	simulated := cells(func(int) float64 { return 400 })
	for i := range simulated {
		simulated[i].Cell.StartedAt = time.Time{}
	}
	rep = Probes(analysis.NewSweep(simulated, nil))
	require.True(t, rep.PerCell)
	require.Equal(t, 1.0, rep.Drift.P)
	require.False(t, Probes(analysis.NewSweep(analysistest.TwoRungs(), nil)).DriftOK)
}

func TestProbes(t *testing.T) {
	cells := analysistest.TwoRungs()
	for i, speed := range []float64{400, 410, 380, 0, 400, 390} {
		if speed > 0 {
			cells[i].Cell.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: speed, PrefillTokensPerS: 4 * speed})
		}
	}
	rep := Probes(analysis.NewSweep(cells, nil))
	require.Equal(t, "fifo", rep.Rungs[0].Rung)
	require.Equal(t, 4, rep.Rungs[0].Cells)
	require.Equal(t, 1, rep.Rungs[0].Missing)
	require.Equal(t, analysis.Range{Mean: 400, Min: 390, Max: 410, N: 3}, rep.Rungs[0].Decode)
	require.InDelta(t, 30.0/396, rep.Spread.V, 1e-12)
	require.InDelta(t, 10.0/395, rep.Between.V, 1e-12)
	require.False(t, Probes(analysis.NewSweep(cells[:1], nil)).Spread.OK)
}

func TestAnchorsOf(t *testing.T) {
	probed := func(m analysis.CellMetrics, speed float64) analysis.CellMetrics {
		m.Cell.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: speed})
		return m
	}
	void := analysistest.Again(analysistest.Measured(9, "fifo", 4, 2, 50, analysistest.P99(1)), 0, true)
	void.Invalid = []analysis.Warning{{Code: checks.CodeDispatchLag, Text: "late"}}
	s := analysis.NewSweep([]analysis.CellMetrics{
		probed(analysistest.Measured(0, "fifo", 1, 1, 80, analysistest.P99(2)), 400), probed(analysistest.Measured(1, "fifo", 1, 2, 50, analysistest.P99(4)), 400),
		analysistest.Again(analysistest.Measured(2, "fifo", 1, 1, 10, analysistest.P99(99)), 1, false), // no replicate stands for the first measurement
		analysistest.Measured(3, "fifo", 4, 1, 0, analysistest.P99Above(30)), analysistest.Measured(4, "fifo", 4, 2, 50, analysistest.P99(1)),
		probed(analysistest.Again(analysistest.Measured(6, "fifo", 1, 1, 100, analysistest.P99(1)), 0, true), 380), probed(analysistest.Again(analysistest.Measured(7, "fifo", 1, 2, 50, analysistest.P99(5)), 0, true), 400),
		analysistest.Again(analysistest.Measured(8, "fifo", 4, 1, 10, analysistest.P99(20)), 0, true), void,
		analysistest.Again(analysistest.Measured(10, "static", 4, 1, 10, analysistest.P99(20)), 0, true), // of nothing
	}, nil)
	rep := Anchors(s)
	require.Equal(t, 2, rep.Void)
	require.Len(t, rep.Rows, 2*5)
	goodput, p99E2E, probe := rep.Rows[0], rep.Rows[3], rep.Rows[4]
	require.Equal(t, 5, goodput.Between)
	require.Equal(t, "fifo", goodput.Rung)
	require.InDelta(t, 0.25, goodput.Difference.Max, 1e-12, "1.0 over 0.8")
	require.Zero(t, goodput.Difference.Min, "0.5 over 0.5")
	require.InDelta(t, 0.125, goodput.Difference.Mean, 1e-12)
	require.Equal(t, analysis.Range{Mean: -0.125, Min: -0.5, Max: 0.25, N: 2}, p99E2E.Difference)
	require.InDelta(t, -0.05, probe.Difference.Min, 1e-12)
	require.Equal(t, 4.0, rep.Rows[5].OfferedRPS)
	require.Zero(t, rep.Rows[5].Difference.N, "nothing is a multiple of no goodput")
	require.Zero(t, rep.Rows[8].Difference.N, "a bound has no difference")
	require.InDelta(t, -0.5, rep.Worst[3].V, 1e-12)
	require.False(t, rep.Rows[9].First.N > 0, "not probed")
}

func codesOf(cautions []Caution) (codes []string) {
	for _, c := range cautions {
		codes = append(codes, c.Code)
	}
	return codes
}

// One server of 10/s is offered rates on both sides of its knee, and only above it.
func TestCautionsOfAKnee(t *testing.T) {
	of := func(rates ...float64) []Caution {
		s := analysistest.Ladder(analysis.Options{}, []string{"one"}, []analysistest.Server{{Service: 100 * time.Millisecond}}, rates, 3)
		return OfKnee(&knees.Of(s)[0])
	}
	require.Empty(t, of(3, 5, 8, 14, 28))
	c := of(14, 20)
	require.Len(t, c, 1)
	require.Equal(t, []any{knees.CodeKneeBelow, results.AboutRung, 14.0}, []any{c[0].Code, c[0].About, c[0].OfferedRPS})
	require.Greater(t, c[0].Figures["growth"], 0.2)
}
