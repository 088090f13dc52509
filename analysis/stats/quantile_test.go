package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func exactly(vs ...float64) []Observation {
	var obs []Observation
	for _, v := range vs {
		obs = append(obs, Observation{Value: v})
	}
	return obs
}

func upTo(n int) []Observation {
	var obs []Observation
	for i := range n {
		obs = append(obs, Observation{Value: float64(i + 1)})
	}
	return obs
}

func cut(v float64) Observation { return Observation{Value: v, Censored: true} }

func TestQuantileIsTheNearestRank(t *testing.T) {
	for _, c := range []struct {
		name     string
		obs      []Observation
		p        float64
		value    float64
		censored bool
	}{
		{"one", exactly(7), 0.5, 7, false},
		{"two, lower middle", exactly(2, 1), 0.5, 1, false},
		{"three, middle", exactly(3, 1, 2), 0.5, 2, false},
		{"0.99 of 100 is the 99th", upTo(100), 0.99, 99, false},
		{"0.99 of 99 is the maximum", upTo(99), 0.99, 99, false},
		{"0.07 of 100 is the 7th despite rounding", upTo(100), 0.07, 7, false},
		{"on a timeout", append(upTo(9), cut(30)), 0.99, 30, true},
		{"below the timeouts", append(upTo(9), cut(30)), 0.5, 5, false},
		{"an early cancel is ordered last", append(exactly(5, 6, 7), cut(0.1)), 0.75, 7, false},
		{"and bounds what it proves", append(exactly(5, 6, 7), cut(0.1)), 0.99, 7, true},
		{"all censored", []Observation{cut(2), cut(1)}, 0.5, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := NewSample(c.obs).Quantile(c.p)
			require.Equal(t, c.value, q.Value)
			require.Equal(t, c.censored, q.Censored)
			require.Equal(t, len(c.obs), q.N)
		})
	}
	require.Zero(t, NewSample(nil).Quantile(0.5).N)
}

// guidellm PR #1163: below 100 requests a "p99" is the maximum; and below 368 nothing
// bounds it from above.
func TestQuantileSaysWhatItNeeds(t *testing.T) {
	for _, c := range []struct {
		p    float64
		need int
	}{{0.5, 6}, {0.9, 36}, {0.95, 72}, {0.99, 368}, {0.999, 3688}} {
		below := NewSample(upTo(c.need - 1)).Quantile(c.p)
		require.False(t, below.Supported, "p=%v", c.p)
		require.Equal(t, c.need, below.Need)
		require.True(t, math.IsInf(below.Hi, 1))
		enough := NewSample(upTo(c.need)).Quantile(c.p)
		require.True(t, enough.Supported, "p=%v", c.p)
		require.Equal(t, float64(c.need), enough.Hi)
		require.Equal(t, c.need, NeedOf(c.p, 0))
	}
	require.Equal(t, 100, NotMaximum(0.99))
}

// With unanswered requests it takes more, and at a hundredth of them no number will do.
func TestNeedGrowsWithTheUnanswered(t *testing.T) {
	last := Need(0.99)
	for _, censored := range []float64{0.001, 0.004, 0.008} {
		n := NeedOf(0.99, censored)
		require.Greater(t, n, last, "%v censored", censored)
		last = n
		obs := upTo(n)
		for i := range int(math.Ceil(censored*float64(n) - rankSlack)) {
			obs[len(obs)-1-i].Censored = true
		}
		require.False(t, math.IsInf(NewSample(obs).Quantile(0.99).Hi, 1), "%d with %v censored", n, censored)
	}
	require.Zero(t, NeedOf(0.99, 0.01))
}

func TestQuantileInterval(t *testing.T) {
	// Ranks from the binomial distribution by hand: for n = 10 and p = 0.5,
	// P(B < 2) = 11/1024 and P(B < 9) = 1013/1024.
	q := NewSample(upTo(10)).Quantile(0.5)
	require.Equal(t, 2.0, q.Lo)
	require.Equal(t, 9.0, q.Hi)

	// 0.99^n ≤ 2.5% from n = 368 on: only then has a p99 an upper bound.
	require.True(t, math.IsInf(NewSample(upTo(367)).Quantile(0.99).Hi, 1))
	require.Equal(t, 368.0, NewSample(upTo(368)).Quantile(0.99).Hi)

	small := NewSample(upTo(3)).Quantile(0.5)
	require.Zero(t, small.Lo)
	require.True(t, math.IsInf(small.Hi, 1))

	cutOff := NewSample(append(upTo(6), cut(7), cut(7), cut(7), cut(7))).Quantile(0.5)
	require.Equal(t, 2.0, cutOff.Lo)
	require.True(t, math.IsInf(cutOff.Hi, 1), "rank 9 is censored")
}

func TestQuantileIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const trials = 2000
	for _, c := range []struct {
		p float64
		n int
	}{{0.5, 40}, {0.9, 200}, {0.99, 1000}} {
		covered := 0
		truth := -math.Log(1 - c.p) // of the unit exponential
		for range trials {
			obs := make([]Observation, c.n)
			for i := range obs {
				obs[i].Value = rng.ExpFloat64()
			}
			if q := NewSample(obs).Quantile(c.p); q.Lo <= truth && truth <= q.Hi {
				covered++
			}
		}
		share := float64(covered) / trials
		require.GreaterOrEqual(t, share, 0.94, "p=%v n=%v", c.p, c.n)
		require.LessOrEqual(t, share, 0.995, "p=%v n=%v: too wide to be useful", c.p, c.n)
	}
}

func randomObservations(rng *rand.Rand) []Observation {
	obs := make([]Observation, 1+rng.IntN(300))
	for i := range obs {
		obs[i] = Observation{Value: float64(rng.IntN(50)), Censored: rng.IntN(5) == 0}
	}
	return obs
}

// The naive model counts: the smallest observed value with at least p·n
// observations at or below it, a censored one being at or below nothing.
func TestQuantileAgainstCounting(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		obs := randomObservations(rng)
		p := []float64{0.01, 0.25, 0.5, 0.9, 0.99}[rng.IntN(5)]
		naive := math.Inf(1)
		for _, o := range obs {
			if o.Censored || o.Value >= naive {
				continue
			}
			n := 0
			for _, other := range obs {
				if !other.Censored && other.Value <= o.Value {
					n++
				}
			}
			if float64(n) >= p*float64(len(obs))-rankSlack {
				naive = o.Value
			}
		}
		q := NewSample(obs).Quantile(p)
		require.Equal(t, math.IsInf(naive, 1), q.Censored)
		if !q.Censored {
			require.Equal(t, naive, q.Value)
		}
		require.LessOrEqual(t, q.Lo, q.Value)
		require.GreaterOrEqual(t, q.Hi, q.Value)
	}
}

// order places a quantile among others: a censored one is above every exact one.
func order(q Quantile) float64 {
	if q.Censored {
		return math.Inf(1)
	}
	return q.Value
}

// aiperf PR #1338 and InferenceX#357: leaving requests unanswered must not look
// like being fast.
func TestCensoringNeverLowersAQuantile(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		obs := randomObservations(rng)
		worse := slices.Clone(obs)
		for range 1 + rng.IntN(3) {
			i := rng.IntN(len(obs))
			worse[i].Censored = true
			worse[i].Value = obs[i].Value * rng.Float64()
		}
		for _, p := range []float64{0.1, 0.5, 0.9, 0.99} {
			a, b := NewSample(obs).Quantile(p), NewSample(worse).Quantile(p)
			require.GreaterOrEqual(t, order(b), order(a))
		}
	}
}

// TestPoolIsTheWhole: pooled samples are the sample of all observations.
func TestPoolIsTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for range 200 {
		var all []Observation
		var samples []Sample
		for range 1 + rng.IntN(4) {
			obs := randomObservations(rng)
			all = append(all, obs...)
			samples = append(samples, NewSample(obs))
		}
		require.Equal(t, NewSample(all), Pool(samples))
	}
}
