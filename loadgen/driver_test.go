package loadgen

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/engine/clock"
	"github.com/cadence-bench/cadence-bench/results"
)

// targetFunc is a target made of one function.
type targetFunc func(r *Request, to Sink) (cancel func())

func (f targetFunc) Send(r *Request, to Sink) func() { return f(r, to) }

// stalledClock is virtual time on a machine that is away during [from, to): what
// falls due meanwhile runs at to.
type stalledClock struct {
	*clock.Virtual
	from, to time.Duration
}

func (c stalledClock) At(t time.Duration, fn func()) clock.Timer {
	if t >= c.from && t < c.to {
		t = c.to
	}
	return c.Virtual.At(t, fn)
}

// tapeAt makes a tape with arrivals at the given seconds.
func tapeAt(seconds ...float64) *Tape {
	t := &Tape{Workload: "test", RPS: 1, Duration: time.Hour}
	for i, s := range seconds {
		t.Requests = append(t.Requests, Request{Index: i, At: sec(s), Class: "unique", Group: -1, MaxTokens: 8, StopTokens: 3})
	}
	return t
}

func sec(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// run drives a tape to its end and returns the driver.
func run(t *testing.T, c clock.Clock, tape *Tape, target Target, cfg DriverConfig) *Driver {
	t.Helper()
	done := 0
	cfg.Done = func() { done++ }
	d, err := NewDriver(c, tape, target, cfg)
	require.NoError(t, err)
	d.Start()
	if err := c.Run(context.Background()); !errors.Is(err, clock.ErrIdle) {
		require.NoError(t, err)
	}
	require.Equal(t, 1, done, "Done must be called once")
	n := len(tape.Requests)
	require.Equal(t, Counts{Arrivals: n, Sent: n, Finished: n}, d.Counts())
	return d
}

// fixed answers each request by itself after a fixed service time, with one
// token at its end.
func fixed(c clock.Clock, service time.Duration) Target {
	return targetFunc(func(_ *Request, to Sink) func() {
		to.Started(c.Now())
		return c.At(c.Now()+service, func() {
			to.Token(c.Now())
			to.Done(results.Completed, "", c.Now())
		}).Cancel
	})
}

func TestRecordOfACompletedRequest(t *testing.T) {
	c := clock.NewVirtual()
	tape := tapeAt(2)
	tape.Requests[0].Class, tape.Requests[0].Group = "shared", 3
	target := targetFunc(func(r *Request, to Sink) func() {
		require.Same(t, &tape.Requests[0], r)
		to.Prompt(540)
		c.At(sec(3), func() { to.Cached(512); to.Started(c.Now()) })
		c.At(sec(4), func() { to.Token(sec(3.75)); to.Token(sec(3.9)) })
		c.At(sec(5), func() { to.Token(sec(4.5)); to.Done(results.Completed, "", sec(4.5)) })
		return nil
	})
	d := run(t, c, tape, target, DriverConfig{Timeout: time.Minute, Warmup: sec(2.5), Scripted: true})
	require.Equal(t, []results.Record{{
		Request: 0, Class: "shared", Group: results.Some[int32](3), Warmup: true,
		Outcome: results.Completed, Intended: sec(2), Sent: results.Some(sec(2)), Started: results.Some(sec(3)), Ended: results.Some(sec(4.5)),
		Tokens:       []time.Duration{sec(3.75), sec(3.9), sec(4.5)},
		PromptTokens: 540, CachedTokens: results.Some[int32](512), MaxTokens: 8, StopTokens: results.Some[int32](3),
	}}, d.Records())
	require.Equal(t, 8, cap(d.Records()[0].Tokens))
}

// A target with goroutines of its own tells when a request really left, which is
// what dispatch lag counts to, and at the end when each token came.
func TestTargetCorrectsWhatItLearnsLater(t *testing.T) {
	c := clock.NewVirtual()
	target := targetFunc(func(_ *Request, to Sink) func() {
		c.At(sec(3), func() { to.Sent(sec(2.5)); to.Token(sec(2.75)) })
		c.At(sec(4), func() {
			to.Tokens([]time.Duration{sec(2.75), sec(2.75), sec(3.5)})
			to.Done(results.Completed, "", sec(3.5))
			to.Sent(sec(4))
			to.Tokens([]time.Duration{sec(4)})
		})
		return nil
	})
	d, err := NewDriver(c, tapeAt(1), target, DriverConfig{Timeout: time.Minute})
	require.NoError(t, err)
	c.At(sec(1), d.Start)
	require.ErrorIs(t, c.Run(context.Background()), clock.ErrIdle)
	r := d.Records()[0]
	require.Equal(t, results.Some(sec(1.5)), r.Sent)
	require.Equal(t, []time.Duration{sec(1.75), sec(1.75), sec(2.5)}, r.Tokens)
	require.Equal(t, Late{Tokens: 1}, d.Late())
}

// What was not measured is null: vllm PR #5895, sglang PR #36047.
func TestRecordOfARefusedRequest(t *testing.T) {
	c := clock.NewVirtual()
	target := targetFunc(func(_ *Request, to Sink) func() {
		to.Done(results.Shed, "bound 5.1 s over 4 s", c.Now())
		return func() { t.Error("an ended request must not be cancelled") }
	})
	d := run(t, c, tapeAt(1), target, DriverConfig{Timeout: time.Second})
	require.Equal(t, []results.Record{{
		Class: "unique", Outcome: results.Shed, Reason: results.Some("bound 5.1 s over 4 s"),
		Intended: sec(1), Sent: results.Some(sec(1)), Ended: results.Some(sec(1)), MaxTokens: 8,
	}}, d.Records())
}

// Times are of the cell, whose start need not be the clock's.
func TestTimesCountFromStart(t *testing.T) {
	c := clock.NewVirtual()
	d, err := NewDriver(c, tapeAt(1, 3), fixed(c, sec(0.5)), DriverConfig{Timeout: time.Minute})
	require.NoError(t, err)
	c.At(sec(100), d.Start)
	require.ErrorIs(t, c.Run(context.Background()), clock.ErrIdle)
	for i, at := range []float64{1, 3} {
		r := d.Records()[i]
		require.Equal(t, results.Some(sec(at)), r.Sent)
		require.Equal(t, results.Some(sec(at)), r.Started)
		require.Equal(t, []time.Duration{sec(at + 0.5)}, r.Tokens)
		require.Equal(t, results.Some(sec(at+0.5)), r.Ended)
	}
}

// A late wake-up does not move what comes after it, and what fell due meanwhile
// goes out at once with its own intended time.
func TestStalledLoopDoesNotShiftTheSchedule(t *testing.T) {
	c := stalledClock{clock.NewVirtual(), sec(1.5), sec(5)}
	d := run(t, c, tapeAt(1, 2, 3, 4, 6, 7), fixed(c, sec(0.1)), DriverConfig{Timeout: time.Minute})
	for i, want := range []struct{ intended, sent float64 }{{1, 1}, {2, 5}, {3, 5}, {4, 5}, {6, 6}, {7, 7}} {
		r := d.Records()[i]
		require.Equal(t, sec(want.intended), r.Intended)
		require.Equal(t, results.Some(sec(want.sent)), r.Sent)
	}
}

// A request that a stalled loop sends after its client gave up is still offered,
// and ends as a timeout.
func TestStallLongerThanTheTimeout(t *testing.T) {
	c := stalledClock{clock.NewVirtual(), sec(0.5), sec(9)}
	d := run(t, c, tapeAt(0, 1, 2), fixed(c, sec(0.1)), DriverConfig{Timeout: sec(2)})
	require.Equal(t, results.Completed, d.Records()[0].Outcome)
	for _, r := range d.Records()[1:] {
		require.Equal(t, results.TimedOut, r.Outcome)
		require.Equal(t, results.Some(sec(9)), r.Sent)
		require.Equal(t, results.Some(sec(9)), r.Ended)
	}
}

// guidellm#487, inference-benchmarker#21: a silent cap on outstanding requests
// closes the loop.
func TestOutstandingRequestsAreNotLimited(t *testing.T) {
	c := clock.NewVirtual()
	tape := tapeAt(make([]float64, 50_000)...)
	for i := range tape.Requests {
		tape.Requests[i].At = time.Duration(i) * time.Millisecond
	}
	d, err := NewDriver(c, tape, targetFunc(func(*Request, Sink) func() { return nil }), DriverConfig{Timeout: time.Hour})
	require.NoError(t, err)
	d.Start()
	c.At(sec(50), c.Stop)
	require.NoError(t, c.Run(context.Background()))
	require.Equal(t, Counts{Arrivals: 50_000, Sent: 50_000, Waiting: 50_000}, d.Counts())
	for _, r := range d.Records() {
		require.Equal(t, results.Some(r.Intended), r.Sent)
	}
}

// sglang PR #32578, vllm PR #51030: one stalled stream must not cost the run;
// inference-perf#245: nor may a run count as complete while it is pending. The
// stalled requests are bounds, with the tokens that they got.
func TestStalledStreamIsCensored(t *testing.T) {
	c := clock.NewVirtual()
	cancelled := map[int]time.Duration{}
	target := targetFunc(func(r *Request, to Sink) func() {
		if r.Index%2 == 1 {
			return fixed(c, sec(0.5)).Send(r, to)
		}
		to.Started(c.Now())
		to.Token(c.Now())
		return func() {
			cancelled[r.Index] = c.Now()
			to.Done(results.Cancelled, "client", c.Now())
		}
	})
	d := run(t, c, tapeAt(1, 2, 3, 4), target, DriverConfig{Timeout: sec(10)})
	require.Equal(t, map[int]time.Duration{0: sec(11), 2: sec(13)}, cancelled)
	for i, r := range d.Records() {
		if i%2 == 1 {
			require.Equal(t, results.Completed, r.Outcome)
			continue
		}
		require.Equal(t, results.TimedOut, r.Outcome)
		require.Equal(t, results.Some("client timeout after 10s"), r.Reason)
		require.Equal(t, results.Some(r.Intended+sec(10)), r.Ended)
		require.Len(t, r.Tokens, 1)
	}
	require.Zero(t, d.Late(), "the acknowledgement of a cancel is not late")
}

// sglang#34149: an abort races the last chunk and a token leaks out.
func TestCallsAfterTheEndAreCountedAndIgnored(t *testing.T) {
	c := clock.NewVirtual()
	target := targetFunc(func(r *Request, to Sink) func() {
		c.At(sec(20), func() { // long after the timeout at 6 s
			to.Prompt(9)
			to.Cached(9)
			to.Started(c.Now())
			to.Token(c.Now())
			to.Token(c.Now())
			to.Done(results.Completed, "", c.Now()) // acknowledges
			to.Done(results.Completed, "", c.Now())
		})
		return nil
	})
	d := run(t, c, tapeAt(1), target, DriverConfig{Timeout: sec(5)})
	require.Equal(t, Late{Tokens: 2, Dones: 1}, d.Late())
	r := d.Records()[0]
	require.Equal(t, results.TimedOut, r.Outcome)
	require.Empty(t, r.Tokens)
	require.False(t, r.Started.OK || r.CachedTokens.OK)
	require.Zero(t, r.PromptTokens)
}

// A server that can do 10/s under 20/s: latency grows without bound, as an open
// loop must show. With a closed loop it would level off.
func TestOverloadGrowsWithoutBound(t *testing.T) {
	c := clock.NewVirtual()
	tape := mustMake(t, Spec{SharedPrompt, 20, 1, time.Minute})
	free := time.Duration(0)
	target := targetFunc(func(_ *Request, to Sink) func() {
		free = max(free, c.Now()) + sec(0.1)
		return c.At(free, func() {
			to.Token(c.Now())
			to.Done(results.Completed, "", c.Now())
		}).Cancel
	})
	d := run(t, c, tape, target, DriverConfig{Timeout: time.Hour})
	var mean, n [4]float64
	for _, r := range d.Records() {
		w := int(r.Intended / sec(15))
		mean[w] += (r.Ended.V - r.Intended).Seconds()
		n[w]++
	}
	for w := range mean {
		mean[w] /= n[w]
		// Backlog grows by 10/s and drains at 10/s: a wait of t for an arrival at t.
		require.InDelta(t, 15*float64(w)+7.5, mean[w], 4)
	}
	require.Zero(t, d.Late())
}

func TestEmptyTapeEndsAtOnce(t *testing.T) {
	run(t, clock.NewVirtual(), tapeAt(), nil, DriverConfig{Timeout: time.Second})
}

func TestCountsDuringARun(t *testing.T) {
	c := clock.NewVirtual()
	target := targetFunc(func(r *Request, to Sink) func() {
		c.At(c.Now()+sec(1), func() { to.Started(c.Now()); to.Started(c.Now()) })
		c.At(c.Now()+sec(2.5), func() { to.Done(results.Failed, "reset", c.Now()) })
		return nil
	})
	d, err := NewDriver(c, tapeAt(0, 1, 2, 3), target, DriverConfig{Timeout: time.Minute})
	require.NoError(t, err)
	d.Start()
	var got Counts
	c.At(sec(2.75), func() { got = d.Counts(); c.Stop() })
	require.NoError(t, c.Run(context.Background()))
	require.Equal(t, Counts{Arrivals: 4, Sent: 3, Waiting: 1, Running: 1, Finished: 1}, got)
	require.Equal(t, results.Outcome(""), d.Records()[3].Outcome)
}

func TestDriverConfigIsChecked(t *testing.T) {
	c := clock.NewVirtual()
	_, err := NewDriver(c, tapeAt(1), nil, DriverConfig{})
	require.EqualError(t, err, "client timeout 0s: must be positive")
	_, err = NewDriver(c, tapeAt(1), nil, DriverConfig{Timeout: 1, Warmup: -1})
	require.ErrorContains(t, err, "warm-up")
}
