package analysis_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/results"
)

// burst is a cell of 10 requests that were all answered within ended seconds.
func burst(rung string, replicate int, ended float64, roof results.Opt[results.Roofline]) analysis.CellMetrics {
	return analysis.CellMetrics{Rows: 10, Completed: 10, Cell: results.Cell{
		Key:      results.Key{Rung: rung, OfferedRPS: 50, Seed: 1, Replicate: replicate},
		TapeHash: "tape", EndedS: ended, Roofline: roof, Steps: results.Steps{Rows: 1200},
	}}
}

func TestCapacities(t *testing.T) {
	roof := func(prompts int) results.Opt[results.Roofline] {
		return results.Some(results.Roofline{PromptRows: prompts, DecodeRows: 200, PrefillRowsPerS: 500, DecodeRowsPerS: 100})
	}
	none := results.Opt[results.Roofline]{}
	late := burst("late", 0, 8, roof(1000))
	late.Completed = 9
	s := analysis.NewSweep([]analysis.CellMetrics{
		burst("plain", 0, 5, roof(1000)), burst("plain", 1, 8, roof(1000)), burst("plain", 2, 4, roof(1000)),
		burst("caches", 0, 4, roof(500)), burst("caches", 1, 6, roof(500)),
		burst("server", 0, 6, none), burst("server", 5, 6, none),
		late,
	}, nil)
	all := s.Capacities()
	require.Len(t, all, 3, "a cell that did not answer everything has no capacity")

	plain := all[0]
	require.Equal(t, "plain", plain.Rung)
	require.Equal(t, []float64{4, 5, 8}, plain.Took)
	require.Equal(t, []float64{0.5, 0.8, 1}, plain.Share)
	require.Equal(t, 1200, plain.LeastRows)

	require.Equal(t, []float64{0.5, 0.75}, all[1].Share)
	server := all[2]
	require.Equal(t, []float64{0.5}, server.Share, "the lowest roofline of its tape and replicate")
	require.Empty(t, server.Rows)
}
