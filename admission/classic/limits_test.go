package classic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
)

// answered is an outcome of a request that was taken with so many in flight.
func answered(at, latency time.Duration, inFlight int, late bool) *admission.Outcome {
	o := &admission.Outcome{Request: admission.Request{Arrived: at - latency}, At: at, Violated: late, Finished: true, Started: true}
	o.Decision.Value[inFlightAt] = float64(inFlight)
	return o
}

// TestLimitersCountThemselves: a limiter notes what was in flight with the request.
func TestLimitersCountThemselves(t *testing.T) {
	for _, name := range []string{"inflight-cap", "aimd", "gradient2", "vegas", "breakwater"} {
		d := newArm(t, name, nil).Decide(&admission.Request{}, busy(0, 2))
		require.True(t, d.Admit, name)
		require.Equal(t, 3.0, d.Value[inFlightAt], name)
	}
}

func TestAIMD(t *testing.T) {
	p := newArm(t, "aimd", map[string]float64{"initial": 10, "min": 2, "max": 12}).(*aimd)
	for _, c := range []struct {
		inFlight int
		late     bool
		limit    int
	}{
		{4, false, 10}, {5, false, 11}, {11, false, 12}, {12, false, 12}, // one more, if half is in use, to the maximum
		{12, true, 10}, {1, true, 9}, {9, true, 8}, {1, true, 7}, {1, true, 6}, {1, true, 5}, // 0.9 of it, rounded down
		{1, true, 4}, {1, true, 3}, {1, true, 2}, {1, true, 2}, // to the minimum
		{1, false, 3},
	} {
		p.Labelled(answered(time.Second, time.Second, c.inFlight, c.late))
		require.Equal(t, c.limit, p.limit, "%+v", c)
	}
	require.True(t, p.Decide(&admission.Request{}, busy(0, 2)).Admit)
	require.False(t, p.Decide(&admission.Request{}, busy(1, 2)).Admit)
}

// TestGradient2Limits replays latencies of windows, by its formula: the limit becomes
// 0.8 of itself and 0.2 of (gradient × itself + 4).
func TestGradient2Limits(t *testing.T) {
	g := newArm(t, "gradient2", map[string]float64{"initial": 20, "min": 4, "max": 100}).(*gradient2)
	for _, c := range []struct {
		rtt, inFlight, limit float64
		why                  string
	}{
		{1, 9, 20, "less than half of the limit is in use"},
		{1, 10, 20.8, "calm: + 0.2 × 4"},
		{1, 20, 21.6, "calm"},
		{1.4, 20, 22.4, "within the tolerance of 1.5"},
		// The mean of 1, 1, 1, 1.4 and 10 is 2.88: 1.5 × 2.88 / 10 = 0.432, at least 0.5.
		{10, 20, 0.8*22.4 + 0.2*(0.5*22.4+4), "never by more than half"},
		// The mean with 6 is 3.4: 1.5 × 3.4 / 6 = 0.85.
		{6, 20, 0.8*20.96 + 0.2*(0.85*20.96+4), "by the gradient"},
	} {
		g.update(c.rtt, c.inFlight)
		require.InDelta(t, c.limit, g.limit, 1e-9, c.why)
	}
	for range 500 {
		g.update(20, 100) // an overload to which the long-term mean gets used
	}
	long := g.long.mean
	g.update(1, 100)
	require.InDelta(t, (long+2.0/601*(1-long))*0.95, g.long.mean, 1e-9, "far above the present, it is let go of")
	for range 1000 {
		g.update(1, 100)
	}
	require.Equal(t, 100.0, g.limit, "to the maximum")
}

// TestWindowKeepsItsAnswers: a window ends when it has lasted and has enough answers.
func TestWindowKeepsItsAnswers(t *testing.T) {
	w := window{length: time.Second, samples: 3, next: time.Second}
	for _, c := range []struct {
		at            time.Duration
		latency, most float64
		rtt           float64 // 0: it goes on
	}{
		{200 * time.Millisecond, 1, 1, 0}, {400 * time.Millisecond, 2, 5, 0}, {600 * time.Millisecond, 3, 2, 0},
		{1100 * time.Millisecond, 6, 1, 3}, // (1+2+3+6)/4
		{3 * time.Second, 2, 1, 0}, {4 * time.Second, 2, 1, 0}, {5 * time.Second, 5, 1, 3},
	} {
		rtt, most, ok := w.add(c.at, c.latency, c.most)
		require.Equal(t, c.rtt > 0, ok, "%+v", c)
		require.Equal(t, c.rtt, rtt)
		if c.at == 1100*time.Millisecond {
			require.Equal(t, 5.0, most)
		}
	}
}

// TestVegasLimits replays answers: the queue is limit × (1 − least/latency), and
// log10 of 20 rounds down to 1.
func TestVegasLimits(t *testing.T) {
	v := newArm(t, "vegas", map[string]float64{"max": 40}).(*vegas)
	for _, c := range []struct {
		latency, inFlight float64
		late              bool
		limit             float64
		why               string
	}{
		{2, 20, false, 20, "the first is the least"},
		{1, 20, false, 20, "so is a lower one"},
		{1, 9, false, 20, "less than half of the limit is in use"},
		{1, 20, false, 26, "no queue: + beta"},
		{1.05, 26, false, 27, "a queue of 2: + 1"},
		{1.2, 26, false, 27, "a queue of 5 is between alpha and beta"},
		{1.5, 26, false, 26, "a queue of 9: − 1"},
		{1, 1, true, 25, "late: − 1, whatever is in use"},
		{1, 25, false, 31, "no queue"}, {1, 31, false, 37, "no queue"}, {1, 37, false, 40, "to the maximum"},
	} {
		v.update(c.latency, c.inFlight, c.late)
		require.Equal(t, c.limit, v.limit, c.why)
	}
	// After 0.5 to 1 times 30 × 40 answers the least is measured anew.
	n := 11
	for ; v.unloaded == 1; n++ {
		v.update(1.2, 1, false)
	}
	require.Equal(t, 1.2, v.unloaded)
	require.True(t, n >= 600 && n <= 1201, "%d", n)
}

// TestBreakwaterCredits: one more an interval below the target, and above it a share
// of them less for each target's length.
func TestBreakwaterCredits(t *testing.T) {
	b := newArm(t, "breakwater", map[string]float64{"target": 0.25, "interval": 0.1, "min": 2, "max": 50, "cut": 0.1}).(*breakwater)
	require.Equal(t, time.Second, b.target)
	require.Equal(t, 2.0, b.credits)
	ms := time.Millisecond
	now := time.Duration(0)
	for _, c := range []struct {
		after, delay time.Duration
		credits      float64
		why          string
	}{
		{50 * ms, 0, 2, "the interval is not over"},
		{50 * ms, 0, 3, "one more"},
		{250 * ms, 0, 5, "two intervals have passed"},
		{50 * ms, 999 * ms, 6, "the half that was left has become one"},
		{9 * time.Second, 0, 50, "to the maximum"},
		{100 * ms, 1000 * ms, 50, "at the target nothing goes"},
		{100 * ms, 2000 * ms, 45, "a target's length above it: a tenth"},
		{500 * ms, 9000 * ms, 22.5, "at most half, and once: the delay was not looked at between"},
		{100 * ms, 99 * time.Second, 11.25, "half"},
		{100 * ms, 99 * time.Second, 5.625, "half"}, {100 * ms, 99 * time.Second, 2.8125, "half"},
		{100 * ms, 99 * time.Second, 2, "to the minimum"},
	} {
		now += c.after
		b.adjust(now, c.delay)
		require.InDelta(t, c.credits, b.credits, 1e-12, c.why)
	}
	s := busy(1, 0)
	s.Now = now
	s.Queue[0].Arrived = now - 1999*ms
	require.True(t, b.Decide(&admission.Request{}, s).Admit)
	s.Queue[0].Arrived = now - 2000*ms
	d := b.Decide(&admission.Request{}, s)
	require.False(t, d.Admit)
	require.Equal(t, admission.Overloaded, d.Reason, "a queue of twice the target takes nobody")
}
