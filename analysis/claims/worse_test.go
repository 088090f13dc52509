package claims

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
)

// itl is a cell with a p99 ITL and a goodput.
func itl(order int, rung string, rate float64, seed uint64, good int, itlS float64) analysis.CellMetrics {
	m := analysistest.Measured(order, rung, rate, seed, good, analysistest.P99(1))
	m.ITL.P99 = analysistest.P99(itlS)
	m.Cell.Params = analysistest.Recorded[rung]
	return m
}

func TestWorseByHand(t *testing.T) {
	cells := []analysis.CellMetrics{
		itl(0, "fifo", 1, 1, 90, 0.010), itl(1, "fifo", 1, 2, 90, 0.010), itl(2, "fifo", 4, 1, 50, 0.010), itl(3, "fifo", 4, 2, 50, 0.020),
		itl(4, "static", 1, 1, 89, 0.030), itl(5, "static", 1, 2, 89, 0.030), itl(6, "static", 4, 1, 90, 0.021), itl(7, "static", 4, 2, 80, 0.021),
		itl(8, "conformal-80", 1, 1, 80, 0.030), itl(9, "conformal-80", 1, 2, 80, 0.030), itl(10, "conformal-80", 4, 1, 40, 0.021), itl(11, "conformal-80", 4, 2, 85, 0.021),
		itl(12, "conformal-95", 1, 1, 70, 0.030), itl(13, "conformal-95", 1, 2, 70, 0.030),
	}
	s := analysis.NewSweep(cells, nil)
	require.Equal(t, []analysis.Step{{Below: "fifo", Rung: "static"}, {Below: "static", Rung: "conformal-80"}, {Below: "static", Rung: "conformal-95"}}, s.Steps())
	worse := Worse(s)
	require.Len(t, worse, 3)
	first := worse[0]
	require.Equal(t, []any{analysis.Step{Below: "fifo", Rung: "static"}, analysis.ITLP99.Key, 1.0, 2, 2, 2}, []any{first.Step, first.Key, first.OfferedRPS, first.Rates, first.Of, first.Seeds},
		"goodput 1% lower is within the floor; the ITL is worse at both rates and worst at 1 rps")
	require.InDelta(t, 2, first.Change, 1e-9)
	second := worse[1]
	require.Equal(t, []any{analysis.Step{Below: "static", Rung: "conformal-80"}, analysis.Goodput.Key, 1.0, 1, 2}, []any{second.Step, second.Key, second.OfferedRPS, second.Rates, second.Of},
		"at 4 rps it is worse on average but not in every seed")
	require.InDelta(t, 80.0/89-1, second.Change, 1e-9)
	require.Equal(t, analysis.Step{Below: "static", Rung: "conformal-95"}, worse[2].Step, "the settings of one mechanism stand side by side")
}

// A cell measured again 10% apart makes less than that no difference at its rate, and
// at rates that have nothing of their own.
func TestFloorFromReplicates(t *testing.T) {
	cells := []analysis.CellMetrics{
		itl(0, "fifo", 1, 1, 90, 0.0100), itl(1, "static", 1, 1, 90, 0.0109),
		itl(2, "fifo", 4, 1, 90, 0.0100), itl(3, "static", 4, 1, 90, 0.0109),
		itl(4, "fifo", 8, 1, 90, 0.0100), itl(5, "static", 8, 1, 90, 0.0109),
	}
	require.Equal(t, 3, Worse(analysis.NewSweep(cells, nil))[0].Rates)
	require.Zero(t, Repeats(analysis.NewSweep(cells, nil)))

	noisy := append(slices.Clone(cells), analysistest.Again(itl(6, "fifo", 1, 1, 90, 0.0120), 0, true), analysistest.Again(itl(7, "fifo", 4, 1, 90, 0.0101), 0, true))
	s := analysis.NewSweep(noisy, nil)
	require.Equal(t, 2, Repeats(s))
	f := floorsOf(s, analysis.ITLP99)
	require.InDelta(t, 0.002/0.011, f.at(1), 1e-9)
	require.Equal(t, analysis.DefaultFloor, f.at(4), "two that agree prove no precision")
	require.InDelta(t, (0.002/0.011+0.0001/0.01005)/2, f.at(8), 1e-9, "the median of the others")
	worse := Worse(s)
	require.Len(t, worse, 1)
	require.Equal(t, []any{4.0, 1, 3}, []any{worse[0].OfferedRPS, worse[0].Rates, worse[0].Of})
}

func TestLossOfABound(t *testing.T) {
	bound := analysis.Value{V: 30, OK: true, Bound: true}
	loss, ok := lossOf(analysis.E2EP99, analysis.Value{V: 10, OK: true}, bound)
	require.True(t, ok)
	require.Equal(t, 2.0, loss, "at least")
	_, ok = lossOf(analysis.E2EP99, bound, analysis.Value{V: 40, OK: true})
	require.False(t, ok)
	_, ok = lossOf(analysis.Goodput, analysis.Value{OK: true}, analysis.Value{V: 1, OK: true})
	require.False(t, ok, "nothing is no base")
}
