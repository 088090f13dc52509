package ladder

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/ladder/celltest"
	"github.com/cadence-bench/cadence-bench/ladder/spec"
	"github.com/cadence-bench/cadence-bench/results"
)

// gated is a ladder of admission policies: one of each way in which they decide.
const gated = `name: gated
description: admission policies
rungs:
  - {name: bare, adds: no policy, scheduler: {max_batch: 8, refill: true, decode_first: true}, kv: {paged: true, prefix: true}}
  - {name: open, adds: one that takes all, from: bare, admission: {policy: none}}
  - {name: cap, adds: one that refuses, from: bare, admission: {policy: inflight-cap, limit: 10}}
  - {name: late, adds: one that drops, from: bare, admission: {policy: deadline-drop}}
  - {name: coin, adds: one that tosses a coin, from: bare, admission: {policy: envoy, window: 4s}}
  - {name: held, adds: one that moves a threshold, from: bare, admission: {policy: conformal}}
`

func gatedRun(t *testing.T) (*celltest.Machine, Config, *results.Run) {
	t.Helper()
	sweep, m, _ := newSweep(filepath.Join(t.TempDir(), "run"))
	sweep.TraceSteps = true
	cfg := smallConfig(t)
	var err error
	cfg.Ladder, err = spec.Parse("gated", []byte(gated))
	require.NoError(t, err)
	cfg.Rates, cfg.SLO, cfg.Duration = []float64{2, 16}, 1500*time.Millisecond, 8*time.Second
	require.NoError(t, sweep.Start(t.Context(), cfg))
	run, err := results.OpenRun(sweep.Dir)
	require.NoError(t, err)
	cfg, err = ConfigOf(run.Manifest.Params)
	require.NoError(t, err)
	return m, cfg, run
}

// TestAdmissionInRecords: what a policy decided is in the rows, every arrival has its
// one outcome, and a run can be decided again from its rows and traces.
func TestAdmissionInRecords(t *testing.T) {
	m, cfg, run := gatedRun(t)
	refused, dropped := map[string]int{}, map[string]int{}
	thetas := map[string]int{}
	tokens := map[string]map[int32][]time.Duration{}
	for _, e := range run.Entries {
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		require.Empty(t, cell.Violations)
		require.Empty(t, results.Violations(records))
		for _, r := range records {
			require.Equal(t, e.Rung != "bare", r.Admission.OK)
			a := r.Admission.V
			require.Equal(t, e.Rung == "held" && a.Chance.OK, a.Threshold.OK)
			if a.Threshold.OK {
				thetas[a.Threshold.V.At]++
			}
			switch {
			case r.Refused():
				refused[e.Rung]++
				require.False(t, a.Admitted)
				require.Equal(t, results.Some(a.Reason), r.Reason)
				require.Equal(t, r.Sent, r.Ended)
			case r.Dropped():
				dropped[e.Rung]++
				require.True(t, a.Admitted)
				require.Equal(t, results.Some("dropped before its start: expired"), r.Reason)
			default:
				require.Equal(t, r.Admission.OK, a.Admitted)
			}
		}
		if e.Rung == "cap" {
			require.Equal(t, "inflight-cap", cell.Params["admission"])
			require.Equal(t, "10", cell.Params["admission_limit"])
		}
		if e.Rung == "bare" || e.Rung == "open" {
			byRequest := map[int32][]time.Duration{}
			for _, r := range records {
				byRequest[r.Request] = r.Tokens
			}
			key := cell.Key
			key.Rung = ""
			if other, ok := tokens[key.Name()]; ok {
				require.Equal(t, other, byRequest, "a policy that takes everything changes nothing")
			}
			tokens[key.Name()] = byRequest
		}
		_, steps, err := results.ReadSteps(run.StepsPath(e.Order, e.Key))
		require.NoError(t, err)
		got, err := replayed(t, m, cfg, cell, records, steps)
		require.NoError(t, err)
		require.Nil(t, got.Mismatch, "%s: %v", e.Name(), got.Mismatch)
		require.Equal(t, len(steps), got.Steps)
	}
	require.Positive(t, refused["cap"])
	require.Positive(t, refused["coin"])
	require.Positive(t, thetas["least"]+thetas["interior"])
	require.Zero(t, thetas[""])
	require.Positive(t, dropped["late"])
	require.Zero(t, refused["bare"]+refused["open"]+refused["late"]+dropped["cap"]+dropped["coin"])
}

// TestReplayFindsAnotherDecision: an admission that was not the recorded one is named.
func TestReplayFindsAnotherDecision(t *testing.T) {
	m, cfg, run := gatedRun(t)
	for _, e := range run.Entries {
		if e.Rung != "coin" {
			continue
		}
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		_, steps, err := results.ReadSteps(run.StepsPath(e.Order, e.Key))
		require.NoError(t, err)
		i := len(records) / 2
		records[i].Admission.V.Propensity += 1e-9
		got, err := replayed(t, m, cfg, cell, records, steps)
		require.NoError(t, err)
		require.NotNil(t, got.Mismatch)
		require.Equal(t, fmt.Sprint("admission of request ", i), got.Mismatch.Field)
		return
	}
}

// TestReplayOfOlderDecisions: records that were kept before thresholds were are held against
// the rest of a decision, and those that have them against all of it.
func TestReplayOfOlderDecisions(t *testing.T) {
	m, cfg, run := gatedRun(t)
	seen := false
	for _, e := range run.Entries {
		if e.Rung != "held" {
			continue
		}
		cell, records, err := run.ReadCell(e)
		require.NoError(t, err)
		_, steps, err := results.ReadSteps(run.StepsPath(e.Order, e.Key))
		require.NoError(t, err)
		i := slices.IndexFunc(records, func(r results.Record) bool { return r.Admission.V.Threshold.OK })
		if i < 0 {
			continue
		}
		seen = true
		was := records[i].Admission
		records[i].Admission.V.Threshold.V.Theta += 1e-9
		got, err := replayed(t, m, cfg, cell, records, steps)
		require.NoError(t, err)
		require.NotNil(t, got.Mismatch)
		require.Equal(t, fmt.Sprint("admission of request ", records[i].Request), got.Mismatch.Field)

		records[i].Admission = was
		for j := range records {
			records[j].Admission.V.Threshold = results.Opt[results.AdmissionThreshold]{}
		}
		got, err = replayed(t, m, cfg, cell, records, steps)
		require.NoError(t, err)
		require.Nil(t, got.Mismatch)
		records[i].Admission.V.Chance.V += 1e-9
		got, err = replayed(t, m, cfg, cell, records, steps)
		require.NoError(t, err)
		require.NotNil(t, got.Mismatch)
	}
	require.True(t, seen)
}
