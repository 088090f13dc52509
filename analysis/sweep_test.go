package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/analysis/checks"
	"github.com/cadence-bench/cadence-bench/analysis/knees"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestSweepArranges(t *testing.T) {
	s := analysis.NewSweep(analysistest.TwoRungs(), nil)
	require.Equal(t, []string{"fifo", "continuous"}, s.Rungs, "as they were run")
	require.Equal(t, []float64{1, 4, 8}, s.Rates)
	require.Equal(t, []float64{1, 4}, s.CommonRates())
	require.Len(t, s.Points, 5)
	require.Len(t, s.Of("fifo"), 3)
	require.Nil(t, s.Find("continuous", 8))

	require.Equal(t, []string{"continuous", "fifo"},
		analysis.NewSweep(analysistest.TwoRungs(), []string{"continuous", "not run", "fifo"}).Rungs, "as planned")
}

func TestRangeOverSeeds(t *testing.T) {
	s := analysis.NewSweep(analysistest.TwoRungs(), nil)
	p := s.Find("fifo", 1)
	require.Equal(t, 200, p.Total(analysis.Arrivals))
	r := p.Range(analysis.E2EP99)
	require.Equal(t, analysis.Range{Mean: 4, Min: 3, Max: 5, N: 2}, r)

	p.Cells[1].E2E.P99 = analysistest.P99Above(30)
	r = p.Range(analysis.E2EP99)
	require.Equal(t, 1, r.Bounds, "the mean is a bound when one of its terms is")
	require.Zero(t, p.Range(analysis.HitRate).N, "null, not 0")

	p.Cells[1].Invalid = []analysis.Warning{{Code: checks.CodeDispatchLag, Text: "late"}}
	require.Equal(t, analysis.Range{Mean: 3, Min: 3, Max: 3, N: 1}, p.Range(analysis.E2EP99), "an invalid seed does not count")
	require.True(t, p.Valid())

	p.Cells[0].Invalid = p.Cells[1].Invalid
	require.False(t, p.Valid())
	require.Equal(t, 2, p.Range(analysis.E2EP99).N, "with none valid the numbers are shown, marked")
	require.Equal(t, []float64{4}, s.CommonRates())
}

func TestEveryMetricIsNullOnAnEmptyCell(t *testing.T) {
	m := analysis.Measure(results.Cell{WarmupS: 1, DurationS: 1}, nil, analysis.Options{})
	for _, metric := range []analysis.Metric{analysis.Achieved, analysis.Throughput, analysis.Goodput, analysis.Tokens, analysis.CompletedTokens, analysis.Attainment, analysis.Admitted, analysis.HitRate,
		analysis.TTFTP50, analysis.TTFTP99, analysis.ITLP50, analysis.ITLP99, analysis.TPOTP50, analysis.TPOTP99, analysis.E2EP50, analysis.E2EP99, analysis.LagP99} {
		v := metric.Of(&m)
		require.False(t, v.OK, metric.Key)
		require.False(t, math.IsNaN(v.V), metric.Key)
	}
}

// Seed 1 was measured three times and seed 2 once: each seed weighs the same, and the
// range is over the seeds' means.
func TestReplicatesAreAveragedFirst(t *testing.T) {
	s := analysis.NewSweep([]analysis.CellMetrics{
		analysistest.Measured(0, "fifo", 1, 1, 80, analysistest.P99(2)),
		analysistest.Measured(1, "fifo", 1, 2, 60, analysistest.P99(7)),
		analysistest.Again(analysistest.Measured(2, "fifo", 1, 1, 90, analysistest.P99(3)), 1, false),
		analysistest.Again(analysistest.Measured(3, "fifo", 1, 1, 70, analysistest.P99(4)), 2, false),
	}, nil)
	p := s.Find("fifo", 1)
	require.Equal(t, 2, p.Seeds())
	require.Equal(t, analysis.Range{Mean: 5, Min: 3, Max: 7, N: 2}, p.Range(analysis.E2EP99))
	require.Equal(t, 400, p.Total(analysis.Arrivals), "totals are over all cells")
	for i, want := range []results.Key{{Seed: 1}, {Seed: 1, Replicate: 1}, {Seed: 1, Replicate: 2}, {Seed: 2}} {
		want.Rung, want.OfferedRPS = "fifo", 1
		require.Equal(t, want, p.Cells[i].Cell.Key)
	}

	p.Cells[1].E2E.P99 = analysistest.P99Above(30)
	require.Equal(t, analysis.Range{Mean: 9.5, Min: 7, Max: 12, N: 2, Bounds: 1}, p.Range(analysis.E2EP99), "(2 + >30 + 4)/3 is a bound")
	p.Cells[1].Invalid = []analysis.Warning{{Code: checks.CodeDispatchLag, Text: "late"}}
	require.Equal(t, analysis.Range{Mean: 5, Min: 3, Max: 7, N: 2}, p.Range(analysis.E2EP99), "an invalid replicate does not count")
}

func TestAnchorsAreApart(t *testing.T) {
	cells := append(analysistest.TwoRungs(), analysistest.Again(analysistest.Measured(7, "fifo", 1, 1, 10, analysistest.P99(99)), 0, true), analysistest.Again(analysistest.Measured(6, "fifo", 16, 1, 10, analysistest.P99(99)), 0, true))
	s, without := analysis.NewSweep(cells, nil), analysis.NewSweep(analysistest.TwoRungs(), nil)
	require.Len(t, s.Anchors, 2)
	require.Equal(t, 16.0, s.Anchors[0].Cell.OfferedRPS, "in the order of the sweep")
	require.Len(t, s.All(), 8)
	require.Equal(t, 7, s.All()[7].Cell.Order)
	require.Equal(t, without.Points, s.Points)
	require.Equal(t, without.Rates, s.Rates)
	require.Equal(t, knees.Headlines(without), knees.Headlines(s))
	require.Len(t, cautions.Summaries(s), 8)
}

const ms = time.Millisecond
