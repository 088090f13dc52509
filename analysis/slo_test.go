package analysis

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// TestAtSLOIsTheRunAtThatSLO: each factor gives what measuring the rows at that
// objective gives.
func TestAtSLOIsTheRunAtThatSLO(t *testing.T) {
	for seed := range uint64(10) {
		recs := mixed(rand.New(rand.NewPCG(8, seed)), 120)
		m := Measure(pairedCell(1, 120), recs, Options{})
		require.Len(t, m.AtSLO, len(SLOFactors()))
		for _, at := range m.AtSLO {
			other := Measure(pairedCell(1, 120), recs, Options{SLOS: at.SLOS})
			require.InDelta(t, other.GoodputRPS.V*m.Window.Length(), float64(at.Good), 1e-9, "%v ×", at.Factor)
			require.Equal(t, other.Undecided, at.Undecided)
			if at.Factor == 1 {
				require.Equal(t, m.Undecided, at.Undecided)
			}
		}
	}
}

// TestUndecidedByHand: a client that gave up after 5 s missed an SLO of 4 s; whether it
// would have met one of 8 s is not known. What was refused or failed never would.
func TestUndecidedByHand(t *testing.T) {
	recs := []results.Record{
		row(1, 2*time.Second, results.Completed, 500*ms),
		row(2, 3*time.Second, results.TimedOut),
		row(3, 4*time.Second, results.TimedOut, 200*ms),
		row(4, 5*time.Second, results.Shed),
		row(5, 6*time.Second, results.Failed),
		row(6, 7*time.Second, results.Completed, 6*time.Second),
	}
	m := Measure(cell(), recs, Options{})
	require.Equal(t, []AtSLO{{0.5, 0.5, 1, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {4, 4, 1, 0}, {8, 8, 2, 2}}, m.AtSLO)
	require.Zero(t, m.Undecided)
	require.False(t, Goodput.Of(&m).Bound)

	late := Measure(cell(), recs, Options{SLOS: 7})
	require.Equal(t, 2, late.Undecided)
	require.True(t, Goodput.Of(&late).Bound)
	require.True(t, Attainment.Of(&late).Bound)
	sum := late.Summary()
	require.Subset(t, sum.LowerBounds, []string{"goodput_rps", "attainment", "attainment_admitted"})
	require.Contains(t, codesOf(NewSweep([]CellMetrics{late}, nil).Cautions()), CodeUndecided)
}

func codesOf(cautions []Caution) (codes []string) {
	for _, c := range cautions {
		codes = append(codes, c.Code)
	}
	return codes
}

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
	s := ladderOf(Options{}, []string{"one", "double"}, []server{{service: 100 * ms}, {service: 50 * ms}}, []float64{3, 5, 8, 14, 28}, 2)
	rows := s.SLORows()
	require.Len(t, rows, len(SLOFactors()))
	for i, h := range s.Headlines() {
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
