package loadgen

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/loadgen/arrival"
	"github.com/cadence-bench/cadence-bench/loadgen/random"
	"github.com/cadence-bench/cadence-bench/loadgen/text"
)

func quantile(sorted []int, p float64) int { return sorted[int(p*float64(len(sorted)-1))] }

func TestTapeIsOrderedAndNumbered(t *testing.T) {
	for _, w := range Workloads() {
		tape := mustMake(t, Spec{w, 5, 3, time.Minute})
		last := time.Duration(0)
		for i, r := range tape.Requests {
			require.Equal(t, i, r.Index)
			require.True(t, r.StopTokens >= 1 && r.StopTokens <= r.MaxTokens)
			if r.Turn == 0 {
				require.True(t, r.At >= last && r.At < time.Minute)
				last = r.At
			}
		}
	}
}

// Request i says the same at every rate, and comes at a time that scales with
// the rate, so that cells pair across rates.
func TestRatesAreViewsOfOneRealisation(t *testing.T) {
	slow := mustMake(t, Spec{SharedPrompt, 1, 5, time.Minute})
	fast := mustMake(t, Spec{SharedPrompt, 4, 5, time.Minute})
	require.Greater(t, len(fast.Requests), 2*len(slow.Requests))
	for i, r := range slow.Requests {
		q := fast.Requests[i]
		require.InDelta(t, float64(r.At), 4*float64(q.At), 4)
		q.At = r.At
		require.Equal(t, r, q)
	}
}

// Whatever the workload, and at whatever rate, a seed's arrivals are the same.
func TestWorkloadCannotShiftArrivals(t *testing.T) {
	for _, process := range []string{
		"poisson", "gamma:burstiness=0.25", "gamma:burstiness=0.5", "gamma:burstiness=4",
		"weibull:burstiness=0.5", "weibull:burstiness=0.8", "weibull:burstiness=3",
		"ramp:from=0.5,to=2", "step:at=20s,to=3", "spike:at=20s,for=20s,to=5", "diurnal:period=20s,depth=0.8", "constant",
	} {
		a, err := arrival.Parse(process)
		require.NoError(t, err)
		for _, workload := range append(Workloads(), "sessions:turns=3,think=0s", "bimodal:share=0.9") {
			load, err := OpenLoad(workload, process)
			require.NoError(t, err)
			tape, err := load.Make(2, 5, time.Minute)
			require.NoError(t, err)
			require.Equal(t, a.Times(2/load.Workload.perArrival, 5, time.Minute), tape.ArrivalTimes(), "%s × %s", workload, process)
			require.Equal(t, a.String(), tape.Arrivals)
		}
	}
}

// vllm#52884, vllm#54227: with one fixed seed, "unique" prompts repeat between
// runs and the prefix cache is what gets measured.
func TestUniquePromptsNeverRepeat(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(10) {
		for _, r := range mustMake(t, Spec{SharedPrompt, 2, seed, time.Minute}).Requests {
			require.False(t, seen[r.User], r.User)
			seen[r.User] = true
			if r.Class == "unique" {
				require.False(t, seen[r.System])
				seen[r.System] = true
			}
		}
	}
	corpus := text.Corpus()
	for s := range seen {
		require.NotContains(t, corpus, s)
	}
}

func TestSharedPromptMix(t *testing.T) {
	const n = 20_000
	c := newContent(SharedPrompt, 11)
	groups := map[int]int{}
	var system = map[string][]int{}
	var asked, stops []int
	limit, sumAsked, sumStop := 0, 0, 0
	for i := range n {
		r := c.request(i)
		groups[r.Group]++
		system[r.Class] = append(system[r.Class], text.Words(r.System))
		asked, stops = append(asked, r.MaxTokens), append(stops, r.StopTokens)
		sumAsked += r.MaxTokens
		sumStop += r.StopTokens
		if r.StopTokens == r.MaxTokens {
			limit++
		}
		if r.Group >= 0 {
			require.Equal(t, "shared", r.Class)
			require.Equal(t, text.Shared()[r.Group].System, r.System)
		} else {
			require.Equal(t, "unique", r.Class)
		}
	}
	within := func(p float64) float64 { return 4 * math.Sqrt(p*(1-p)/n) } // four standard errors
	require.InDelta(t, 0.3, float64(groups[-1])/n, within(0.3))
	for g := range 4 {
		require.InDelta(t, 0.175, float64(groups[g])/n, within(0.175))
	}

	slices.Sort(asked)
	slices.Sort(stops)
	t.Logf("requested: min %d p50 %d mean %.1f p95 %d max %d", asked[0], quantile(asked, 0.5), float64(sumAsked)/n, quantile(asked, 0.95), asked[n-1])
	t.Logf("natural:   min %d p50 %d mean %.1f p95 %d max %d, %.3f at the limit", stops[0], quantile(stops, 0.5), float64(sumStop)/n, quantile(stops, 0.95), stops[n-1], float64(limit)/n)
	require.Equal(t, minOutput, asked[0])
	require.Equal(t, maxOutput, asked[n-1])
	require.InDelta(t, math.Exp(outputMu), quantile(asked, 0.5), 3)
	require.InDelta(t, math.Exp(outputMu+outputSigma*1.6449), quantile(asked, 0.95), 15)
	require.InDelta(t, 132, float64(sumAsked)/n, 3)
	// The predecessor's model answered with 63 to 75 tokens in the mean.
	require.InDelta(t, uniformOutput, float64(sumStop)/n, 2)
	require.InDelta(t, limitShare, float64(limit)/n, 0.02)

	for _, class := range []string{"shared", "unique"} {
		slices.Sort(system[class])
		w := system[class]
		t.Logf("%s system prompts, words: min %d p5 %d p50 %d p95 %d max %d", class, w[0], quantile(w, 0.05), quantile(w, 0.5), quantile(w, 0.95), w[len(w)-1])
	}
}

func TestNaturalStop(t *testing.T) {
	const n, limit = 50_000, 1000
	r := random.Stream(1, "test")
	var ended []float64
	for range n {
		if s := naturalStop(r, limit); s < limit {
			ended = append(ended, float64(s)/limit)
		}
	}
	require.InDelta(t, 1-limitShare, float64(len(ended))/n, 0.01)
	mean, square := 0.0, 0.0
	for _, x := range ended {
		mean += x / float64(len(ended))
		square += x * x / float64(len(ended))
	}
	require.InDelta(t, 0.4, mean, 0.005, "mean of Beta(2, 3)")
	require.InDelta(t, 0.04, square-mean*mean, 0.001, "variance of Beta(2, 3)")
	for range 1000 {
		require.Equal(t, 1, naturalStop(r, 1))
	}
}

func TestUniformHasOneLength(t *testing.T) {
	for _, r := range mustMake(t, Spec{Uniform, 5, 3, time.Minute}).Requests {
		require.Equal(t, "uniform", r.Class)
		require.Equal(t, -1, r.Group)
		require.Equal(t, uniformOutput, r.MaxTokens)
		require.Equal(t, uniformOutput, r.StopTokens)
		require.InDelta(t, text.MeanWords, text.Words(r.System), 40)
	}
}

// A prefix cache must find nothing to share between generated prompts.
func TestGeneratedPromptsShareNoPrefix(t *testing.T) {
	var all []string
	for _, p := range text.Shared() {
		all = append(all, p.System)
	}
	for seed := range uint64(20) {
		c := newContent(Uniform, seed)
		for i := range 100 {
			all = append(all, c.request(i).System)
		}
	}
	slices.Sort(all)
	longest := 0
	for i := 1; i < len(all); i++ {
		a, b := strings.Fields(all[i-1]), strings.Fields(all[i])
		n := 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		longest = max(longest, n)
	}
	t.Logf("longest common prefix of %d prompts: %d words", len(all), longest)
	require.LessOrEqual(t, longest, 4)
}
