package knees

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
)

// TestBacklogOfAnOverload: a server of 10/s that is offered 15/s falls behind by a
// third of what arrives. Clients that give up do not make it keep up, refusing does.
func TestBacklogOfAnOverload(t *testing.T) {
	for name, c := range map[string]struct {
		rate    float64
		server  analysistest.Server
		verdict Stability
		growth  float64
	}{
		"half load":            {5, analysistest.Server{Service: 100 * time.Millisecond}, Stable, 0},
		"nine tenths":          {9, analysistest.Server{Service: 100 * time.Millisecond}, Stable, 0},
		"overload":             {15, analysistest.Server{Service: 100 * time.Millisecond}, Unstable, 1.0 / 3},
		"clients give up":      {15, analysistest.Server{Service: 100 * time.Millisecond, Patience: 3 * time.Second}, Unstable, 1.0 / 3},
		"twice, and refused":   {20, analysistest.Server{Service: 100 * time.Millisecond, ShedAbove: 5}, Stable, 0},
		"far beyond, given up": {40, analysistest.Server{Service: 100 * time.Millisecond, Patience: time.Second}, Unstable, 0.75},
		"nothing but waiting":  {1, analysistest.Server{Service: 30 * time.Second, Patience: time.Second}, Unstable, 1},
		"a tenth too much":     {11, analysistest.Server{Service: 100 * time.Millisecond}, Unstable, 1.0 / 11},
	} {
		t.Run(name, func(t *testing.T) {
			var cells []analysis.CellMetrics
			for seed := range uint64(3) {
				m, _ := analysistest.Queued("fifo", c.rate, seed, c.server, analysis.Options{})
				require.True(t, m.Backlog.OK)
				m.Invalid = nil // the arrivals of a test are not of a driver's stream
				cells = append(cells, m)
			}
			got := SteadinessOf(&analysis.NewSweep(cells, nil).Points[0])
			require.InDelta(t, c.growth, got.Growth, 0.04)
			require.Equal(t, c.verdict, got.Verdict, "%+v", got)
			require.LessOrEqual(t, got.Lo, got.Growth)
			require.GreaterOrEqual(t, got.Hi, got.Growth)
		})
	}
}
