package profile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder"
	"github.com/cadence-bench/cadence-bench/ladder/cell"
	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/loadgen"
)

// TestRungIsServedWithItsPolicy: a rung with an admission policy is profiled with it, under
// an SLO that is chosen where none is given, and its rate is that of the engine alone.
func TestRungIsServedWithItsPolicy(t *testing.T) {
	for rung, admits := range map[string]bool{"prefix": false, "conformal-95": true} {
		r := &runner{Config: Config{
			Machine: &celltest.Machine{Name: "m1", Context: 4096}, Note: func(string) {},
			Load: ladder.Config{
				Rungs: []string{rung}, Seeds: []uint64{1}, Workload: loadgen.SharedPrompt, Stop: cell.StopScripted,
				Duration: 5 * time.Second, Timeout: 10 * time.Second,
			},
		}}
		rungs, err := r.Load.Embedded()
		require.NoError(t, err)
		r.rung, r.tapes = rungs[0], cell.NewTapes(r.Machine)
		require.NoError(t, r.choose(t.Context()))
		require.Positive(t, r.Load.Rates[0])
		require.Equal(t, admits, r.Load.SLO > 0)
		var chosen []string
		for _, c := range r.Manifest.Choices {
			chosen = append(chosen, c.Name)
			require.NotEmpty(t, c.Why)
		}
		if admits {
			require.Equal(t, []string{"slo", "rate"}, chosen)
		} else {
			require.Equal(t, []string{"rate"}, chosen)
		}
		tape, err := loadgen.Make(loadgen.Spec{Workload: r.Load.Workload, RPS: 4, Seed: 1, Duration: r.Load.Duration})
		require.NoError(t, err)
		got, err := r.serve(t.Context(), tape, r.rung, r.Load.Timeout, nil)
		require.NoError(t, err)
		require.NotEmpty(t, got.Records)
		for _, rec := range got.Records {
			require.Equal(t, admits, rec.Admission.OK, rung)
		}
	}
}
