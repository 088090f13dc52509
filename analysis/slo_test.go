package analysis_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/analysis/cautions"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestAtSLOIsTheRunAtThatSLO: each factor gives what measuring the rows at that
// objective gives.
func TestAtSLOIsTheRunAtThatSLO(t *testing.T) {
	for seed := range uint64(10) {
		recs := analysistest.Mixed(rand.New(rand.NewPCG(8, seed)), 120)
		m := analysis.Measure(analysistest.PairedCell(1, 120), recs, analysis.Options{})
		require.Len(t, m.AtSLO, len(analysis.SLOFactors()))
		for _, at := range m.AtSLO {
			other := analysis.Measure(analysistest.PairedCell(1, 120), recs, analysis.Options{SLOS: at.SLOS})
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
		analysistest.Row(1, 2*time.Second, results.Completed, 500*ms),
		analysistest.Row(2, 3*time.Second, results.TimedOut),
		analysistest.Row(3, 4*time.Second, results.TimedOut, 200*ms),
		analysistest.Row(4, 5*time.Second, results.Shed),
		analysistest.Row(5, 6*time.Second, results.Failed),
		analysistest.Row(6, 7*time.Second, results.Completed, 6*time.Second),
	}
	m := analysis.Measure(analysistest.Cell(), recs, analysis.Options{})
	require.Equal(t, []analysis.AtSLO{{Factor: 0.5, SLOS: 0.5, Good: 1, Undecided: 0}, {Factor: 1, SLOS: 1, Good: 1, Undecided: 0}, {Factor: 2, SLOS: 2, Good: 1, Undecided: 0}, {Factor: 4, SLOS: 4, Good: 1, Undecided: 0}, {Factor: 8, SLOS: 8, Good: 2, Undecided: 2}}, m.AtSLO)
	require.Zero(t, m.Undecided)
	require.False(t, analysis.Goodput.Of(&m).Bound)

	late := analysis.Measure(analysistest.Cell(), recs, analysis.Options{SLOS: 7})
	require.Equal(t, 2, late.Undecided)
	require.True(t, analysis.Goodput.Of(&late).Bound)
	require.True(t, analysis.Attainment.Of(&late).Bound)
	sum := late.Summary()
	require.Subset(t, sum.LowerBounds, []string{"goodput_rps", "attainment", "attainment_admitted"})
	all := cautions.Of(analysis.NewSweep([]analysis.CellMetrics{late}, nil))
	require.True(t, slices.ContainsFunc(all, func(c cautions.Caution) bool { return c.Code == cautions.CodeUndecided }))
}
