package fidelity

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// served is a cell whose n requests, one a second, each take e2e, the first token after
// half of it.
func served(rung string, n int, e2e time.Duration, stepS float64) analysis.CellMetrics {
	cell := results.Cell{
		Key: results.Key{Rung: rung, OfferedRPS: 1, Seed: 1}, DurationS: float64(n + 2), TimeoutS: 60, SLOS: 1.5, Arrivals: "constant",
		Steps: results.Steps{Count: 10, ModelS: 10 * stepS},
	}
	recs := make([]results.Record, n)
	for i := range recs {
		at := time.Duration(i+1) * time.Second
		recs[i] = results.Record{
			Request: int32(i), Class: "uniform", Outcome: results.Completed, Intended: at, Sent: results.Some(at),
			Started: results.Some(at), Tokens: []time.Duration{at + e2e/2, at + e2e}, Ended: results.Some(at + e2e), PromptTokens: 1, MaxTokens: 2,
		}
	}
	m := analysis.Measure(cell, recs, analysis.Options{})
	if !m.Valid() {
		panic(m.Invalid[0].Text)
	}
	return m
}

func TestFidelityIsZeroAgainstItself(t *testing.T) {
	s := analysis.NewSweep([]analysis.CellMetrics{served("a", 50, time.Second, 0.01), served("b", 50, 2*time.Second, 0.02)}, []string{"a", "b"})
	f := Compare(s, s)
	require.Len(t, f.Cells, 2)
	for _, a := range f.Aims {
		if a.Key == analysis.HitRate.Key {
			require.Zero(t, a.N, "no cell has a prefix cache")
			continue
		}
		require.Equal(t, 2, a.N, a.Key)
		require.Equal(t, 2, a.Within)
		require.Zero(t, a.Worst)
	}
	require.Len(t, f.Orders, 3, "goodput, TTFT and E2E p50 are apart; 50 requests bound no p99")
	require.Equal(t, 3, f.Kept())
	require.Zero(t, f.Naive(), "the upper rung is the worse one")
	require.Zero(t, f.Aims[0].ContestedN, "one cell is all in time, the other never")

	s = analysis.NewSweep([]analysis.CellMetrics{served("a", 50, 2*time.Second, 0.01), served("b", 50, time.Second, 0.02)}, []string{"a", "b"})
	s.Cells[0].Attainment = results.Some(0.5)
	f = Compare(s, s)
	require.Equal(t, 3, f.Naive())
	require.Equal(t, 1, f.Aims[0].ContestedN)
}

func TestFidelityErrorsAndOrders(t *testing.T) {
	measured := analysis.NewSweep([]analysis.CellMetrics{served("a", 50, time.Second, 0.010), served("b", 50, 2*time.Second, 0.020), served("c", 50, 2*time.Second, 0.02)}, nil)
	predicted := analysis.NewSweep([]analysis.CellMetrics{served("a", 50, 1400*time.Millisecond, 0.011), served("b", 50, time.Second, 0.018)}, nil)
	f := Compare(measured, predicted)
	require.Equal(t, 1, f.Skipped, "c was not simulated")
	byKey := map[string]AimReport{}
	for _, a := range f.Aims {
		byKey[a.Key] = a
	}
	step := byKey[StepTime.Key]
	require.InDelta(t, 0.10, step.Worst, 1e-9)
	require.InDelta(t, 0, step.Bias, 1e-9)
	e2e := byKey[analysis.E2EP50.Key]
	require.InDelta(t, 0.5, e2e.Worst, 1e-9)
	require.InDelta(t, 0.4, e2e.Median, 1e-9)
	require.Zero(t, e2e.Within)
	require.Equal(t, 1, byKey[analysis.Goodput.Key].N, "b served nothing in time, but the simulation did: no ratio")
	require.Len(t, f.Orders, 3)
	for _, o := range f.Orders {
		if o.Metric.Key == analysis.Goodput.Key {
			require.Equal(t, "b", o.Lower)
		} else {
			require.Equal(t, "a", o.Lower)
		}
		require.False(t, o.Kept, "the simulation turns %s around", o.Metric.Key)
	}
}

func TestOverlappingIntervalsAreNoOrder(t *testing.T) {
	a, b := served("a", 5, time.Second, 0.01), served("b", 5, 1100*time.Millisecond, 0.01)
	s := analysis.NewSweep([]analysis.CellMetrics{a, b}, nil)
	for _, o := range Compare(s, s).Orders {
		require.NotEqual(t, analysis.Goodput.Key, o.Metric.Key, "both served all five: nothing separates them")
		require.NotEqual(t, analysis.E2EP99.Key, o.Metric.Key, "five requests bound no p99")
	}
}
