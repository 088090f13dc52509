package predict

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cadence-bench/cadence-bench/admission"
)

func TestStepCostFindsWhatStepsCost(t *testing.T) {
	truth := termVec{2e-3, 1e-3, 0.3e-3, 4e-3, 0.1e-3, 0.05e-3, 1e-3}
	r := rand.New(rand.NewPCG(1, 1))
	var c stepCost
	for range 3000 {
		st := admission.Step{Decode: r.IntN(25), Context: r.IntN(12000)}
		if r.IntN(3) == 0 {
			st.Prefill, st.Copies = r.IntN(480), r.IntN(3)
		}
		y := 0.0
		for j, x := range terms(float64(st.Decode), float64(st.Prefill), float64(st.Context), float64(st.Copies)) {
			y += x * truth[j]
		}
		st.Duration = time.Duration(y * math.Exp(0.02*r.NormFloat64()) * 1e9)
		c.observe(&st)
		for j := range c.Cost {
			require.GreaterOrEqual(t, c.Cost[j], 0.0)
		}
	}
	for _, s := range []admission.Step{{Decode: 1, Context: 500}, {Decode: 24, Context: 9000}, {Decode: 10, Prefill: 400, Context: 5000, Copies: 1}} {
		want := 0.0
		for j, x := range terms(float64(s.Decode), float64(s.Prefill), float64(s.Context), float64(s.Copies)) {
			want += x * truth[j]
		}
		got := c.of(float64(s.Decode), float64(s.Prefill), float64(s.Context), float64(s.Copies))
		require.InEpsilon(t, want, got, 0.05)
	}
}

func TestNoTermCostsLessThanNothing(t *testing.T) {
	// Steps that get cheaper with more rows: least squares alone would price rows below 0.
	var c stepCost
	for i := range 200 {
		n := 1 + i%24
		c.observe(&admission.Step{Decode: n, Context: 100, Duration: time.Duration(30-n) * time.Millisecond})
	}
	last := 0.0
	for n := range 100 {
		d := c.of(float64(n), 0, 100, 0)
		require.GreaterOrEqual(t, d, last)
		last = d
	}
}

func TestDecodingIsTheSumOfItsSteps(t *testing.T) {
	c := stepCost{Cost: startCost}
	sum, context := 0.0, 3000.0
	for range 40 {
		sum += c.of(7, 0, context, 0)
		context += 7
	}
	require.InDelta(t, sum, c.decoding(40, 7, 3000), 1e-12)
}

// Answers that were cut short say only that they were longer.
func TestCensoredAnswersDoNotShortenTheLaw(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	l := newLengths()
	for range 4000 {
		output := 1 + r.IntN(100)
		if cut := 1 + r.IntN(100); cut < output {
			l.learn("", cut, 100, false)
		} else {
			l.learn("", output, 100, true)
		}
	}
	for _, share := range []float64{0.25, 0.5, 0.75} {
		require.InDelta(t, 1-share, l.all.survival(share), 0.05)
	}
}

func TestRemainingIsConditionalOnWhatCame(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	l := newLengths()
	for range 3000 {
		output := 512
		if r.IntN(5) > 0 {
			output = 1 + r.IntN(100)
		}
		l.learn("chat", output, 512, output == 512 || true)
	}
	law := l.of("chat")
	require.InDelta(t, 0.2*512+0.8*50, law.remaining(0, 512), 15)
	require.InDelta(t, 512-150, law.remaining(150, 512), 15, "whoever is past 100 goes to the limit")
	require.Equal(t, 1.0, law.remaining(512, 512))
	last := math.Inf(1)
	for share := 0.0; share <= 1; share += 0.01 {
		require.LessOrEqual(t, law.survival(share), last)
		last = law.survival(share)
	}
}

func TestClassesHaveLawsOfTheirOwn(t *testing.T) {
	l := newLengths()
	for range 500 {
		l.learn("short", 10, 100, true)
		l.learn("long", 100, 100, true)
	}
	require.Less(t, l.of("short").remaining(0, 100), 25.0)
	require.Greater(t, l.of("long").remaining(0, 100), 75.0)
	require.InDelta(t, 55, l.of("other").remaining(0, 100), 15)
}
