package analysis

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/results"
)

// server is one that takes a fixed time for each request, in order of arrival, and whose
// clients give up after patience (0 never).
type server struct {
	service, patience time.Duration
	shedAbove         int // refuses arrivals when as many are in the system; 0 refuses none
}

// queued offers Poisson arrivals at a rate for 200 s, 20 of which are warm-up, and
// measures the cell. The SLO is 1 s.
func queued(rung string, rate float64, seed uint64, s server, o Options) (CellMetrics, []results.Record) {
	c := results.Cell{
		Key:       results.Key{Rung: rung, OfferedRPS: rate, Seed: seed},
		DurationS: 200, WarmupS: 20, TimeoutS: 1e6, SLOS: 1, TapeHash: "tape",
	}
	if s.patience > 0 {
		c.TimeoutS = s.patience.Seconds()
	}
	rng := rand.New(rand.NewPCG(seed, 7)) // one realisation at all rates, as tapes have
	var recs []results.Record
	var free time.Duration // when the server is
	var ends []time.Duration
	for at := 0.0; ; {
		at += rng.ExpFloat64() / rate
		if at >= c.DurationS {
			break
		}
		arrival := nanos(at)
		inSystem := 0
		for _, end := range ends {
			if end > arrival {
				inSystem++
			}
		}
		r := row(len(recs), arrival, results.Shed)
		r.StopTokens = results.Some(int32(1 + rng.IntN(100)))
		switch end := max(free, arrival) + s.service; {
		case s.shedAbove > 0 && inSystem >= s.shedAbove:
		case s.patience > 0 && end > arrival+s.patience:
			r.Outcome, r.Ended = results.TimedOut, results.Some(arrival+s.patience)
		default:
			free = end
			ends = append(ends, end)
			r.Outcome, r.Tokens, r.Ended, r.Started = results.Completed, []time.Duration{end - s.service/2, end}, results.Some(end), results.Some(end-s.service)
		}
		recs = append(recs, r)
	}
	return Measure(c, recs, o), recs
}

// TestBacklogOfAnOverload: a server of 10/s that is offered 15/s falls behind by a
// third of what arrives. Clients that give up do not make it keep up, refusing does.
func TestBacklogOfAnOverload(t *testing.T) {
	for name, c := range map[string]struct {
		rate    float64
		server  server
		verdict Stability
		growth  float64
	}{
		"half load":            {5, server{service: 100 * ms}, Stable, 0},
		"nine tenths":          {9, server{service: 100 * ms}, Stable, 0},
		"overload":             {15, server{service: 100 * ms}, Unstable, 1.0 / 3},
		"clients give up":      {15, server{service: 100 * ms, patience: 3 * time.Second}, Unstable, 1.0 / 3},
		"twice, and refused":   {20, server{service: 100 * ms, shedAbove: 5}, Stable, 0},
		"far beyond, given up": {40, server{service: 100 * ms, patience: time.Second}, Unstable, 0.75},
		"nothing but waiting":  {1, server{service: 30 * time.Second, patience: time.Second}, Unstable, 1},
		"a tenth too much":     {11, server{service: 100 * ms}, Unstable, 1.0 / 11},
	} {
		t.Run(name, func(t *testing.T) {
			var cells []CellMetrics
			for seed := range uint64(3) {
				m, _ := queued("fifo", c.rate, seed, c.server, Options{})
				require.True(t, m.Backlog.OK)
				m.Invalid = nil // the arrivals of a test are not of a driver's stream
				cells = append(cells, m)
			}
			got := NewSweep(cells, nil).Points[0].Steadiness()
			require.InDelta(t, c.growth, got.Growth, 0.04)
			require.Equal(t, c.verdict, got.Verdict, "%+v", got)
			require.LessOrEqual(t, got.Lo, got.Growth)
			require.GreaterOrEqual(t, got.Hi, got.Growth)
		})
	}
}

// TestBacklogByHand: three requests, one of the warm-up and one that is never answered.
func TestBacklogByHand(t *testing.T) {
	recs := []results.Record{
		row(0, 1*time.Second, results.Completed, 3*time.Second),  // owed until 4 s: two seconds of the window
		row(1, 5*time.Second, results.Completed, 2*time.Second),  // two more
		row(2, 8*time.Second, results.TimedOut),                  // from 8 s to the end at 10 s
		row(3, 9*time.Second, results.Shed),                      // a millisecond
		row(4, 9*time.Second, results.Failed),                    // ten
		row(5, 11*time.Second, results.Completed, 1*time.Second), // after the window
	}
	require.InDelta(t, (2+2+2+0.001+0.010)/8, backlogOf(Window{2, 10}, recs, 4).Mean, 1e-9)
	require.False(t, backlogOf(Window{2, 2}, recs, 4).OK)
	require.False(t, backlogOf(Window{2, 10}, nil, 0).OK)
}

// TestAnsweredIsGoodput: in order of arrival, whatever the order of the rows.
func TestAnsweredIsGoodput(t *testing.T) {
	recs := []results.Record{
		row(1, 5*time.Second, results.Completed, 1500*ms),
		row(0, 3*time.Second, results.Completed, 500*ms),
		row(2, 6*time.Second, results.Shed),
		row(3, 7*time.Second, results.Completed, 900*ms),
	}
	m := Measure(cell(), recs, Options{})
	require.Equal(t, []bool{true, false, false, true}, m.Answered.Good)
	require.Equal(t, 2.0/8, m.GoodputRPS.V)
}
