package knees

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/results"
)

func TestHeadlines(t *testing.T) {
	hs := Headlines(analysis.NewSweep(analysistest.TwoRungs(), nil))
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
	cells := analysistest.TwoRungs()
	rate, why, ok := ContrastRate(analysis.NewSweep(cells, nil))
	require.True(t, ok)
	require.Equal(t, 1.0, rate, "continuous holds 1 rps and not 4")
	require.Equal(t, "the highest rate at which continuous still answers 90% of arrivals within the SLO", why)

	cells[2].Attainment = results.Some(0.5)
	rate, _, _ = ContrastRate(analysis.NewSweep(cells, nil))
	require.Equal(t, 4.0, rate, "where its goodput peaks")

	_, _, ok = ContrastRate(analysis.NewSweep(cells[:2], nil))
	require.False(t, ok, "no common rate")
}
