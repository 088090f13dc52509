package analysis_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis"
	"github.com/cadence-bench/cadence-bench/analysis/promise"
	"github.com/cadence-bench/cadence-bench/results"
)

// decided is a request that arrived at a second of the cell, with what a policy said
// of it, and that took so many seconds; 0 is a refusal.
func decided(id int, at, took float64, a results.Admission) results.Record {
	r := results.Record{Request: int32(id), Intended: ns(at), MaxTokens: int32(10 * (1 + id%3)), Outcome: results.Shed, Admission: results.Some(a)}
	if took > 0 {
		r.Outcome = results.Completed
		r.Tokens = []time.Duration{ns(at + took)}
	}
	return r
}

// admitted cells have an SLO of 1 s and a window of 0 to 100 s.
func admitted(recs []results.Record, params map[string]string) analysis.CellMetrics {
	cell := results.Cell{DurationS: 100, TimeoutS: 10, SLOS: 1, Params: params, UpperRequests: results.Some(8.0)}
	return analysis.Measure(cell, recs, analysis.Options{})
}

func TestPromise(t *testing.T) {
	bound := results.Some(500 * time.Millisecond)
	yes := results.Admission{Admitted: true, Reason: "fits", Bound: bound, Propensity: 1}
	forced := yes
	forced.Forced, forced.Reason = true, "explore"
	no := results.Admission{Reason: "too-late"}
	dropped := decided(6, 60, 0, yes)
	m := admitted([]results.Record{
		decided(0, 0, 0.4, yes),   // kept, within its bound
		decided(1, 10, 0.8, yes),  // kept, beyond it
		decided(2, 20, 1.5, yes),  // violated
		decided(3, 30, 0, no),     // refused
		decided(4, 40, 3, forced), // late, and no promise
		decided(5, 50, 1, yes),    // at the SLO is within it
		dropped,                   // taken, and turned away: violated
		decided(7, 150, 0.1, yes), // after the window
	}, map[string]string{"admission": "conformal", "admission_alpha": "0.05"})
	p := m.Promise.V
	require.True(t, m.Promise.OK)
	require.Equal(t, "conformal", p.Policy)
	require.Equal(t, results.Some(0.05), p.Alpha)
	require.Equal(t, promise.Counts{Arrivals: 7, Taken: 6, Forced: 1, Dropped: 1, Good: 3}, p.Counts)
	require.Equal(t, 5, p.Promised)
	require.Equal(t, 2, p.Violations)
	require.Equal(t, 5, p.Bounded)
	require.Equal(t, 1, p.Covered)
	require.Equal(t, []promise.ReasonCount{{Reason: "explore", N: 1}, {Reason: "fits", N: 5}, {Reason: "too-late", N: 1}}, p.Reasons)
	require.Equal(t, results.Some(8.0), p.Upper)
	require.False(t, p.Worst.OK, "fewer than %d", promise.WorstRun)
	sum := promise.Counts{}
	for _, c := range p.Length {
		sum.Arrivals, sum.Taken, sum.Good = sum.Arrivals+c.Arrivals, sum.Taken+c.Taken, sum.Good+c.Good
	}
	require.Equal(t, promise.Counts{Arrivals: 7, Taken: 6, Good: 3}, sum)
	require.InDelta(t, 3.0/6, m.AttainmentAdmitted.V, 1e-12, "a dropped request was taken")

	require.False(t, admitted(nil, nil).Promise.OK)
	other := admitted([]results.Record{decided(0, 0, 0.4, yes)}, map[string]string{"admission": "vegas", "admission_alpha": "3"})
	require.False(t, other.Promise.V.Alpha.OK, "its own alpha is no promise")
}

// A policy that takes everything for three seconds and then nothing for three is found
// to chatter; one that takes by a coin is not.
func TestPace(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	pace := func(take func(at float64) bool) promise.Pace {
		var recs []results.Record
		for id, at := 0, 0.0; at < 100; id, at = id+1, at+rng.ExpFloat64()/20 {
			recs = append(recs, decided(id, at, 0.1, results.Admission{Admitted: take(at)}))
		}
		m := admitted(recs, nil)
		return m.Promise.V.Pace
	}
	waves := pace(func(at float64) bool { return int(at)/3%2 == 0 })
	require.Less(t, waves.Lowest.V, -0.8)
	require.Equal(t, 3, waves.LowestAt)
	coin := pace(func(float64) bool { return rng.Float64() < 0.5 })
	require.Greater(t, coin.Lowest.V, 1.5*coin.Noise)
	require.Len(t, coin.PerSecond, 100)
	below := 0
	for range 400 {
		if p := pace(func(float64) bool { return rng.Float64() < 0.5 }); p.Lowest.V < p.Noise {
			below++
		}
	}
	require.InDelta(t, 0.05, float64(below)/400, 0.04, "by chance one in twenty is as low as Noise")
}

func ns(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }
