package ladder

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
	"github.com/cadence-bench/cadence-bench/engine"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// TestDefaultRungs: the built-in ladder's file says exactly these rungs; committed runs
// and the predecessor's comparison rest on them.
func TestDefaultRungs(t *testing.T) {
	continuous := engine.Policy{MaxBatch: 24, Refill: true, DecodeFirst: true, StepTokens: 512}
	paged := engine.CacheConfig{Paged: true, Prefix: true, BlockTokens: 16}
	conformal := func(name, adds string, alpha float64) spec.Rung {
		return spec.Rung{
			Name: name, Adds: adds, Settings: spec.Settings{
				Policy: continuous, Cache: paged,
				Admission: admission.Spec{Policy: "conformal", Params: map[string]float64{"alpha": alpha}},
			},
		}
	}
	require.Equal(t, []spec.Rung{
		{Name: "fifo", Adds: "the baseline", Settings: spec.Settings{Policy: engine.Policy{MaxBatch: 1, StepTokens: 512}}},
		{
			Name: "static", Adds: "requests run in batches of 8 that wait up to 50 ms to fill and drain wholly",
			Settings: spec.Settings{Policy: engine.Policy{MaxBatch: 8, FillWait: 50 * time.Millisecond, StepTokens: 512}},
		},
		{
			Name: "continuous", Adds: "requests join and leave at every step (up to 24 run), prompts are prefilled in chunks behind the decoding rows",
			Settings: spec.Settings{Policy: continuous},
		},
		{
			Name: "paged", Adds: "KV cells are taken in blocks of 16 as tokens are computed, instead of reserved for the whole answer",
			Settings: spec.Settings{Policy: continuous, Cache: engine.CacheConfig{Paged: true, BlockTokens: 16}}, Optional: true,
		},
		{
			Name: "prefix", Adds: "KV cells are taken in blocks of 16, and the beginning of a prompt that is cached is not computed again",
			Settings: spec.Settings{Policy: continuous, Cache: paged},
		},
		conformal("conformal-80", "a request is taken only if a bound on its latency fits the SLO, so that at most 20% of those taken are late", 0.2),
		conformal("conformal-95", "as conformal-80, at most 5% late", 0.05),
		conformal("conformal-99", "as conformal-80, at most 1% late", 0.01),
	}, Rungs())
}

func openLadder(t *testing.T, name string) *spec.Ladder {
	t.Helper()
	l, err := spec.Open(name)
	require.NoError(t, err)
	return l
}

func TestSteps(t *testing.T) {
	type step struct {
		rung, below         string
		mechanisms, between []string
	}
	for name, want := range map[string][]step{
		"cadence": {
			{"fifo", "", nil, nil},
			{"static", "fifo", []string{"batching"}, nil},
			{"continuous", "static", []string{"batching", "step composition"}, nil},
			{"paged", "continuous", []string{"paging"}, nil},
			{"prefix", "continuous", []string{"prefix cache", "paging"}, []string{"paged"}},
			{"conformal-80", "prefix", []string{"admission"}, nil},
			{"conformal-95", "conformal-80", []string{"admission"}, nil},
			{"conformal-99", "conformal-95", []string{"admission"}, nil},
		},
		"kv": {
			{"continuous", "", nil, nil},
			{"paged", "continuous", []string{"paging"}, nil},
			{"optimistic", "paged", []string{"preemption"}, nil},
			{"prefix-eager", "paged", []string{"prefix cache"}, []string{"optimistic"}},
			{"prefix", "prefix-eager", []string{"prefix cache"}, nil},
			{"late-publish", "prefix", []string{"prefix cache"}, nil},
		},
	} {
		var got []step
		for _, s := range Steps(openLadder(t, name).Rungs) {
			it := step{s.Rung.Name, "", s.Mechanisms, s.Between}
			if s.Below != nil {
				it.below = s.Below.Name
			}
			got = append(got, it)
		}
		require.Equal(t, want, got, name)
	}
}

// TestKnobsRespectARungsOwn: a flag's default must not undo what a file says.
func TestKnobsRespectARungsOwn(t *testing.T) {
	cfg := smallConfig(t)
	cfg.Ladder = openLadder(t, "kv")
	cfg.KVRetain, cfg.MaxBatch = 640, 4
	require.NoError(t, cfg.Check())
	rungs, err := cfg.Embedded()
	require.NoError(t, err)
	require.Equal(t, []string{"continuous", "paged", "prefix-eager", "prefix", "late-publish"}, names(rungs), "without the optional one")
	waits := map[string]time.Duration{}
	for _, r := range rungs {
		waits[r.Name] = r.Policy.ShareWait
		require.Equal(t, 4, r.Policy.MaxBatch)
		require.Equal(t, r.Cache.Prefix, r.Cache.RetainCells == 640)
	}
	require.Equal(t, map[string]time.Duration{"continuous": 0, "paged": 0, "prefix-eager": 0, "prefix": 5 * time.Second, "late-publish": 5 * time.Second}, waits)

	r := spec.Rung{Settings: spec.Settings{Policy: engine.Policy{Refill: true}, Cache: engine.CacheConfig{Paged: true, Prefix: true, RetainCells: 32}, Own: spec.Own{RetainCells: true}}}
	require.Equal(t, 32, spec.Overrides{KVRetain: 640}.Turn(r).Cache.RetainCells)
	r.Policy.Refill = false
	require.Zero(t, spec.Overrides{ShareWait: time.Second}.Turn(r).Policy.ShareWait, "nobody joins a batch")
}

func TestLadderParamsRoundTrip(t *testing.T) {
	c := smallConfig(t)
	c.Rungs, c.Rates, c.NumRates = []string{"paged", "prefix"}, []float64{1}, 0
	require.NotContains(t, c.Params(), "ladder", "the default one is the program's own")
	c.Ladder = openLadder(t, "kv")
	p := c.Params()
	require.Equal(t, c.Ladder.Text, p["ladder_text"])
	got, err := ConfigOf(p)
	require.NoError(t, err)
	require.Equal(t, c, got)

	p["ladder_text"] += "# changed\n"
	_, err = ConfigOf(p)
	require.ErrorContains(t, err, "the ladder kv is not what it was")
	p["ladder_rungs"] = "name: x"
	_, err = ConfigOf(p)
	require.ErrorContains(t, err, "parameter ladder_rungs:1: the ladder has no description")
}

// TestReplayOfALadder: the rungs of another ladder are rebuilt from the manifest alone,
// each decision of theirs too, and the cells say how they were set.
func TestReplayOfALadder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	sweep, m, _ := newSweep(dir)
	sweep.TraceSteps = true
	cfg := smallConfig(t)
	cfg.Ladder = openLadder(t, "kv")
	cfg.Rungs = names(cfg.Ladder.Rungs)
	cfg.Rates, cfg.SLO, cfg.Timeout, cfg.Seeds = []float64{8}, time.Second, 4*time.Second, []uint64{1}
	require.NoError(t, sweep.Start(t.Context(), cfg))
	run, err := results.OpenRun(dir)
	require.NoError(t, err)
	again, err := ConfigOf(run.Manifest.Params)
	require.NoError(t, err)
	require.Equal(t, cfg.Ladder, again.Ladder)
	require.Len(t, run.Entries, 6)
	for _, e := range run.Entries {
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		require.Equal(t, map[bool]string{true: "0.5"}[e.Rung == "optimistic"], cell.Params["optimism"])
		_, steps, err := results.ReadSteps(run.StepsPath(e.Order, e.Key))
		require.NoError(t, err)
		got, err := replayed(t, m, again, cell, records, steps)
		require.NoError(t, err, e.Name())
		require.Nil(t, got.Mismatch, "%s: %v", e.Name(), got.Mismatch)
		require.Positive(t, got.Steps)
	}
}
