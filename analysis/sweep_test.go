package analysis

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// measured is a cell of 100 requests of which good are within the SLO.
func measured(order int, rung string, rate float64, seed uint64, good int, e2e stats.Quantile) CellMetrics {
	m := CellMetrics{
		Cell:       results.Cell{Key: results.Key{Rung: rung, OfferedRPS: rate, Seed: seed}, Order: order},
		Arrivals:   100,
		GoodputRPS: results.Some(rate * float64(good) / 100),
		Attainment: results.Some(float64(good) / 100),
	}
	m.E2E.P99 = e2e
	m.TTFT.P50 = stats.Quantile{N: 100, Value: 0.1 * rate, Supported: true}
	return m
}

func p99(v float64) stats.Quantile { return stats.Quantile{N: 100, Value: v, Supported: true} }
func p99Above(v float64) stats.Quantile {
	return stats.Quantile{N: 100, Value: v, Censored: true, Supported: true}
}

// twoRungs was run rate-major with rotated order, so "continuous" came first once.
func twoRungs() []CellMetrics {
	return []CellMetrics{
		measured(2, "continuous", 4, 1, 50, p99(9)),
		measured(0, "fifo", 1, 1, 80, p99(3)),
		measured(1, "continuous", 1, 1, 100, p99(1)),
		measured(3, "fifo", 4, 1, 0, p99Above(30)),
		measured(4, "fifo", 1, 2, 60, p99(5)),
		measured(5, "fifo", 8, 1, 0, p99Above(30)),
	}
}

func TestSweepArranges(t *testing.T) {
	s := NewSweep(twoRungs(), nil)
	require.Equal(t, []string{"fifo", "continuous"}, s.Rungs, "as they were run")
	require.Equal(t, []float64{1, 4, 8}, s.Rates)
	require.Equal(t, []float64{1, 4}, s.CommonRates())
	require.Len(t, s.Points, 5)
	require.Len(t, s.Of("fifo"), 3)
	require.Nil(t, s.Find("continuous", 8))

	require.Equal(t, []string{"continuous", "fifo"},
		NewSweep(twoRungs(), []string{"continuous", "not run", "fifo"}).Rungs, "as planned")
}

func TestRangeOverSeeds(t *testing.T) {
	s := NewSweep(twoRungs(), nil)
	p := s.Find("fifo", 1)
	require.Equal(t, 200, p.Total(Arrivals))
	r := p.Range(E2EP99)
	require.Equal(t, Range{Mean: 4, Min: 3, Max: 5, N: 2}, r)

	p.Cells[1].E2E.P99 = p99Above(30)
	r = p.Range(E2EP99)
	require.Equal(t, 1, r.Bounds, "the mean is a bound when one of its terms is")
	require.Zero(t, p.Range(HitRate).N, "null, not 0")

	p.Cells[1].Invalid = []Warning{{CodeDispatchLag, "late"}}
	require.Equal(t, Range{Mean: 3, Min: 3, Max: 3, N: 1}, p.Range(E2EP99), "an invalid seed does not count")
	require.True(t, p.Valid())

	p.Cells[0].Invalid = p.Cells[1].Invalid
	require.False(t, p.Valid())
	require.Equal(t, 2, p.Range(E2EP99).N, "with none valid the numbers are shown, marked")
	require.Equal(t, []float64{4}, s.CommonRates())
}

func TestHeadlines(t *testing.T) {
	hs := NewSweep(twoRungs(), nil).Headlines()
	require.Len(t, hs, 2)
	fifo, continuous := hs[0], hs[1]
	require.Equal(t, 1.0, fifo.Peak.OfferedRPS)
	require.InDelta(t, 0.7, fifo.Goodput.Mean, 1e-12)
	require.Zero(t, fifo.Gain)
	require.Equal(t, 4.0, continuous.Peak.OfferedRPS)
	require.InDelta(t, 2/0.7, continuous.Gain, 1e-12)
	require.InDelta(t, 0.4, continuous.TTFT.Mean, 1e-12)
	require.Equal(t, 4.0, fifo.TailRPS, "8 rps is not common")
	require.Equal(t, 1, fifo.Tail.Bounds)
	require.Equal(t, 9.0, continuous.Tail.Mean)
}

func TestContrast(t *testing.T) {
	cells := twoRungs()
	rate, why, ok := NewSweep(cells, nil).Contrast()
	require.True(t, ok)
	require.Equal(t, 1.0, rate, "continuous holds 1 rps and not 4")
	require.Equal(t, "the highest rate at which continuous still answers 90% of arrivals within the SLO", why)

	cells[2].Attainment = results.Some(0.5)
	rate, _, _ = NewSweep(cells, nil).Contrast()
	require.Equal(t, 4.0, rate, "where its goodput peaks")

	_, _, ok = NewSweep(cells[:2], nil).Contrast()
	require.False(t, ok, "no common rate")
}

func TestProbes(t *testing.T) {
	cells := twoRungs()
	for i, speed := range []float64{400, 410, 380, 0, 400, 390} {
		if speed > 0 {
			cells[i].Cell.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: speed, PrefillTokensPerS: 4 * speed})
		}
	}
	rep := NewSweep(cells, nil).Probes()
	require.Equal(t, "fifo", rep.Rungs[0].Rung)
	require.Equal(t, 4, rep.Rungs[0].Cells)
	require.Equal(t, 1, rep.Rungs[0].Missing)
	require.Equal(t, Range{Mean: 400, Min: 390, Max: 410, N: 3}, rep.Rungs[0].Decode)
	require.InDelta(t, 30.0/396, rep.Spread.V, 1e-12)
	require.InDelta(t, 10.0/395, rep.Between.V, 1e-12)
	require.False(t, NewSweep(cells[:1], nil).Probes().Spread.OK)
}

func TestEveryMetricIsNullOnAnEmptyCell(t *testing.T) {
	m := Measure(results.Cell{WarmupS: 1, DurationS: 1}, nil, Options{})
	for _, metric := range []Metric{Achieved, Throughput, Goodput, Tokens, CompletedTokens, Attainment, Admitted, HitRate,
		TTFTP50, TTFTP99, ITLP50, ITLP99, TPOTP50, TPOTP99, E2EP50, E2EP99, LagP99} {
		v := metric.Of(&m)
		require.False(t, v.OK, metric.Key)
		require.False(t, math.IsNaN(v.V), metric.Key)
	}
}

// again is a cell as another measurement of the same rung, rate and seed.
func again(m CellMetrics, replicate int, anchor bool) CellMetrics {
	m.Cell.Replicate, m.Cell.Anchor = replicate, anchor
	return m
}

// Seed 1 was measured three times and seed 2 once: each seed weighs the same, and the
// range is over the seeds' means.
func TestReplicatesAreAveragedFirst(t *testing.T) {
	s := NewSweep([]CellMetrics{
		measured(0, "fifo", 1, 1, 80, p99(2)),
		measured(1, "fifo", 1, 2, 60, p99(7)),
		again(measured(2, "fifo", 1, 1, 90, p99(3)), 1, false),
		again(measured(3, "fifo", 1, 1, 70, p99(4)), 2, false),
	}, nil)
	p := s.Find("fifo", 1)
	require.Equal(t, 2, p.Seeds())
	require.Equal(t, Range{Mean: 5, Min: 3, Max: 7, N: 2}, p.Range(E2EP99))
	require.Equal(t, 400, p.Total(Arrivals), "totals are over all cells")
	for i, want := range []results.Key{{Seed: 1}, {Seed: 1, Replicate: 1}, {Seed: 1, Replicate: 2}, {Seed: 2}} {
		want.Rung, want.OfferedRPS = "fifo", 1
		require.Equal(t, want, p.Cells[i].Cell.Key)
	}

	p.Cells[1].E2E.P99 = p99Above(30)
	require.Equal(t, Range{Mean: 9.5, Min: 7, Max: 12, N: 2, Bounds: 1}, p.Range(E2EP99), "(2 + >30 + 4)/3 is a bound")
	p.Cells[1].Invalid = []Warning{{CodeDispatchLag, "late"}}
	require.Equal(t, Range{Mean: 5, Min: 3, Max: 7, N: 2}, p.Range(E2EP99), "an invalid replicate does not count")
}

func TestAnchorsAreApart(t *testing.T) {
	cells := append(twoRungs(), again(measured(7, "fifo", 1, 1, 10, p99(99)), 0, true), again(measured(6, "fifo", 16, 1, 10, p99(99)), 0, true))
	s, without := NewSweep(cells, nil), NewSweep(twoRungs(), nil)
	require.Len(t, s.Anchors, 2)
	require.Equal(t, 16.0, s.Anchors[0].Cell.OfferedRPS, "in the order of the sweep")
	require.Len(t, s.All(), 8)
	require.Equal(t, 7, s.All()[7].Cell.Order)
	require.Equal(t, without.Points, s.Points)
	require.Equal(t, without.Rates, s.Rates)
	require.Equal(t, without.Headlines(), s.Headlines())
	require.Len(t, Summaries(s), 8)
}

func TestAnchorsOf(t *testing.T) {
	probed := func(m CellMetrics, speed float64) CellMetrics {
		m.Cell.ProbeBefore = results.Some(results.Probe{DecodeTokensPerS: speed})
		return m
	}
	void := again(measured(9, "fifo", 4, 2, 50, p99(1)), 0, true)
	void.Invalid = []Warning{{CodeDispatchLag, "late"}}
	s := NewSweep([]CellMetrics{
		probed(measured(0, "fifo", 1, 1, 80, p99(2)), 400), probed(measured(1, "fifo", 1, 2, 50, p99(4)), 400),
		again(measured(2, "fifo", 1, 1, 10, p99(99)), 1, false), // no replicate stands for the first measurement
		measured(3, "fifo", 4, 1, 0, p99Above(30)), measured(4, "fifo", 4, 2, 50, p99(1)),
		probed(again(measured(6, "fifo", 1, 1, 100, p99(1)), 0, true), 380), probed(again(measured(7, "fifo", 1, 2, 50, p99(5)), 0, true), 400),
		again(measured(8, "fifo", 4, 1, 10, p99(20)), 0, true), void,
		again(measured(10, "static", 4, 1, 10, p99(20)), 0, true), // of nothing
	}, nil)
	rep := s.AnchorsOf()
	require.Equal(t, 2, rep.Void)
	require.Len(t, rep.Rows, 2*5)
	goodput, p99E2E, probe := rep.Rows[0], rep.Rows[3], rep.Rows[4]
	require.Equal(t, 5, goodput.Between)
	require.Equal(t, "fifo", goodput.Rung)
	require.InDelta(t, 0.25, goodput.Difference.Max, 1e-12, "1.0 over 0.8")
	require.Zero(t, goodput.Difference.Min, "0.5 over 0.5")
	require.InDelta(t, 0.125, goodput.Difference.Mean, 1e-12)
	require.Equal(t, Range{Mean: -0.125, Min: -0.5, Max: 0.25, N: 2}, p99E2E.Difference)
	require.InDelta(t, -0.05, probe.Difference.Min, 1e-12)
	require.Equal(t, 4.0, rep.Rows[5].OfferedRPS)
	require.Zero(t, rep.Rows[5].Difference.N, "nothing is a multiple of no goodput")
	require.Zero(t, rep.Rows[8].Difference.N, "a bound has no difference")
	require.InDelta(t, -0.5, rep.Worst[3].V, 1e-12)
	require.False(t, rep.Rows[9].First.N > 0, "not probed")
}
