package checks

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/results"
)

// A right process is voided for about one seed in a thousand by each check of its
// arrivals, and noted for one in twenty, in short cells as in long ones.
func TestHowOftenARightProcessIsNoted(t *testing.T) {
	const seeds = 3000
	for _, rate := range []float64{0.5, 1.7, 4} {
		counts := map[string]map[Verdict]int{CodeGaps: {}, CodeDispersion: {}}
		for seed := range uint64(seeds) {
			c, recs := offered(arrival.Poisson(rate, seed, time.Minute))
			c.OfferedRPS = rate
			e := Evidence{Cell: c, Records: recs}
			for _, test := range tests {
				if verdicts, ok := counts[test.Name]; ok {
					var check Check
					test.run(e, &check)
					verdicts[check.Verdict]++
				}
			}
		}
		t.Log(rate, counts)
		for name, verdicts := range counts {
			if verdicts[Unmeasured] == seeds {
				require.Equal(t, CodeDispersion, name, "too few windows")
				continue
			}
			require.InDelta(t, seeds*(noteP-voidP), verdicts[Noted], 5*math.Sqrt(seeds*noteP), name)
			require.LessOrEqual(t, verdicts[Voided], 11, "%s: three are expected", name)
		}
	}
}

func TestOutcomeless(t *testing.T) {
	rows := func(ids ...int32) (recs []results.Record) {
		for _, id := range ids {
			recs = append(recs, results.Record{Request: id})
		}
		return recs
	}
	for _, tt := range []struct {
		recs     []results.Record
		tape     results.Opt[int]
		n, first int
	}{
		{rows(), results.Opt[int]{}, 0, 0},
		{rows(), results.Some(3), 3, 0},
		{rows(2, 0, 1), results.Some(3), 0, 0},
		{rows(0, 1), results.Some(4), 2, 2},
		{rows(0, 3), results.Opt[int]{}, 2, 1},
		{rows(0, 1, 1, 1, 2), results.Some(3), 1, 1},
		{rows(0, 0, 2, 5), results.Some(7), 5, 0},
		{rows(math.MaxInt32, -1), results.Some(1), math.MaxInt32 + 1, -1},
	} {
		n, first := outcomeless(tt.recs, tt.tape)
		require.Equal(t, []int{tt.n, tt.first}, []int{n, first})
	}
}

// offered has a row for every arrival of a minute.
func offered(at []time.Duration) (results.Cell, []results.Record) {
	recs := make([]results.Record, len(at))
	for i, t := range at {
		recs[i] = results.Record{Request: int32(i), Intended: t}
	}
	return results.Cell{Key: results.Key{Rung: "fifo", Seed: 3}, DurationS: 60, WarmupS: 5}, recs
}

// TestDisturbed: what else the machine did is noted by its kind, and nothing where nobody
// asked.
func TestDisturbed(t *testing.T) {
	some := func(d results.Disturbance) results.Opt[results.Disturbance] {
		d.Cores, d.WallS, d.Load1 = 2, 10, results.Some(1.5)
		return results.Some(d)
	}
	for _, c := range []struct {
		d       results.Opt[results.Disturbance]
		verdict Verdict
		figure  results.Opt[float64]
		detail  string
	}{
		{results.Opt[results.Disturbance]{}, Unmeasured, results.Opt[float64]{}, ""},
		{some(results.Disturbance{OthersS: results.Some(0.5)}), Passed, results.Some(0.025), ""},
		{some(results.Disturbance{OthersS: results.Some(5.0)}), Noted, results.Some(0.25), "other processes took 25% of the machine's CPU time, and its host 0% (load average 1.5 at the start)"},
		{some(results.Disturbance{StolenS: results.Some(4.0)}), Noted, results.Some(0.2), "other processes took 0% of the machine's CPU time, and its host 20% (load average 1.5 at the start)"},
		{some(results.Disturbance{OthersS: results.Some(0.0), Programs: 1}), Noted, results.Some(0.0), "another cadence-bench was at work (load average 1.5 at the start)"},
		{some(results.Disturbance{ThrottledS: results.Some(3.0)}), Noted, results.Opt[float64]{}, "a limit of CPU time held the process for 3.0 of 10 s (load average 1.5 at the start)"},
		{some(results.Disturbance{ThrottledS: results.Some(0.05)}), Unmeasured, results.Opt[float64]{}, ""},
		{some(results.Disturbance{Throttles: results.Some[int64](7)}), Noted, results.Opt[float64]{}, "cores were slowed 7 times for their heat (load average 1.5 at the start)"},
	} {
		var check Check
		checkDisturbed(Evidence{Cell: results.Cell{Disturbance: c.d}}, &check)
		require.Equal(t, c.verdict, check.Verdict, c.detail)
		require.Equal(t, c.figure, check.Figure, c.detail)
		require.Equal(t, c.detail, check.Detail)
	}
}
