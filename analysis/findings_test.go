package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestTailOfAPoint(t *testing.T) {
	var cells []CellMetrics
	for seed := range uint64(2) {
		m, _ := queued("one", 1, seed, server{service: 100 * ms}, Options{})
		m.Invalid = nil
		cells = append(cells, m)
	}
	s := NewSweep(cells, nil)
	tail := s.Tails()[0]
	require.Less(t, tail.E2E.N, stats.Need(0.99)+40)
	require.Equal(t, cells[0].E2E.P99.N+cells[1].E2E.P99.N, tail.E2E.N)
	require.Equal(t, min(cells[0].E2E.P99.N, cells[1].E2E.P99.N), tail.Fewest)
	require.Equal(t, stats.Need(0.99), tail.NeedE2E)
	require.Equal(t, tail.E2E.N < tail.NeedE2E, math.IsInf(tail.E2E.Hi, 1))

	impatient, _ := queued("one", 15, 1, server{service: 100 * ms, patience: time.Second}, Options{})
	impatient.Invalid = nil
	tail = NewSweep([]CellMetrics{impatient}, nil).Tails()[0]
	require.Zero(t, tail.NeedE2E, "a third is not answered: no number will do")
	require.Equal(t, impatient.TimedOut, tail.Unanswered)
}

// survivors is a cell whose arrivals complete by their length.
func survivors(rng *rand.Rand, n int, completes func(length int) bool) CellMetrics {
	c := cell()
	c.DurationS = 2 + float64(n)/10
	var recs []results.Record
	for i := range n {
		length := 1 + rng.IntN(200)
		at := 2*time.Second + time.Duration(i)*100*ms
		r := row(i, at, results.TimedOut)
		if completes(length) {
			r = row(i, at, results.Completed, 10*ms, 20*ms)
		}
		r.StopTokens = results.Some(int32(length))
		recs = append(recs, r)
	}
	m := Measure(c, recs, Options{})
	m.Invalid = nil
	return m
}

// TestSurvivors: that the long ones do not complete is found; that any half does not is
// found as seldom as the level says.
func TestSurvivors(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	m := survivors(rng, 300, func(length int) bool { return length < 150 })
	s := NewSweep([]CellMetrics{m}, nil)
	v, ok := s.Points[0].Survivors()
	require.True(t, ok)
	require.True(t, v.Biased(), "%+v", v)
	require.Greater(t, v.Shortfall(), 0.15)
	require.Contains(t, codesOf(s.Cautions()), CodeSurvivors)
	warnings := Summaries(s)[0].Warnings
	at := slices.IndexFunc(warnings, func(c results.Caution) bool { return c.Code == CodeSurvivors })
	require.GreaterOrEqual(t, at, 0, "it is in summary.json")
	require.Contains(t, warnings[at].Text, "shorter than those offered")
	require.Equal(t, v.MeanOffered, warnings[at].Figures["mean_offered"])

	wrong, significant := 0, 0
	const trials = 400
	for range trials {
		m := survivors(rng, 200, func(int) bool { return rng.IntN(2) == 0 })
		v, _ := NewSweep([]CellMetrics{m}, nil).Points[0].Survivors()
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
	v, _ = NewSweep([]CellMetrics{m}, nil).Points[0].Survivors()
	require.Equal(t, 1.0, v.P)
	require.Zero(t, v.Shortfall())
	_, ok = NewSweep(twoRungs(), nil).Points[0].Survivors()
	require.False(t, ok, "no scripted lengths")
}

// itl is a cell with a p99 ITL and a goodput.
func itl(order int, rung string, rate float64, seed uint64, good int, itlS float64) CellMetrics {
	m := measured(order, rung, rate, seed, good, p99(1))
	m.ITL.P99 = p99(itlS)
	m.Cell.Params = recorded[rung]
	return m
}

func TestWorseByHand(t *testing.T) {
	cells := []CellMetrics{
		itl(0, "fifo", 1, 1, 90, 0.010), itl(1, "fifo", 1, 2, 90, 0.010), itl(2, "fifo", 4, 1, 50, 0.010), itl(3, "fifo", 4, 2, 50, 0.020),
		itl(4, "static", 1, 1, 89, 0.030), itl(5, "static", 1, 2, 89, 0.030), itl(6, "static", 4, 1, 90, 0.021), itl(7, "static", 4, 2, 80, 0.021),
		itl(8, "conformal-80", 1, 1, 80, 0.030), itl(9, "conformal-80", 1, 2, 80, 0.030), itl(10, "conformal-80", 4, 1, 40, 0.021), itl(11, "conformal-80", 4, 2, 85, 0.021),
		itl(12, "conformal-95", 1, 1, 70, 0.030), itl(13, "conformal-95", 1, 2, 70, 0.030),
	}
	s := NewSweep(cells, nil)
	require.Equal(t, []Step{{"fifo", "static"}, {"static", "conformal-80"}, {"static", "conformal-95"}}, s.Steps())
	worse := s.Worse()
	require.Len(t, worse, 3)
	first := worse[0]
	require.Equal(t, []any{Step{"fifo", "static"}, ITLP99.Key, 1.0, 2, 2, 2}, []any{first.Step, first.Key, first.OfferedRPS, first.Rates, first.Of, first.Seeds},
		"goodput 1% lower is within the floor; the ITL is worse at both rates and worst at 1 rps")
	require.InDelta(t, 2, first.Change, 1e-9)
	second := worse[1]
	require.Equal(t, []any{Step{"static", "conformal-80"}, Goodput.Key, 1.0, 1, 2}, []any{second.Step, second.Key, second.OfferedRPS, second.Rates, second.Of},
		"at 4 rps it is worse on average but not in every seed")
	require.InDelta(t, 80.0/89-1, second.Change, 1e-9)
	require.Equal(t, Step{"static", "conformal-95"}, worse[2].Step, "the settings of one mechanism stand side by side")
}

// A cell measured again 10% apart makes less than that no difference at its rate, and
// at rates that have nothing of their own.
func TestFloorFromReplicates(t *testing.T) {
	cells := []CellMetrics{
		itl(0, "fifo", 1, 1, 90, 0.0100), itl(1, "static", 1, 1, 90, 0.0109),
		itl(2, "fifo", 4, 1, 90, 0.0100), itl(3, "static", 4, 1, 90, 0.0109),
		itl(4, "fifo", 8, 1, 90, 0.0100), itl(5, "static", 8, 1, 90, 0.0109),
	}
	require.Equal(t, 3, NewSweep(cells, nil).Worse()[0].Rates)
	require.Zero(t, NewSweep(cells, nil).Repeats())

	noisy := append(slices.Clone(cells), again(itl(6, "fifo", 1, 1, 90, 0.0120), 0, true), again(itl(7, "fifo", 4, 1, 90, 0.0101), 0, true))
	s := NewSweep(noisy, nil)
	require.Equal(t, 2, s.Repeats())
	f := s.floors(ITLP99)
	require.InDelta(t, 0.002/0.011, f.at(1), 1e-9)
	require.Equal(t, DefaultFloor, f.at(4), "two that agree prove no precision")
	require.InDelta(t, (0.002/0.011+0.0001/0.01005)/2, f.at(8), 1e-9, "the median of the others")
	worse := s.Worse()
	require.Len(t, worse, 1)
	require.Equal(t, []any{4.0, 1, 3}, []any{worse[0].OfferedRPS, worse[0].Rates, worse[0].Of})
}

func TestLossOfABound(t *testing.T) {
	bound := Value{V: 30, OK: true, Bound: true}
	loss, ok := lossOf(E2EP99, Value{V: 10, OK: true}, bound)
	require.True(t, ok)
	require.Equal(t, 2.0, loss, "at least")
	_, ok = lossOf(E2EP99, bound, Value{V: 40, OK: true})
	require.False(t, ok)
	_, ok = lossOf(Goodput, Value{OK: true}, Value{V: 1, OK: true})
	require.False(t, ok, "nothing is no base")
}

func TestProbeDrift(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	cells := func(speed func(i int) float64) []CellMetrics {
		var all []CellMetrics
		for i := range 24 {
			m := measured(i, "fifo", float64(1+i), 1, 50, p99(1))
			m.Cell.StartedAt = start.Add(time.Duration(i) * 10 * time.Minute)
			m.Cell.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: speed(i)})
			all = append(all, m)
		}
		return all
	}
	rng := rand.New(rand.NewPCG(35, 36))
	rep := NewSweep(cells(func(i int) float64 { return 400 - 4*float64(i) + rng.NormFloat64() }), nil).Probes()
	require.True(t, rep.DriftOK)
	require.False(t, rep.PerCell)
	require.Less(t, rep.Drift.P, 0.01)
	require.InDelta(t, -24.0/354, rep.Drift.Slope, 0.005, "24 tokens/s an hour of 354")

	rep = NewSweep(cells(func(int) float64 { return 400 + 10*rng.NormFloat64() }), nil).Probes()
	require.Greater(t, rep.Drift.P, 0.05)
	require.Equal(t, rep.Drift.Lo > 0 || rep.Drift.Hi < 0, rep.Drift.P < 0.05)

	simulated := cells(func(int) float64 { return 400 })
	for i := range simulated {
		simulated[i].Cell.StartedAt = time.Time{}
	}
	rep = NewSweep(simulated, nil).Probes()
	require.True(t, rep.PerCell)
	require.Equal(t, 1.0, rep.Drift.P)
	require.False(t, NewSweep(twoRungs(), nil).Probes().DriftOK)
}
