package classic

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
)

// TestEnvoyProbability is its formula: ((total − good/threshold)/(total+1))^(1/aggression).
func TestEnvoyProbability(t *testing.T) {
	for _, c := range []struct {
		params      map[string]float64
		total, good int
		p           float64
	}{
		{nil, 0, 0, 0},
		{nil, 100, 95, 0},  // at the threshold
		{nil, 100, 100, 0}, // above it
		{nil, 100, 50, (100 - 50/0.95) / 101},
		{nil, 100, 0, 0.8}, // never more than max_refused
		{map[string]float64{"max_refused": 1}, 100, 0, 100.0 / 101},
		{map[string]float64{"aggression": 2}, 100, 70, math.Sqrt((100 - 70/0.95) / 101)},
		{map[string]float64{"threshold": 0.5}, 100, 40, (100 - 40/0.5) / 101},
		{map[string]float64{"min_rate": 11}, 100, 0, 0}, // 100 answers in ten seconds
		{map[string]float64{"min_rate": 10}, 100, 0, 0.8},
	} {
		e := newArm(t, "envoy", c.params).(*envoy)
		for i := range c.total {
			e.Labelled(answered(time.Duration(i)*100*time.Millisecond, time.Second, 1, i >= c.good))
		}
		require.InDelta(t, c.p, e.refuses(10*time.Second), 1e-12, "%+v", c)
	}
}

// TestEnvoyForgets: an answer counts for the window and not longer, and the coin
// refuses as often as the probability says.
func TestEnvoyForgets(t *testing.T) {
	e := newArm(t, "envoy", map[string]float64{"window": 5, "max_refused": 0.5}).(*envoy)
	for range 100 {
		e.Labelled(answered(10500*time.Millisecond, time.Second, 1, true))
	}
	s := busy(0, 1)
	refused := 0
	for range 10_000 {
		s.Now = 14900 * time.Millisecond
		d := e.Decide(&admission.Request{}, s)
		require.Equal(t, 0.5, d.Propensity)
		if !d.Admit {
			refused++
		}
	}
	require.InDelta(t, 5000, refused, 200) // 4 standard deviations
	require.Zero(t, e.refuses(15*time.Second))
	e.Labelled(answered(16*time.Second, time.Second, 1, true)) // the same place as second 10
	total, good, _ := e.counts(16 * time.Second)
	require.Equal(t, []float64{1, 0}, []float64{total, good})
}

// TestCoDelControlLaw: with waits above the target for an interval it drops one
// request, and further ones an interval over the square root of their count later.
func TestCoDelControlLaw(t *testing.T) {
	const ms = time.Millisecond
	c := newArm(t, "codel", map[string]float64{"target": 0.05, "interval": 1}).(*codel)
	var drops []time.Duration
	for now := time.Duration(0); now < 6*time.Second; now += ms {
		if c.drops(now, 60*ms, true) {
			drops = append(drops, now)
		}
	}
	at := 1000.0 // the first, an interval after the wait was first too long
	for i, got := range drops {
		require.InDelta(t, at, float64(got/ms), 1, "drop %d", i)
		at += 1000 / math.Sqrt(float64(i+1))
	}
	require.Len(t, drops, 10) // Σ 1/√n over n < 10 is 4.7, over n < 11 it is 5.02
	// One short wait ends it, and a wait must be too long for an interval again.
	require.False(t, c.drops(6000*ms, 40*ms, true))
	require.False(t, c.drops(6001*ms, 60*ms, true))
	require.False(t, c.drops(7000*ms, 60*ms, true))
	// Then it goes on at about the pace that it had: its count less that of last time.
	require.True(t, c.drops(7001*ms, 60*ms, true))
	require.Equal(t, 9, c.count)
	require.False(t, c.drops(7334*ms, 60*ms, true))
	require.True(t, c.drops(7335*ms, 60*ms, true), "a third of an interval later")
}

// TestCoDelSparesTheLast: a queue of one request is not dropped from, however long it
// waited, and an interval of such does not count.
func TestCoDelSparesTheLast(t *testing.T) {
	c := newArm(t, "codel", nil)
	r, d := &admission.Request{}, &admission.Decision{}
	s := busy(0, 1)
	for s.Now = time.Second; s.Now < 3*time.Second; s.Now += 10 * time.Millisecond {
		require.True(t, c.Dequeue(r, d, s).Admit)
	}
	s.Queue = make([]admission.Work, 1)
	require.True(t, c.Dequeue(r, d, s).Admit)
	s.Now += 100 * time.Millisecond
	dropped := c.Dequeue(r, d, s)
	require.False(t, dropped.Admit)
	require.Equal(t, admission.Overloaded, dropped.Reason)
}

// TestDAGORLevel moves the level along a histogram of one arrival a level.
func TestDAGORLevel(t *testing.T) {
	g := newArm(t, "dagor", map[string]float64{"alpha": 0.25, "beta": 0.1}).(*dagor)
	window := func(overloaded bool) int {
		for i := range g.arrivals {
			g.arrivals[i] = 1
		}
		g.offered, g.admitted = userLevels, float64(g.level+1)
		g.adjust(overloaded)
		return g.level + 1 // how many levels are admitted
	}
	require.Equal(t, userLevels, window(false), "all are admitted at first")
	for _, c := range []struct {
		overloaded bool
		levels     int
	}{
		{true, 96}, {true, 72}, {true, 54}, {true, 40}, // three quarters of them, rounded down
		{false, 53}, {false, 66}, // a tenth of the arrivals more, 12.8, until it is reached
		{true, 49},
	} {
		require.Equal(t, c.levels, window(c.overloaded), "%+v", c)
	}
	for range 100 {
		window(true)
	}
	require.Equal(t, 0, g.level, "one level is always served")
}

// TestDAGORWindows: a window ends after its time or its arrivals, and is overloaded by
// the mean wait of what started in it or, if nothing did, of what waits.
func TestDAGORWindows(t *testing.T) {
	g := newArm(t, "dagor", map[string]float64{"window": 1, "requests": 10, "threshold": 0.5}).(*dagor)
	s, d := busy(1, 4), &admission.Decision{}
	offer := func(n int) {
		for i := range n {
			g.Decide(&admission.Request{ID: i}, s)
		}
	}
	s.Now = time.Second
	offer(1) // ends the empty window in which time began
	require.Equal(t, time.Second, g.began)
	s.Queue[0].Arrived = s.Now
	offer(9)
	require.Equal(t, 10.0, g.offered)
	offer(1)
	require.Equal(t, 1.0, g.offered, "ten arrivals end it")
	require.Equal(t, userLevels-1, g.level, "nothing started, and what waits came just now")

	s.Now += 900 * time.Millisecond
	g.Dequeue(&admission.Request{Arrived: s.Now - 400*time.Millisecond}, d, s)
	g.Dequeue(&admission.Request{Arrived: s.Now - 700*time.Millisecond}, d, s)
	require.Equal(t, 2, g.starts)
	s.Now += 100 * time.Millisecond
	offer(1)
	require.Less(t, g.level, userLevels-1, "0.55 s in the mean")
	require.Zero(t, g.starts)
}

// TestBouncerEstimates: the wait is the mean work that is queued over the batch, and the
// answer's own time the percentile of its type.
func TestBouncerEstimates(t *testing.T) {
	b := newArm(t, "bouncer", map[string]float64{"samples": 10, "interval": 10, "percentile": 0.9})
	s := busy(8, 4)
	for i := range s.Queue {
		s.Queue[i].MaxTokens = 100
	}
	short := &admission.Request{Arrived: s.Now, Deadline: s.Now + 4*time.Second, MaxTokens: 100}
	d := b.Decide(short, busy(0, 3))
	require.True(t, d.Admit)
	require.Equal(t, admission.Uncalibrated, d.Reason)
	require.False(t, b.Decide(short, s).Admit, "while nothing is known, no more than the batch")
	// Answers of up to 127 tokens took 1 s and one of ten 2 s; those of 128 took 3.5 s.
	for i := range 20 {
		o := answered(s.Now, time.Second, 1, false)
		if i%10 == 0 {
			o = answered(s.Now, 2*time.Second, 1, false)
		}
		o.Request.MaxTokens = 100
		b.Ended(o)
		o = answered(s.Now, 4500*time.Millisecond, 1, false)
		o.Request.MaxTokens, o.Waited = 128, time.Second
		b.Ended(o)
	}
	d = b.Decide(short, s) // 8 × 1.1 / 4 = 2.2 s of waiting
	require.InDelta(t, 3.3, d.Estimate.Seconds(), 1e-6)
	require.InDelta(t, 3.2, d.Bound.Seconds(), 0.05) // nine of ten took 1 s
	require.True(t, d.Admit)
	require.Equal(t, admission.Fits, d.Reason)
	long := &admission.Request{Arrived: s.Now, Deadline: s.Now + 4*time.Second, MaxTokens: 128}
	d = b.Decide(long, s)
	require.InDelta(t, 5.7, d.Bound.Seconds(), 0.2)
	require.False(t, d.Admit)
	require.Equal(t, admission.TooLate, d.Reason)
	d = b.Decide(long, busy(0, 0)) // alone it fits
	require.True(t, d.Admit)
	// With two in service at a time, two that run and all that wait are ahead.
	two := newArm(t, "bouncer", map[string]float64{"parallel": 2}).(*bouncer)
	two.times = b.(*bouncer).times
	for i := range s.Batch {
		s.Batch[i].MaxTokens = 100
	}
	require.InDelta(t, (2*1.1+8*1.1)/2, two.wait(s), 1e-6)
	require.InDelta(t, 1.1/2, two.wait(&admission.Snapshot{Now: s.Now, Batch: s.Batch[:1], Queue: s.Queue[:2]}), 1e-6)
	// Of a type without a history, the times of all are used: 90% of them are 3.5 s.
	d = b.Decide(&admission.Request{Arrived: s.Now, Deadline: s.Now + 4*time.Second, MaxTokens: 5}, busy(0, 0))
	require.InDelta(t, 3.5, d.Bound.Seconds(), 0.2)
	// What nobody fills is forgotten.
	s.Now += staleAfter*10*time.Second - 1
	require.Equal(t, admission.TooLate, b.Decide(long, s).Reason)
	s.Now++
	require.Equal(t, admission.OverLimit, b.Decide(long, s).Reason)
	require.Equal(t, admission.Uncalibrated, b.Decide(long, busy(0, 0)).Reason)
}

// TestBouncerAllowance: some of what is refused is taken all the same.
func TestBouncerAllowance(t *testing.T) {
	b := newArm(t, "bouncer", map[string]float64{"allowance": 0.25})
	s := busy(0, 1)
	for range 20 {
		b.Ended(answered(s.Now, 9*time.Second, 1, true))
	}
	taken := 0
	for range 10_000 {
		d := b.Decide(&admission.Request{Arrived: s.Now, Deadline: s.Now + 4*time.Second}, s)
		require.Equal(t, 0.25, d.Propensity)
		if d.Admit {
			require.True(t, d.Forced)
			taken++
		}
	}
	require.InDelta(t, 2500, taken, 175) // 4 standard deviations
}

// TestHistogram: its quantiles are those of the values, to a bucket.
func TestHistogram(t *testing.T) {
	var h histogram
	for i := 1; i <= 1000; i++ {
		h.add(float64(i) / 100)
	}
	require.InDelta(t, 5.005, h.mean(), 1e-9)
	for _, p := range []float64{0.01, 0.5, 0.9, 0.99, 1} {
		require.InEpsilon(t, p*10, h.quantile(p), 0.05, "%g", p)
	}
	h = histogram{}
	h.add(0)
	h.add(1e9)
	require.InEpsilon(t, lowestEdge, h.quantile(0.5), 0.1)
	require.Greater(t, h.quantile(1), 900.0)
}
