package loadgen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/results"
)

// talk makes a tape of conversations: each starts at a second and has these think
// times between its turns.
func talk(starts []float64, think ...float64) *Tape {
	t := &Tape{Workload: "test", RPS: 1, Duration: time.Hour}
	for s, start := range starts {
		at := sec(start)
		for turn := range len(think) + 1 {
			r := Request{Index: len(t.Requests), At: at, Class: "talk", Group: -1, MaxTokens: 8, StopTokens: 3, Session: s + 1, Turn: turn}
			if turn > 0 {
				r.Think = sec(think[turn-1])
			}
			at += r.Think
			t.Requests = append(t.Requests, r)
		}
	}
	return t
}

// A later turn is due its think time after the answer, and that is its intended
// arrival; the conversations do not wait for each other.
func TestTurnsFollowTheirAnswers(t *testing.T) {
	c := clock.NewVirtual()
	d := run(t, c, talk([]float64{1, 1.5}, 2, 0), fixed(c, sec(0.5)), DriverConfig{Timeout: time.Minute, Warmup: sec(3.75)})
	for i, want := range []float64{1, 3.5, 4, 1.5, 4, 4.5} {
		r := d.Records()[i]
		require.Equal(t, sec(want), r.Intended, "request %d", i)
		require.Equal(t, results.Some(sec(want)), r.Sent)
		require.Equal(t, results.Some(time.Duration(0)), r.Lateness())
		require.Equal(t, results.Some(sec(want+0.5)), r.Ended)
		require.Equal(t, want < 3.75, r.Warmup)
		require.Equal(t, results.Some(int32(i/3+1)), r.Session)
		require.Equal(t, results.Some(int32(i%3)), r.Turn)
		require.Equal(t, i%3 > 0, r.Think.OK)
	}
}

// The deadlines of turns do not come in the order of the tape, and a turn without
// an answer is followed all the same.
func TestTurnsAfterATimeout(t *testing.T) {
	c := clock.NewVirtual()
	target := targetFunc(func(r *Request, to Sink) func() {
		if r.Turn == 0 {
			return nil // never answered
		}
		return fixed(c, sec(0.5)).Send(r, to)
	})
	tape := talk([]float64{0}, 1)
	tape.Requests = append(tape.Requests, Request{Index: 2, At: sec(4), MaxTokens: 1}, Request{Index: 3, At: sec(4.5), MaxTokens: 1})
	tape.Requests[2].Group, tape.Requests[3].Group = -1, -1
	d := run(t, c, tape, target, DriverConfig{Timeout: sec(5)})
	var outcomes []results.Outcome
	var ended []time.Duration
	for _, r := range d.Records() {
		outcomes, ended = append(outcomes, r.Outcome), append(ended, r.Ended.V)
	}
	require.Equal(t, []results.Outcome{results.TimedOut, results.Completed, results.TimedOut, results.TimedOut}, outcomes)
	require.Equal(t, []time.Duration{sec(5), sec(6.5), sec(9), sec(9.5)}, ended)
	require.Equal(t, sec(6), d.Records()[1].Intended)
}

// A turn that comes due while the loop is away is late, and says so.
func TestLatenessOfATurn(t *testing.T) {
	c := stalledClock{clock.NewVirtual(), sec(2), sec(7)}
	d := run(t, c, talk([]float64{1}, 2), fixed(c, sec(0.5)), DriverConfig{Timeout: time.Minute})
	r := d.Records()[1]
	require.Equal(t, sec(3.5), r.Intended)
	require.Equal(t, results.Some(sec(3.5)), r.Lateness())
}

// Refusals within Send make the next turn due at once.
func TestTurnsOfRefusedRequests(t *testing.T) {
	c := clock.NewVirtual()
	target := targetFunc(func(_ *Request, to Sink) func() {
		to.Done(results.Shed, "no", c.Now())
		return nil
	})
	d := run(t, c, talk([]float64{1, 1, 1}, 0, 0, 1), target, DriverConfig{Timeout: sec(1)})
	for i, r := range d.Records() {
		require.Equal(t, []time.Duration{sec(1), sec(1), sec(1), sec(2)}[i%4], r.Intended)
		require.Equal(t, results.Shed, r.Outcome)
	}
}

// A whole tape of conversations: every turn has one outcome, and none is sent
// before the one before it has ended and its think time has passed.
func TestSessionsTape(t *testing.T) {
	c := clock.NewVirtual()
	load, err := OpenLoad("sessions:turns=6,think=3s", "gamma:burstiness=0.3")
	require.NoError(t, err)
	tape, err := load.Make(5, 1, time.Minute)
	require.NoError(t, err)
	d := run(t, c, tape, fixed(c, sec(0.7)), DriverConfig{Timeout: time.Minute})
	for i, r := range d.Records() {
		if turn := tape.Requests[i]; turn.Turn > 0 {
			require.Equal(t, d.Records()[i-1].Ended.V+turn.Think, r.Intended)
		} else {
			require.Equal(t, turn.At, r.Intended)
		}
		require.Equal(t, results.Some(r.Intended), r.Sent)
	}
}

func TestBrokenSessionsAreRefused(t *testing.T) {
	for _, change := range []func(*Tape){
		func(t *Tape) { t.Requests = t.Requests[1:] },
		func(t *Tape) { t.Requests[1].Turn = 2 },
		func(t *Tape) { t.Requests[2].Session = 9 },
		func(t *Tape) { t.Requests[1].Think = -1 },
		func(t *Tape) { t.Requests[1].Turn = -1 },
	} {
		tape := talk([]float64{1, 2}, 1, 1)
		change(tape)
		_, err := NewDriver(clock.NewVirtual(), tape, nil, DriverConfig{Timeout: 1})
		require.ErrorContains(t, err, "tape: request ")
	}
}
