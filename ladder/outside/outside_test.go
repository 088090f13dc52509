package outside_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/outside"
	"github.com/cadence-bench/cadence-bench/ladder/published"
	"github.com/cadence-bench/cadence-bench/ladder/sim"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestMeasure recovers the costs of a machine that are known, from the times of its
// answers alone: a published one, simulated, stands for the server.
func TestMeasure(t *testing.T) {
	truth, id, err := published.Open("a100-llama-2-7b")
	require.NoError(t, err)
	c, err := truth.Calibration()
	require.NoError(t, err)
	server, err := sim.New(sim.Config{Calibration: c, ID: id, Setting: c.Chosen.Setting})
	require.NoError(t, err)
	rung := spec.Rung{Name: "server"}
	rung.Policy.MaxBatch, rung.Policy.StepTokens, rung.Policy.Refill, rung.Policy.DecodeFirst = 24, 512, true, true
	tapes := cell.NewTapes(server)
	cost, err := truth.Cost()
	require.NoError(t, err)
	charged := func(pass, row string, rows int) float64 {
		return 1e3 * (cost[pass].Seconds + cost[row].Seconds*float64(rows))
	}

	asked := 0
	got, held, err := outside.Measure(t.Context(), outside.Config{
		Name: "server", Note: func(string) {}, Facts: results.Calibration{Host: results.Host{CPU: "a machine", Cores: 2}},
		Measure: func(ctx context.Context, s cell.Setup, tape *cell.Tape) (*cell.Result, error) {
			asked++
			s.Server, s.Machine, s.Rung, s.NoProbes = nil, server, rung, true
			s.Shape = cell.ShapeFor([]spec.Rung{rung}, 4096)
			served, err := tapes.Tokenise(tape.Tape)
			require.NoError(t, err)
			return s.Run(ctx, served)
		},
	})
	require.NoError(t, err)
	require.Equal(t, 5*(5+6)+1, asked)
	for _, s := range got.Speeds[:6] { // decode steps of the batches, to the rounding of a nanosecond
		var rows int
		_, err := fmt.Sscanf(s.Name, "pass of %d rows", &rows)
		require.NoError(t, err)
		want := charged("pass_4", "row_4", rows)
		switch rows {
		case 1:
			want = 1e3 * cost["pass_1"].Seconds
		case 2:
			want = charged("pass_2", "row_2", rows)
		}
		require.InEpsilon(t, want, s.Value, 1e-3, s.Name)
	}
	require.Len(t, held, 6)
	for _, h := range held {
		require.Less(t, math.Abs(h.Error()), 0.2, "%s: %+v", h.Name, h)
	}
	require.Less(t, got.Costs[0].Scheduled.HeldOutMedianAbsRel, 0.15)
	require.NoError(t, got.Check())
}
