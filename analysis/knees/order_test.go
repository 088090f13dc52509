package knees

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
)

func peakOf(rung string, goodput ...float64) SLOPeak {
	p := SLOPeak{Rung: rung, Seeds: len(goodput), perSeed: map[uint64]float64{}}
	for i, g := range goodput {
		p.perSeed[uint64(i)] = g
		p.Goodput += g / float64(len(goodput))
	}
	p.Most = p.Goodput
	return p
}

func TestSwaps(t *testing.T) {
	rows := []SLORow{
		{Factor: 1, Peaks: []SLOPeak{peakOf("a", 2, 2), peakOf("b", 1, 1), peakOf("c", 2.05, 2.05)}},
		{Factor: 2, Peaks: []SLOPeak{peakOf("a", 2, 2), peakOf("b", 4, 4), peakOf("c", 1.9, 2.9)}},
	}
	require.Equal(t, []Swap{{A: "a", B: "b", AAhead: []float64{1}, BAhead: []float64{2}}, {A: "b", B: "c", AAhead: []float64{2}, BAhead: []float64{1}}}, Swaps(rows),
		"a and c are within 5%, or not the same in every seed")
	require.Equal(t, []string{"c", "a", "b"}, rows[0].Order())
	require.True(t, rows[0].ToldApart())
	undecided := peakOf("b", 1, 1)
	undecided.Most = 3
	require.False(t, Ahead(peakOf("a", 2, 2), undecided), "what is undecided counts for the other")
	require.False(t, Ahead(peakOf("a", 2), SLOPeak{Rung: "none"}))
}

func TestSLORowsOfALadder(t *testing.T) {
	s := analysistest.Ladder(analysis.Options{}, []string{"one", "double"}, []analysistest.Server{{Service: 100 * time.Millisecond}, {Service: 50 * time.Millisecond}}, []float64{3, 5, 8, 14, 28}, 2)
	rows := SLORows(s)
	require.Len(t, rows, len(analysis.SLOFactors()))
	for i, h := range Headlines(s) {
		require.Equal(t, 1.0, rows[1].Peaks[1].Goodput/rows[1].Peaks[1].Most, "nobody gave up")
		require.InDelta(t, h.Goodput.Mean, rows[1].Peaks[i].Goodput, 1e-9, "at the SLO itself it is the headline")
		require.Equal(t, h.Peak.OfferedRPS, rows[1].Peaks[i].OfferedRPS)
	}
	last := 0.0
	for _, row := range rows {
		require.GreaterOrEqual(t, row.Peaks[0].Goodput, last, "a longer objective loses nothing")
		last = row.Peaks[0].Goodput
	}
	require.Empty(t, Swaps(rows))
}
