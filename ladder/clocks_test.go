package ladder

import (
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestClocksAgree: a sweep in virtual time and one on the wall clock give the same
// records and the same step traces, to the nanosecond, for every rung, in overload, with clients that
// lose patience while they wait and while they are answered.
func TestClocksAgree(t *testing.T) {
	for name, m := range map[string]celltest.Machine{
		"unified":        {},
		"streams, noisy": {Streams: true, Noise: true},
	} {
		t.Run(name, func(t *testing.T) {
			virtual, wall := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
			sweepOn(t, virtual, m)
			m.Wall = true
			synctest.Test(t, func(t *testing.T) { sweepOn(t, wall, m) })

			want, got := tellings(t, virtual), tellings(t, wall)
			require.Len(t, want, 2*len(Rungs()))
			for key := range want {
				require.Equal(t, want[key].cell, got[key].cell, key.Name())
				require.True(t, reflect.DeepEqual(want[key].records, got[key].records), "%s: the records differ", key.Name())
				require.True(t, reflect.DeepEqual(want[key].steps, got[key].steps), "%s: the steps differ", key.Name())
			}
			reached(t, want)
		})
	}
}

func sweepOn(t *testing.T, dir string, m celltest.Machine) {
	s, _, _ := newSweep(dir)
	m.Name, m.Context = "m1", 4096
	s.Machine, s.TraceSteps = &m, true
	cfg := smallConfig(t)
	cfg.Rungs, cfg.Rates, cfg.SLO, cfg.Seeds = nil, []float64{2, 20}, time.Second, []uint64{1}
	for _, r := range Rungs() {
		cfg.Rungs = append(cfg.Rungs, r.Name)
	}
	cfg.Timeout = 3 * time.Second
	require.NoError(t, s.Start(t.Context(), cfg))
}

// told is all that a run says of one cell.
type told struct {
	cell    results.Cell
	records []results.Record
	steps   []results.StepRow
}

// tellings reads a run, but for what its process used of the real machine.
func tellings(t *testing.T, dir string) map[results.Key]told {
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	all := map[results.Key]told{}
	for i, e := range run.Entries {
		var it told
		it.cell, it.records, err = run.ReadCell(e)
		require.NoError(t, err)
		_, it.steps, err = results.ReadSteps(run.StepsPath(i, e.Key))
		require.NoError(t, err)
		it.cell.Usage = results.Cell{}.Usage
		all[e.Key] = it
	}
	return all
}

// reached requires that the run went through what the test is about.
func reached(t *testing.T, all map[results.Key]told) {
	waiting, answered, completed, cached := 0, 0, 0, int32(0)
	for _, it := range all {
		for _, r := range it.records {
			switch {
			case r.Outcome == results.Completed:
				completed++
			case !r.Started.OK:
				waiting++
			case len(r.Tokens) > 0:
				answered++
			}
			cached += r.CachedTokens.V
		}
	}
	for what, n := range map[string]int{"lost while waiting": waiting, "lost while answered": answered, "completed": completed, "cached tokens": int(cached)} {
		require.Positive(t, n, what)
	}
}
