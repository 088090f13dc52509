package ladder

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// TestClocksAgree: a sweep in virtual time and one on the wall clock write the same
// bytes, cells and step traces alike, for every rung, in overload, with clients that
// lose patience while they wait and while they are answered.
func TestClocksAgree(t *testing.T) {
	for name, m := range map[string]fakeMachine{
		"unified":        {},
		"streams, noisy": {streams: true, noise: true},
	} {
		t.Run(name, func(t *testing.T) {
			virtual, wall := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
			sweepOn(t, virtual, m)
			m.wall = true
			synctest.Test(t, func(t *testing.T) { sweepOn(t, wall, m) })

			want := bytesOf(t, virtual)
			require.Len(t, want, 2*2*len(Rungs()))
			require.Equal(t, want, bytesOf(t, wall))
			reached(t, virtual)
		})
	}
}

func sweepOn(t *testing.T, dir string, m fakeMachine) {
	s, _, _ := newSweep(dir)
	m.model, m.context = "m1", 4096
	s.Machine, s.TraceSteps = &m, true
	cfg := smallConfig(t)
	cfg.Rungs, cfg.Rates, cfg.SLO, cfg.Seeds = nil, []float64{2, 20}, time.Second, []uint64{1}
	for _, r := range Rungs() {
		cfg.Rungs = append(cfg.Rungs, r.Name)
	}
	cfg.Timeout = 3 * time.Second
	require.NoError(t, s.Start(t.Context(), cfg))
}

// bytesOf are the cells and step traces of a run by name.
func bytesOf(t *testing.T, dir string) map[string]string {
	all := files(t, dir)
	traces, err := filepath.Glob(filepath.Join(dir, "steps", "*.parquet"))
	require.NoError(t, err)
	for _, file := range traces {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		all["steps/"+filepath.Base(file)] = string(data)
	}
	return all
}

// reached requires that the run went through what the test is about.
func reached(t *testing.T, dir string) {
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	waiting, answered, completed, cached := 0, 0, 0, int32(0)
	for _, e := range run.Entries {
		_, records, err := run.ReadCell(e)
		require.NoError(t, err)
		for _, r := range records {
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
