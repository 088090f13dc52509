package analysis

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/analysis/stats"
	"github.com/cadence-bench/cadence-bench/results"
)

// decided is a request that arrived at a second of the cell, with what a policy said
// of it, and that took so many seconds; 0 is a refusal.
func decided(id int, at, took float64, a results.Admission) results.Record {
	r := results.Record{Request: int32(id), Intended: nanos(at), MaxTokens: int32(10 * (1 + id%3)), Outcome: results.Shed, Admission: results.Some(a)}
	if took > 0 {
		r.Outcome = results.Completed
		r.Tokens = []time.Duration{nanos(at + took)}
	}
	return r
}

// admitted cells have an SLO of 1 s and a window of 0 to 100 s.
func admitted(recs []results.Record, params map[string]string) CellMetrics {
	cell := results.Cell{DurationS: 100, TimeoutS: 10, SLOS: 1, Params: params, UpperRequests: results.Some(8.0)}
	return Measure(cell, recs, Options{})
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
	require.Equal(t, Counts{Arrivals: 7, Taken: 6, Forced: 1, Dropped: 1, Good: 3}, p.Counts)
	require.Equal(t, 5, p.Promised)
	require.Equal(t, 2, p.Violations)
	require.Equal(t, 5, p.Bounded)
	require.Equal(t, 1, p.Covered)
	require.Equal(t, []ReasonCount{{"explore", 1}, {"fits", 5}, {"too-late", 1}}, p.Reasons)
	require.Equal(t, results.Some(8.0), p.Upper)
	require.False(t, p.Worst.OK, "fewer than %d", WorstRun)
	sum := Counts{}
	for _, c := range p.Length {
		sum.Arrivals, sum.Taken, sum.Good = sum.Arrivals+c.Arrivals, sum.Taken+c.Taken, sum.Good+c.Good
	}
	require.Equal(t, Counts{Arrivals: 7, Taken: 6, Good: 3}, sum)
	require.InDelta(t, 3.0/6, m.AttainmentAdmitted.V, 1e-12, "a dropped request was taken")

	require.False(t, admitted(nil, nil).Promise.OK)
	other := admitted([]results.Record{decided(0, 0, 0.4, yes)}, map[string]string{"admission": "vegas", "admission_alpha": "3"})
	require.False(t, other.Promise.V.Alpha.OK, "its own alpha is no promise")
}

// Worst finds the worst stretch wherever it is.
func TestWorstRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		kept := make([]bool, WorstRun+rng.IntN(300))
		for i := range kept {
			kept[i] = rng.Float64() < 0.9
		}
		low := 1.0
		for from := 0; from+WorstRun <= len(kept); from++ {
			n := 0
			for _, ok := range kept[from : from+WorstRun] {
				if ok {
					n++
				}
			}
			low = min(low, float64(n)/WorstRun)
		}
		require.Equal(t, results.Some(low), worst(kept))
	}
}

// A policy that takes everything for three seconds and then nothing for three is found
// to chatter; one that takes by a coin is not.
func TestPace(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	pace := func(take func(at float64) bool) Pace {
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

// The interval over seeds covers the truth about as often as it says, where requests
// of one cell are late together and an interval of independent requests does not.
func TestProportionOverSeeds(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	covered, naive := 0, 0
	const trials, rate = 1000, 0.1
	for range trials {
		var cells []*Promise
		for range 6 {
			own := rate * 2 * rng.Float64() // the cell's own rate, by luck
			p := &Promise{Promised: 150 + rng.IntN(100)}
			for range p.Promised {
				if rng.Float64() < own {
					p.Violations++
				}
			}
			cells = append(cells, p)
		}
		s := shareOf(cells, func(c *Promise) (of, n int) { return c.Violations, c.Promised })
		require.True(t, s.BySeeds)
		if s.Lo <= rate && rate <= s.Hi {
			covered++
		}
		if lo, hi := stats.ClopperPearson(s.Of, s.N, 0.025); lo <= rate && rate <= hi {
			naive++
		}
	}
	require.Greater(t, float64(covered)/trials, 0.91)
	require.Less(t, float64(naive)/trials, 0.75)
}
