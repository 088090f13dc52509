package analysis_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/analysistest"
	"github.com/cadence-bench/cadence-bench/results"
)

// grouped is a completed request of a group whose prompt of 100 tokens shares 60.
func grouped(id int, at time.Duration, group, cached int32) results.Record {
	r := analysistest.Row(id, at, results.Completed, 100*ms, 200*ms)
	r.Class, r.Group = "shared", results.Some(group)
	r.SharedTokens, r.CachedTokens = results.Some[int32](60), results.Some(cached)
	return r
}

func single(id int, at time.Duration) results.Record {
	r := analysistest.Row(id, at, results.Completed, 100*ms, 200*ms)
	r.CachedTokens = results.Some[int32](0)
	return r
}

// turnOf is a second turn.
func turnOf(id int, at time.Duration, cached int32) results.Record {
	r := single(id, at)
	r.Session, r.Turn, r.CachedTokens = results.Some[int32](1), results.Some[int32](1), results.Some(cached)
	return r
}

func TestHitCeiling(t *testing.T) {
	none := results.Opt[float64]{}
	for name, c := range map[string]struct {
		recs                   []results.Record
		rate, ceiling, reached results.Opt[float64]
	}{
		"all but the first of each group": {
			[]results.Record{grouped(0, 3*time.Second, 1, 0), grouped(1, 4*time.Second, 1, 48), grouped(2, 5*time.Second, 2, 0), grouped(3, 6*time.Second, 1, 48), single(4, 7*time.Second)},
			results.Some(96.0 / 500), results.Some(120.0 / 500), results.Some(0.8),
		},
		"the warm-up fills the cache too": {
			[]results.Record{grouped(0, 1*time.Second, 1, 0), grouped(1, 3*time.Second, 1, 60)},
			results.Some(0.6), results.Some(0.6), results.Some(1.0),
		},
		"no two of one group": {
			[]results.Record{grouped(0, 3*time.Second, 1, 0), grouped(1, 4*time.Second, 2, 0), single(2, 5*time.Second)},
			results.Some(0.0), results.Some(0.0), none,
		},
		"all prompts their own": {[]results.Record{single(0, 3*time.Second)}, results.Some(0.0), results.Some(0.0), none},
		// Its own past is what a turn finds again, and no group says so.
		"turns of a conversation": {[]results.Record{single(0, 3*time.Second), turnOf(1, 4*time.Second, 50)}, results.Some(0.25), none, none},
		"no prefix cache":         {[]results.Record{analysistest.Row(0, 3*time.Second, results.Completed, 100*ms)}, none, none, none},
	} {
		m := analysis.Measure(analysistest.Cell(), c.recs, analysis.Options{})
		require.Equal(t, c.rate, m.HitRate, name)
		require.Equal(t, c.ceiling, m.HitCeiling, name)
		require.Equal(t, c.reached, m.HitReached, name)
	}
}

// TestHitCeilingIsByStart: the request that arrived first did not start first, so it is
// the other one that had nothing to hit; and one that never started counts nowhere.
func TestHitCeilingIsByStart(t *testing.T) {
	early, late, never := grouped(0, 3*time.Second, 1, 60), grouped(1, 4*time.Second, 1, 0), grouped(2, 2*time.Second, 1, 0)
	early.Started, early.SharedTokens = results.Some(5*time.Second), results.Some[int32](50)
	early.Tokens, early.Ended = []time.Duration{6 * time.Second}, results.Some(6*time.Second)
	never.Outcome, never.Started, never.Tokens, never.CachedTokens = results.TimedOut, results.Opt[time.Duration]{}, nil, results.Opt[int32]{}
	m := analysis.Measure(analysistest.Cell(), []results.Record{never, early, late}, analysis.Options{})
	require.Equal(t, results.Some(50.0/200), m.HitCeiling)
}

// TestHitCeilingOfOldFiles: where it was not recorded how much is shared, the ceiling
// is not known; the rate is.
func TestHitCeilingOfOldFiles(t *testing.T) {
	recs := []results.Record{grouped(0, 3*time.Second, 1, 0), grouped(1, 4*time.Second, 1, 48)}
	for i := range recs {
		recs[i].SharedTokens = results.Opt[int32]{}
	}
	m := analysis.Measure(analysistest.Cell(), recs, analysis.Options{})
	require.Equal(t, results.Some(48.0/200), m.HitRate)
	require.False(t, m.HitCeiling.OK)
	require.False(t, m.HitReached.OK)
	require.False(t, m.Summary().HitCeiling.OK)
}
